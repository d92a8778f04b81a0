"""Modules on several devices. There is one device, so ``DataParallel`` runs its module as it is.

Tour: ``data_parallel``, ``distributed`` (needs a group of processes: raises), ``replicate``, ``scatter_gather`` and
``parallel_apply`` (the steps of ``DataParallel`` for programs that take them themselves).
"""

from framejit.nn.parallel.data_parallel import DataParallel, data_parallel
from framejit.nn.parallel.distributed import DistributedDataParallel
from framejit.nn.parallel.parallel_apply import parallel_apply
from framejit.nn.parallel.replicate import replicate
from framejit.nn.parallel.scatter_gather import gather, scatter

__all__ = [
    "DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply", "replicate", "scatter",
]  # fmt: skip
