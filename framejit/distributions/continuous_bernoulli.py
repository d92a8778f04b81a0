"""The continuous Bernoulli distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._binary import BinaryDistribution
from framejit.nn import functional as F


class ContinuousBernoulli(BinaryDistribution):
    """Density on [0, 1] proportional to ``probs**x * (1 - probs)**(1 - x)``: Loaiza-Ganem, Cunningham (2019).

    Args:
        lims: between these probabilities, where the formulas are 0 / 0, Taylor's polynomials about 1/2 are taken.
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._lims = lims
        super().__init__(probs, logits, validate_args)
        if probs is not None:
            eps = fj.finfo(self.probs.dtype).eps
            self.probs = self.probs.clamp(eps, 1 - eps)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        logits = self.logits.expand(batch_shape)
        return ContinuousBernoulli(logits=logits, lims=self._lims, validate_args=False)

    @property
    def param_shape(self) -> Any:
        return self._batch_shape

    def _away(self) -> tuple[Tensor, Tensor]:
        """Where the formulas are good, and probabilities at which they are good everywhere."""
        low, high = self._lims
        away = (self.probs <= low) | (self.probs > high)
        return away, fj.where(away, self.probs, low)

    def _log_normalizer(self) -> Tensor:
        away, p = self._away()
        below, above = p.clamp(max=0.499), p.clamp(min=0.501)
        width = fj.where(p <= 0.5, (-2 * below).log1p(), (2 * above - 1).log())
        square = (self.probs - 0.5).square()
        taylor = fj.log(fj.tensor(2.0, dtype=p.dtype)) + (4 / 3 + 104 / 45 * square) * square
        return fj.where(away, ((-p).log1p() - p.log()).abs().log() - width, taylor)

    @property
    def mean(self) -> Tensor:
        away, p = self._away()
        x = self.probs - 0.5
        exact = p / (2 * p - 1) + 1 / ((-p).log1p() - p.log())
        return fj.where(away, exact, 0.5 + (1 / 3 + 16 / 45 * x.square()) * x)

    @property
    def variance(self) -> Tensor:
        away, p = self._away()
        square = (self.probs - 0.5).square()
        exact = p * (p - 1) / (1 - 2 * p).square() + 1 / ((-p).log1p() - p.log()).square()
        return fj.where(away, exact, 1 / 12 - (1 / 15 - 128 / 945 * square) * square)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.icdf(fj.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = fj.broadcast_tensors([self.logits, value])
        return self._log_normalizer() - F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        away, p = self._away()
        exact = (p.pow(value) * (1 - p).pow(1 - value) + p - 1) / (2 * p - 1)
        return fj.where(away, exact, value).clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        away, p = self._away()
        low = (-p).log1p()
        return fj.where(away, ((-p + value * (2 * p - 1)).log1p() - low) / (p.log() - low), value)

    def entropy(self) -> Tensor:
        low, high = (-self.probs).log1p(), self.probs.log()
        return self.mean * (low - high) - self._log_normalizer() - low
