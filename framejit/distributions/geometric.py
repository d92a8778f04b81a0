"""The geometric distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._binary import BinaryDistribution
from framejit.distributions.utils import clamp_probs
from framejit.nn import functional as F


class Geometric(BinaryDistribution):
    """How many trials fail before one of success probability ``probs`` succeeds."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(probs, logits, validate_args)

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return fj.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with fj.no_grad():
            shape = self._extended_shape(sample_shape)
            u = clamp_probs(fj.rand(shape, dtype=self.probs.dtype))
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, probs = fj.broadcast_tensors([value, self.probs])
        impossible = (probs == 1) & (value == 0)
        return value * (-probs.masked_fill(impossible, 0.0)).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
