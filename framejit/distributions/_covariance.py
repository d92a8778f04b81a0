"""What distributions share that are given a covariance matrix, its inverse, or its Cholesky factor."""

from __future__ import annotations

import framejit as fj
from framejit import Tensor
from framejit.distributions.distribution import Distribution
from framejit.distributions.utils import lazy_property


def one_matrix(**given: Tensor | None) -> tuple[str, Tensor]:
    """The name and value of the one argument that is given, of shape ``(..., n, n)``. Raises ValueError otherwise."""
    matrices = [(name, matrix) for name, matrix in given.items() if matrix is not None]
    if len(matrices) != 1:
        raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    name, matrix = matrices[0]
    if matrix.dim() < 2:
        raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
    return name, matrix


def _cholesky_of_inverse(precision: Tensor) -> Tensor:
    """The lower Cholesky factor of a matrix's inverse, without inverting the matrix."""
    flipped = fj.linalg.cholesky(precision.flip((-2, -1))).flip((-2, -1)).mT
    identity = fj.eye(precision.shape[-1], dtype=precision.dtype)
    return fj.linalg.solve_triangular(flipped, identity.expand(precision.shape), upper=False)


class CovarianceDistribution(Distribution):
    """The three matrices, each computed when it is first asked for, from the Cholesky factor of the covariance."""

    _factor: Tensor

    def _factorize(self, name: str) -> None:
        """Sets the factor, from the matrix that was given and that is an attribute already."""
        matrix = getattr(self, name)
        if name == "scale_tril":
            self._factor = matrix
        else:
            self._factor = fj.linalg.cholesky(matrix) if name == "covariance_matrix" else _cholesky_of_inverse(matrix)

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._factor

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        return self._factor @ self._factor.mT

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return fj.linalg.inv(self.covariance_matrix)

    def _half_log_det(self) -> Tensor:
        return self._factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
