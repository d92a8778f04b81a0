"""The log-normal distribution."""

from __future__ import annotations

from typing import Any, ClassVar

from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.normal import Normal
from framejit.distributions.transformed_distribution import TransformedDistribution
from framejit.distributions.transforms import ExpTransform


class LogNormal(TransformedDistribution):
    """Values whose logarithm is normal, with mean ``loc`` and standard deviation ``scale``."""

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    base_dist: Normal

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args), ExpTransform(), validate_args)

    @property
    def loc(self) -> Tensor:
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return LogNormal(self.loc.expand(batch_shape), self.scale.expand(batch_shape), validate_args=False)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc
