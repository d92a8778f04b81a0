"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.distribution import Distribution
from framejit.distributions.utils import broadcast_all, clamp_probs

_EULER = 0.57721566490153286060  # Euler's constant


class Gumbel(Distribution):
    """The largest of many values: ``cdf(x) = exp(-exp(-(x - loc) / scale))``."""

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * _EULER

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        u = clamp_probs(fj.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))
        return self.icdf(u)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return (-((self.loc - value) / self.scale).exp()).exp()

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc - self.scale * (-value.log()).log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + _EULER)
