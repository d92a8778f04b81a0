"""Copies between GPUs as differentiable functions; there are no GPUs."""

from typing import Any

from framejit.cuda import _no_gpu


class Broadcast:
    """``Broadcast.apply`` raises."""

    apply = staticmethod(_no_gpu)


class ReduceAddCoalesced(Broadcast):
    """``ReduceAddCoalesced.apply`` raises."""


class Gather(Broadcast):
    """``Gather.apply`` raises."""


class Scatter(Broadcast):
    """``Scatter.apply`` raises."""


def _get_stream(device: Any) -> None:
    """The stream that copies to a device; the CPU has none."""
