"""The inverse gamma distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.gamma import Gamma
from framejit.distributions.transformed_distribution import TransformedDistribution
from framejit.distributions.transforms import PowerTransform


class InverseGamma(TransformedDistribution):
    """One over a gamma value."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.positive
    base_dist: Gamma

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args)
        inverse = PowerTransform(-fj.ones((), dtype=base.rate.dtype))
        super().__init__(base, inverse, validate_args)

    @property
    def concentration(self) -> Tensor:
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        return self.base_dist.rate

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return InverseGamma(self.concentration.expand(batch_shape), self.rate.expand(batch_shape), False)

    @property
    def mean(self) -> Tensor:
        a = self.concentration
        return fj.where(a > 1, self.rate / (a - 1), fj.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        return fj.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), fj.inf)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
