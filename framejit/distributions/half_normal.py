"""The upper half of the normal distribution."""

from __future__ import annotations

import math
from typing import Any

from framejit import Tensor
from framejit.distributions._half import Half
from framejit.distributions.normal import Normal


class HalfNormal(Half):
    """The absolute values of a normal distribution around 0."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0.0, scale, validate_args), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
