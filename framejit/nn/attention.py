"""Which implementation of attention may be used. There is one, so wishes are noted and change nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import IntEnum

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """PyTorch's implementations."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextlib.contextmanager
def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[None]:
    """A block in which PyTorch would choose among these implementations."""
    wanted = [backends] if isinstance(backends, SDPBackend) else list(backends)
    if not all(isinstance(backend, SDPBackend) for backend in wanted):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    yield
