"""The F distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.distribution import Distribution
from framejit.distributions.gamma import Gamma
from framejit.distributions.utils import broadcast_all


class FisherSnedecor(Distribution):
    """The ratio of two independent chi-squared values, each over its degrees of freedom."""

    arg_constraints: ClassVar[dict[str, Any]] = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        super().__init__(self.df1.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        return fj.where(self.df2 > 2, self.df2 / (self.df2 - 2), fj.nan)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return fj.where(self.df1 > 2, mode, fj.nan)

    @property
    def variance(self) -> Tensor:
        m, n = self.df1, self.df2
        variance = 2 * n.square() * (m + n - 2) / (m * (n - 2).square() * (n - 4))
        return fj.where(n > 4, variance, fj.nan)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        smallest = fj.finfo(self.df1.dtype).tiny
        above, below = (Gamma(df * 0.5, df, False).rsample(sample_shape) for df in (self.df1, self.df2))
        return (above / below.clamp(min=smallest)).clamp(min=smallest)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        m, n, ratio = self.df1 / 2, self.df2 / 2, self.df1 / self.df2
        normalizer = m.lgamma() + n.lgamma() - (m + n).lgamma()
        return m * ratio.log() + (m - 1) * value.log() - (m + n) * (ratio * value).log1p() - normalizer
