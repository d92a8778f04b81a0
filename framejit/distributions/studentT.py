"""Student's t distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.distribution import Distribution
from framejit.distributions.gamma import Chi2
from framejit.distributions.utils import broadcast_all


class StudentT(Distribution):
    """A standard normal value over the root of a chi squared one over ``df``; times ``scale``, plus ``loc``."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(self.df.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return fj.where(self.df > 1, self.loc, fj.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        finite = self.scale.pow(2) * self.df / (self.df - 2)
        return fj.where(self.df > 2, finite, fj.where(self.df > 1, fj.inf, fj.nan).to(finite))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        normal = fj.randn(self._extended_shape(sample_shape), dtype=self.df.dtype)
        return self.loc + self.scale * normal * (Chi2(self.df).rsample(sample_shape) / self.df).rsqrt()

    def _log_beta(self) -> Tensor:
        return (0.5 * self.df).lgamma() + 0.5 * math.log(math.pi) - (0.5 * (self.df + 1)).lgamma()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = self.scale.log() + 0.5 * self.df.log() + self._log_beta()
        return -0.5 * (self.df + 1) * (y.square() / self.df).log1p() - normalizer

    def entropy(self) -> Tensor:
        half = 0.5 * (self.df + 1)
        difference = half.digamma() - (0.5 * self.df).digamma()
        return self.scale.log() + half * difference + 0.5 * self.df.log() + self._log_beta()
