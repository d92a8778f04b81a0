"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._gamma_variates import standard_gamma
from framejit.distributions.distribution import Distribution
from framejit.nn import functional as F


class Dirichlet(Distribution):
    """Probabilities that sum to 1, with density proportional to the product of ``x**(concentration - 1)``."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        excess = (self.concentration - 1).clamp(min=0)
        mode = excess / excess.sum(-1, True)
        corner = F.one_hot(mode.nan_to_num().argmax(-1), self.concentration.shape[-1]).to(mode)
        return fj.where((self.concentration < 1).all(-1, keepdim=True), corner, mode)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Gamma values over their sum."""
        gamma = standard_gamma(self.concentration.expand(self._extended_shape(sample_shape)))
        return gamma / gamma.sum(-1, True)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a = self.concentration
        return fj.xlogy(a - 1, value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        a, total = self.concentration, self.concentration.sum(-1)
        return (
            a.lgamma().sum(-1)
            - total.lgamma()
            - (a.shape[-1] - total) * total.digamma()
            - ((a - 1) * a.digamma()).sum(-1)
        )
