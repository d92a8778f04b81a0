"""Distributions that are given by probabilities or by their logits, of which the other is computed on demand."""

from __future__ import annotations

from typing import Any

from framejit import Tensor
from framejit.distributions.distribution import Distribution
from framejit.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


def one_of(probs: Any, logits: Any) -> Any:
    """Whichever is given. Raises ValueError unless just one is."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return logits if probs is None else probs


class BinaryDistribution(Distribution):
    """One probability for each element of the batch."""

    def __init__(self, probs: Any, logits: Any, validate_args: bool | None) -> None:
        (given,) = broadcast_all(one_of(probs, logits))
        setattr(self, "logits" if probs is None else "probs", given)
        super().__init__(given.shape, (), validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits, is_binary=True)

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=True)


class CountedTrials(BinaryDistribution):
    """A probability and a number of trials, which broadcast."""

    def __init__(self, total_count: Any, probs: Any, logits: Any, validate_args: bool | None) -> None:
        self.total_count, given = broadcast_all(total_count, one_of(probs, logits))
        self.total_count = self.total_count.type_as(given)
        super().__init__(None if probs is None else given, None if logits is None else given, validate_args)
