"""Distributions of absolute values."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.distribution import Distribution


class Half(Distribution):
    """The absolute values of a distribution that is symmetric about 0 and has a ``scale``."""

    arg_constraints: ClassVar[dict[str, Any]] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, base_dist: Any, validate_args: bool | None = None) -> None:
        self.base_dist = base_dist
        super().__init__(base_dist.batch_shape, (), validate_args)

    @property
    def scale(self) -> Tensor:
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        return fj.zeros_like(self.scale)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return type(self)(self.scale.expand(batch_shape), validate_args=False)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape).abs()

    def log_prob(self, value: Any) -> Tensor:
        value = fj.as_tensor(value, dtype=self.scale.dtype)
        self._validate_sample(value)
        return fj.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
