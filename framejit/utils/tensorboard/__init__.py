"""Logs that TensorBoard shows: the package tensorboardX, which writes them, for framejit's tensors.

Raises ImportError where that package is not installed (``pip install tensorboardX``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

try:
    import tensorboardX
except ImportError as error:
    raise ImportError("framejit.utils.tensorboard needs the package tensorboardX: pip install tensorboardX") from error

from framejit import Tensor

__all__ = ["FileWriter", "SummaryWriter"]

FileWriter = tensorboardX.FileWriter


def _to_numpy(value: Any) -> Any:
    """``value`` with its tensors, also those in lists, tuples and dicts, as NumPy arrays; 0-dim ones as numbers."""
    if isinstance(value, Tensor):
        return value.detach().cpu().numpy() if value.dim() else value.item()
    if isinstance(value, dict):
        return {key: _to_numpy(entry) for key, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_to_numpy(entry) for entry in value)
    return value


def _taking_tensors(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def converted(self: SummaryWriter, *args: Any, **kwargs: Any) -> Any:
        return method(self, *_to_numpy(args), **_to_numpy(kwargs))

    return converted


class SummaryWriter(tensorboardX.SummaryWriter):  # type: ignore[misc]
    """tensorboardX's writer, whose ``add_*`` methods also take tensors (``add_scalar("loss", loss, step)``)."""


for _name, _method in vars(tensorboardX.SummaryWriter).items():
    if _name.startswith("add_"):
        setattr(SummaryWriter, _name, _taking_tensors(_method))
