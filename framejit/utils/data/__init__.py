"""Datasets, samplers and the loader, in PyTorch's names, signatures and meanings.

Tour: ``dataset`` (what is loaded), ``sampler`` (in which order), ``collate`` (samples into a batch), ``loader``
(``DataLoader``), ``worker`` (the processes behind ``num_workers``).
"""

from framejit.utils.data.collate import default_collate, default_convert
from framejit.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from framejit.utils.data.distributed import DistributedSampler
from framejit.utils.data.loader import DataLoader
from framejit.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from framejit.utils.data.worker import WorkerInfo, get_worker_info

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerInfo",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]
