"""What distributions share that lie evenly around a location."""

from __future__ import annotations

from framejit import Tensor
from framejit.distributions.distribution import Distribution


class Centred(Distribution):
    """Mean and mode are at ``loc``."""

    loc: Tensor

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc
