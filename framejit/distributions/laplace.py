"""The Laplace distribution."""

from __future__ import annotations

from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.distributions._location_scale import LocationScale


class Laplace(LocationScale):
    """Density ``exp(-|x - loc| / scale) / (2 * scale)``."""

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        info = fj.finfo(self.loc.dtype)
        shape = self._extended_shape(sample_shape)
        u = (fj.rand(shape, dtype=self.loc.dtype) * 2 - 1).clamp(info.eps - 1, 1 - info.eps)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * (-distance.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        centred = value - 0.5
        return self.loc - self.scale * centred.sign() * (-2 * centred.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()
