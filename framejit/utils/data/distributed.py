"""``DistributedSampler``: one process's share of a dataset."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized
from typing import Any

import framejit as fj
from framejit import distributed
from framejit.utils.data.sampler import Sampler


class DistributedSampler(Sampler[int]):
    """Every ``num_replicas``-th index, from ``rank`` on.

    Args:
        num_replicas, rank: of the process group unless given.
        shuffle: another order in every epoch; call :meth:`set_epoch` before each.
        drop_last: leave out what does not divide evenly, instead of repeating the first indices.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        replicas: int = distributed.get_world_size() if num_replicas is None else num_replicas
        own: int = distributed.get_rank() if rank is None else rank
        if own >= replicas or own < 0:
            raise ValueError(f"Invalid rank {own}, rank should be in the interval [0, {replicas - 1}]")
        self.dataset: Sized = dataset
        self.num_replicas, self.rank, self.epoch = replicas, own, 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        count = len(dataset)
        self.num_samples = count // replicas if drop_last else math.ceil(count / replicas)
        self.total_size = self.num_samples * replicas

    def __iter__(self) -> Iterator[int]:
        indices = list(range(len(self.dataset)))
        if self.shuffle:
            generator = fj.Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = fj.randperm(len(indices), generator=generator).tolist()
        while len(indices) < self.total_size:
            indices += indices[: self.total_size - len(indices)]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Chooses the order of the next iteration."""
        self.epoch = epoch
