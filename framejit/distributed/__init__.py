"""Training on several machines: not supported. Programs that ask first run on one."""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

__all__ = [
    "GroupMember", "ProcessGroup", "ReduceOp", "Store", "all_gather", "all_gather_object", "all_reduce", "all_to_all_single",
    "barrier", "broadcast", "broadcast_object_list", "destroy_process_group", "gather", "get_backend", "get_global_rank",
    "get_rank", "get_world_size", "group", "init_process_group", "irecv", "is_available", "is_initialized", "isend",
    "monitored_barrier", "new_group", "recv", "reduce", "reduce_scatter", "scatter", "send",
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
    BAND = 5
    BOR = 6
    BXOR = 7


def _no_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises ValueError: there is no group of processes."""
    raise ValueError(
        "Default process group has not been initialized: framejit has no distributed package. "
        "Ask framejit.distributed.is_available() first."
    )


init_process_group = destroy_process_group = new_group = get_rank = get_world_size = get_backend = get_global_rank = _no_group
barrier = monitored_barrier = all_reduce = all_gather = all_gather_object = broadcast = broadcast_object_list = _no_group
reduce = reduce_scatter = all_to_all_single = gather = scatter = send = recv = isend = irecv = _no_group
reduce_op = ReduceOp  # its name of old


class ProcessGroup:
    """Processes that work together; making one raises ValueError."""

    def __new__(cls, *args: Any, **kwargs: Any) -> ProcessGroup:
        _no_group()


class Store(ProcessGroup):
    """Where processes find each other; making one raises ValueError."""


class GroupMember:
    """``WORLD``, the group of all processes: none."""

    WORLD: ProcessGroup | None = None


group = GroupMember

from framejit.distributed import distributed_c10d as distributed_c10d  # noqa: E402
