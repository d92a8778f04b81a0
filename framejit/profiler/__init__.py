"""Names of PyTorch's profiler. Ranges may be marked, but nobody records them; see ``FRAMEJIT_LOGS`` and ``fj.explain``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


class ProfilerActivity(Enum):
    """What a profiler could watch."""

    CPU = 0
    CUDA = 2


class ProfilerAction(Enum):
    """What a profiler would do in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """None: nothing is recorded."""
    return set()


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """``action(step)``: after ``skip_first`` steps, cycles of ``wait``, ``warmup`` and ``active`` steps; ``repeat`` of them, or
    without end where that is 0. ``skip_first_wait``: the first cycle does not wait."""
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError("Invalid profiler schedule arguments")

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        if skip_first_wait:
            step += wait
        cycle, place = divmod(step, wait + warmup + active)
        if step < 0 or (repeat and cycle >= repeat) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == wait + warmup + active - 1 else ProfilerAction.RECORD

    return action


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


tensorboard_trace_handler = profile
