"""The Poisson distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.distribution import Distribution
from framejit.distributions.utils import broadcast_all


class Poisson(Distribution):
    """Counts of events that happen at a constant rate."""

    arg_constraints: ClassVar[dict[str, Any]] = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with fj.no_grad():
            return fj.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return fj.xlogy(value, rate) - rate - (value + 1).lgamma()
