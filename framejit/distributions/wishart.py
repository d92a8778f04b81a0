"""Random positive definite matrices."""

from __future__ import annotations

import math
import warnings
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._covariance import CovarianceDistribution, one_matrix
from framejit.distributions.gamma import Gamma


class Wishart(CovarianceDistribution):
    """The sum of ``df`` outer products of normal vectors of a covariance, that is given as it is, as its inverse, or as
    its Cholesky factor. ``df`` need be no integer."""

    support = constraints.positive_definite
    has_rsample = True

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = one_matrix(
            covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
        )
        df = fj.as_tensor(df, dtype=matrix.dtype)
        batch = fj.broadcast_shapes(tuple(matrix.shape[:-2]), tuple(df.shape))
        self.df, matrix = df.expand(batch), matrix.expand((*batch, -1, -1))
        size = matrix.shape[-1]
        if bool((self.df <= size - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        if bool((self.df < size).any()):
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        setattr(self, name, matrix)
        super().__init__(batch, matrix.shape[-2:], validate_args)
        self._factorize(name)

    @property
    def arg_constraints(self) -> dict[str, Any]:  # type: ignore[override]
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._size - 1),
        }

    @property
    def _size(self) -> int:
        names = ("covariance_matrix", "precision_matrix", "scale_tril")
        return next(self.__dict__[name].shape[-1] for name in names if name in self.__dict__)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        factor = self._factor.expand((*batch_shape, *self.event_shape))
        return type(self)(self.df.expand(batch_shape), scale_tril=factor, validate_args=False)

    @property
    def mean(self) -> Tensor:
        return self.df[..., None, None] * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self._size - 1
        return factor.masked_fill(factor <= 0, fj.nan)[..., None, None] * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        return self.df[..., None, None] * (covariance.square() + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Bartlett's decomposition: chi-squared values on the diagonal of a factor, normal ones below it."""
        size, factor = self._size, self._factor
        halves = 0.5 * (self.df.unsqueeze(-1) - fj.arange(size, dtype=factor.dtype))
        squares = Gamma(halves, fj.full_like(halves, 0.5), False).rsample(sample_shape)
        diagonal = squares.clamp(min=fj.finfo(factor.dtype).tiny).sqrt().diag_embed()
        below = fj.randn(self._extended_shape(sample_shape), dtype=factor.dtype).tril(-1)
        root = factor @ (diagonal + below)
        return root @ root.mT

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        nu, size = self.df, self._size
        normalizer = nu * (size * math.log(2) / 2 + self._half_log_det()) + (nu / 2).mvlgamma(size)
        trace = fj.cholesky_solve(value, self._factor).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (nu - size - 1) / 2 * fj.linalg.slogdet(value)[1] - trace / 2 - normalizer

    def entropy(self) -> Tensor:
        nu, size = self.df, self._size
        digammas = (nu.unsqueeze(-1) / 2 - fj.arange(size, dtype=nu.dtype) / 2).digamma().sum(-1)
        return (
            (size + 1) * (size * math.log(2) / 2 + self._half_log_det())
            + (nu / 2).mvlgamma(size)
            - (nu - size - 1) / 2 * digammas
            + nu * size / 2
        )
