"""The Cauchy distribution, and its upper half."""

from __future__ import annotations

import math
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.distributions._half import Half
from framejit.distributions._location_scale import LocationScale


class Cauchy(LocationScale):
    """The ratio of two normal values; it has no mean."""

    @property
    def mean(self) -> Tensor:
        return fj.full_like(self.loc, fj.nan)

    @property
    def variance(self) -> Tensor:
        return fj.full_like(self.loc, fj.inf)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        standard = fj.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).cauchy_()
        return self.loc + standard * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return (
            -math.log(math.pi) - self.scale.log() - ((value - self.loc) / self.scale).square().log1p()
        )

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()


class HalfCauchy(Half):
    """The absolute values of a Cauchy distribution around 0."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0.0, scale, validate_args), validate_args)

    @property
    def mean(self) -> Tensor:
        return fj.full_like(self.scale, fj.inf)

    @property
    def variance(self) -> Tensor:
        return fj.full_like(self.scale, fj.inf)
