"""The Weibull distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.distribution import Distribution
from framejit.distributions.utils import broadcast_all

_EULER = 0.57721566490153286


class Weibull(Distribution):
    """Probability of more than x: ``exp(-(x / scale)**concentration)``."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support = constraints.positive
    has_rsample = True

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        super().__init__(self.scale.shape, (), validate_args)

    def _moment(self, n: int) -> Tensor:
        return self.scale.pow(n) * (1 + n / self.concentration).lgamma().exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        c = self.concentration
        return fj.where(c > 1, self.scale * ((c - 1) / c).pow(c.reciprocal()), 0.0)

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self._moment(1).square()

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        exponential = fj.empty(self._extended_shape(sample_shape), dtype=self.scale.dtype).exponential_()
        return self.scale * exponential.pow(self.concentration.reciprocal())

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        c, ratio = self.concentration, value / self.scale
        return (c / self.scale).log() + (c - 1) * ratio.log() - ratio.pow(c)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return -(-(value / self.scale).pow(self.concentration)).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        return self.scale * (-(-value).log1p()).pow(self.concentration.reciprocal())

    def entropy(self) -> Tensor:
        c = self.concentration
        return _EULER * (1 - c.reciprocal()) + (self.scale / c).log() + 1
