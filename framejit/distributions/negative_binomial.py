"""The negative binomial distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._binary import CountedTrials
from framejit.distributions.gamma import Gamma
from framejit.nn import functional as F


class NegativeBinomial(CountedTrials):
    """How many trials succeed (each with probability ``probs``) before ``total_count`` fail."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "total_count": constraints.nonnegative,
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(total_count, probs, logits, validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Poisson values, the rate of each a gamma value."""
        with fj.no_grad():
            rate = Gamma(self.total_count, (-self.logits).exp(), validate_args=False).sample(sample_shape)
            return fj.poisson(rate)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        count = self.total_count
        unnormalized = count * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        normalizer = (1 + value).lgamma() + count.lgamma() - (count + value).lgamma()
        return unnormalized - normalizer.masked_fill(count + value == 0, 0.0)
