"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.distributions._location_scale import LocationScale
from framejit.distributions.utils import clamp_probs

_EULER = 0.57721566490153286060  # Euler's constant


class Gumbel(LocationScale):
    """The largest of many values: ``cdf(x) = exp(-exp(-(x - loc) / scale))``."""

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * _EULER

    @property
    def stddev(self) -> Tensor:
        return math.pi / math.sqrt(6) * self.scale

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
