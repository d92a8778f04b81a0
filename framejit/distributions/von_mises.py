"""The von Mises distribution of angles."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._centred import Centred
from framejit.distributions.utils import broadcast_all


class VonMises(Centred):
    """Density proportional to ``exp(concentration * cos(x - loc))``, for angles x."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real,
        "concentration": constraints.positive,
    }
    support = constraints.real

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        """The circular mean."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The circular variance."""
        return 1 - fj.special.i1e(self.concentration) / fj.special.i0e(self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        # The Bessel function overflows; its scaled form does not.
        log_bessel = fj.special.i0e(self.concentration).log() + self.concentration
        return self.concentration * (value - self.loc).cos() - math.log(2 * math.pi) - log_bessel

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Best and Fisher's rejection method (1979), from a wrapped Cauchy distribution."""
        with fj.no_grad():
            shape = self._extended_shape(sample_shape)
            k = self.concentration.to(fj.float64).expand(shape)
            tau = 1 + (1 + 4 * k.square()).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * k)
            r = fj.where(k < 1e-5, 1 / k + k, (1 + rho.square()) / (2 * rho))  # rho cancels for small k
            angle = fj.full_like(k, fj.nan)
            while angle.isnan().any():
                z = (math.pi * fj.rand_like(k)).cos()
                f = (1 + r * z) / (r + z)
                c, uniform = k * (r - f), 1 - fj.rand_like(k)
                good = (c * (2 - c) > uniform) | ((c / uniform).log() + 1 >= c)
                side = (fj.rand_like(k) - 0.5).sign()
                angle = fj.where(angle.isnan() & good, side * f.clamp(-1, 1).acos(), angle)
            around = (angle + self.loc + math.pi) % (2 * math.pi) - math.pi
            return around.to(self.loc.dtype)
