"""The Kumaraswamy distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.transformed_distribution import TransformedDistribution
from framejit.distributions.transforms import AffineTransform, PowerTransform
from framejit.distributions.uniform import Uniform
from framejit.distributions.utils import broadcast_all

_EULER = 0.57721566490153286


class Kumaraswamy(TransformedDistribution):
    """Probability of more than x: ``(1 - x**concentration1)**concentration0``; much like a beta distribution."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        zeros = fj.zeros_like(self.concentration0)
        transforms = [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(1.0, -1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(zeros, zeros + 1, False), transforms, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        parameters = self.concentration1.expand(batch_shape), self.concentration0.expand(batch_shape)
        return Kumaraswamy(*parameters, validate_args=False)

    def _moment(self, n: int) -> Tensor:
        a, b = 1 + n / self.concentration1, self.concentration0
        return b * (a.lgamma() + b.lgamma() - (a + b).lgamma()).exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """Where there is one."""
        a, b = self.concentration1, self.concentration0
        return ((a - 1) / (a * b - 1)).pow(1 / a).masked_fill((a < 1) | (b < 1), fj.nan)

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self._moment(1).square()

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        return 1 - 1 / b + (1 - 1 / a) * ((b + 1).digamma() + _EULER) - a.log() - b.log()
