"""Distributions that are given by probabilities or by their logits, of which the other is computed on demand."""

from __future__ import annotations

from typing import Any

from framejit import Tensor
from framejit.distributions.distribution import Distribution
from framejit.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


class BinaryDistribution(Distribution):
    """One probability for each element of the batch."""

    def __init__(self, probs: Any, logits: Any, validate_args: bool | None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        (given,) = broadcast_all(logits if probs is None else probs)
        setattr(self, "logits" if probs is None else "probs", given)
        super().__init__(given.shape, (), validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits, is_binary=True)

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=True)
