"""Collectives between GPUs, of which there are none."""

from framejit.cuda import _no_gpu

__all__ = ["all_gather", "all_reduce", "broadcast", "reduce", "reduce_scatter"]

all_gather = all_reduce = broadcast = reduce = reduce_scatter = _no_gpu
