"""Normal distributions of vectors whose covariance is a diagonal and a few directions."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._centred import Centred
from framejit.distributions.utils import lazy_property


class LowRankMultivariateNormal(Centred):
    """Covariance ``cov_factor @ cov_factor.T + diag(cov_diag)``; no matrix of that size is made."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        size = loc.shape[-1]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2] != size:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {size} x m")
        if cov_diag.shape[-1] != size:
            raise ValueError(f"cov_diag must be a batch of vectors with shape ({size},)")
        batch = fj.broadcast_shapes(tuple(loc.shape[:-1]), tuple(cov_factor.shape[:-2]), tuple(cov_diag.shape[:-1]))
        self.loc = loc.expand((*batch, -1))
        self.cov_factor = cov_factor.expand((*batch, -1, -1))
        self.cov_diag = cov_diag.expand((*batch, -1))
        super().__init__(batch, (size,), validate_args)
        # By Woodbury's formula: (W W' + D)^-1 = D^-1 - D^-1 W (1 + W' D^-1 W)^-1 W' D^-1.
        self._weighted = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        inner = self._weighted @ self.cov_factor
        identity = fj.eye(inner.shape[-1], dtype=inner.dtype)
        self._inner_factor = fj.linalg.cholesky(inner + identity)

    @lazy_property
    def variance(self) -> Tensor:
        return self.cov_factor.square().sum(-1) + self.cov_diag

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        return self.cov_factor @ self.cov_factor.mT + self.cov_diag.diag_embed()

    @lazy_property
    def scale_tril(self) -> Tensor:
        return fj.linalg.cholesky(self.covariance_matrix)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        solved = fj.linalg.solve_triangular(self._inner_factor, self._weighted, upper=False)
        return self.cov_diag.reciprocal().diag_embed() - solved.mT @ solved

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        few = fj.randn((*shape[:-1], self.cov_factor.shape[-1]), dtype=self.loc.dtype)
        directions = (self.cov_factor @ few.unsqueeze(-1)).squeeze(-1)
        return self.loc + directions + self.cov_diag.sqrt() * fj.randn(shape, dtype=self.loc.dtype)

    def _log_det(self) -> Tensor:
        return 2 * self._inner_factor.diagonal(dim1=-2, dim2=-1).log().sum(-1) + self.cov_diag.log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        difference = value - self.loc
        along = self._weighted @ difference.unsqueeze(-1)
        along = fj.linalg.solve_triangular(self._inner_factor, along, upper=False).squeeze(-1)
        distance = (difference.square() / self.cov_diag).sum(-1) - along.square().sum(-1)
        return -0.5 * (self.event_shape[0] * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self) -> Tensor:
        return 0.5 * (self.event_shape[0] * (1 + math.log(2 * math.pi)) + self._log_det())
