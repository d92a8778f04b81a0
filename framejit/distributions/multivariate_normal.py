"""Normal distributions of vectors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._centred import Centred
from framejit.distributions._covariance import CovarianceDistribution, one_matrix
from framejit.distributions.utils import _standard_normal


class MultivariateNormal(Centred, CovarianceDistribution):
    """Mean ``loc`` and one of: covariance matrix, its inverse (precision matrix), its Cholesky factor."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = one_matrix(
            covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
        )
        batch = fj.broadcast_shapes(tuple(matrix.shape[:-2]), tuple(loc.shape[:-1]))
        matrix = matrix.expand((*batch, -1, -1))
        self.loc = loc.expand((*batch, -1))
        setattr(self, name, matrix)
        super().__init__(batch, self.loc.shape[-1:], validate_args)
        self._factorize(name)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        size = self.event_shape[0]
        loc, factor = self.loc.expand((*batch_shape, size)), self._factor.expand((*batch_shape, size, size))
        return type(self)(loc, scale_tril=factor, validate_args=False)

    @property
    def variance(self) -> Tensor:
        return self._factor.pow(2).sum(-1)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        noise = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + (self._factor @ noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        difference = (value - self.loc).unsqueeze(-1)
        solved = fj.linalg.solve_triangular(self._factor, difference, upper=False).squeeze(-1)
        distance = solved.pow(2).sum(-1)
        return -0.5 * (self.event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_det()

    def entropy(self) -> Tensor:
        return 0.5 * self.event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
