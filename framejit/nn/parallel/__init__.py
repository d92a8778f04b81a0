"""Modules on several devices. There is one device, so ``DataParallel`` runs its module as it is."""

from framejit.nn.parallel.data_parallel import DataParallel, data_parallel
from framejit.nn.parallel.distributed import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]
