"""Training on several machines: not supported. Programs that ask first run on one."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

__all__ = [
    "ReduceOp", "all_gather", "all_reduce", "all_to_all_single", "barrier", "broadcast", "get_backend",
    "get_rank", "get_world_size", "init_process_group", "is_available",
    "is_initialized", "new_group", "reduce", "reduce_scatter",
]  # fmt: skip


def is_available() -> bool:
    """Whether processes can form a group: never."""
    return False


def is_initialized() -> bool:
    """Whether this process is in a group: never."""
    return False


class ReduceOp(Enum):
    """How values of several processes are combined."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4


def _no_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises ValueError: there is no group of processes."""
    raise ValueError(
        "Default process group has not been initialized: framejit has no distributed package. "
        "Ask framejit.distributed.is_available() first."
    )


init_process_group = get_rank = get_world_size = barrier = all_reduce = all_gather = broadcast = _no_group
get_backend = new_group = reduce = reduce_scatter = all_to_all_single = _no_group
