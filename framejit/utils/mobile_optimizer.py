"""Programs for phones: not supported. The name exists, so that programs can import it."""

from typing import Any, NoReturn

__all__ = ["optimize_for_mobile"]


def optimize_for_mobile(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "framejit has no TorchScript and no format for phones. Try framejit.compile for speed."
    )
