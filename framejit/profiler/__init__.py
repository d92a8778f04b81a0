"""Names of PyTorch's profiler. Ranges may be marked, but nobody records them; see ``FRAMEJIT_LOGS`` and ``fj.explain``."""

from __future__ import annotations

import contextlib
from enum import Enum
from typing import Any, NoReturn

__all__ = ["ProfilerActivity", "profile", "record_function"]


class ProfilerActivity(Enum):
    """What a profiler could watch."""

    CPU = 0
    CUDA = 2


class record_function(contextlib.ContextDecorator):
    """Marks a range of code with a name. Does nothing."""

    def __init__(self, name: str, args: Any = None) -> None:
        self.name = name

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exception: object) -> None:
        return None


def profile(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "framejit has no profiler. Try FRAMEJIT_LOGS, framejit.explain, or Python's cProfile."
    )
