"""Copies between GPUs as differentiable functions; there are no GPUs."""

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
