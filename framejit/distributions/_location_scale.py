"""What distributions with a location and a scale share."""

from __future__ import annotations

from typing import Any, ClassVar

from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._centred import Centred
from framejit.distributions.utils import broadcast_all


class LocationScale(Centred):
    """``loc + scale * z``, where the distribution of ``z`` is fixed. The mode is at ``loc``."""

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)
