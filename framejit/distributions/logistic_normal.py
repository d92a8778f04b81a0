"""The logistic normal distribution."""

from __future__ import annotations

from typing import Any, ClassVar

from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.independent import Independent
from framejit.distributions.normal import Normal
from framejit.distributions.transformed_distribution import TransformedDistribution
from framejit.distributions.transforms import StickBreakingTransform


class LogisticNormal(TransformedDistribution):
    """Probabilities that a vector of normal values breaks off a stick: one more than there are values."""

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    base_dist: Independent

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args)
        base = base if base.batch_shape else base.expand((1,))
        super().__init__(base, StickBreakingTransform(), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape = (*batch_shape, self.loc.shape[-1])
        return LogisticNormal(self.loc.expand(shape), self.scale.expand(shape), validate_args=False)

    @property
    def loc(self) -> Tensor:
        return self.base_dist.base_dist.loc  # type: ignore[attr-defined]

    @property
    def scale(self) -> Tensor:
        return self.base_dist.base_dist.scale  # type: ignore[attr-defined]
