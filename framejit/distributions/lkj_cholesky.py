"""Random correlation matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.beta import Beta
from framejit.distributions.distribution import Distribution
from framejit.distributions.utils import broadcast_all


class LKJCholesky(Distribution):
    """Lower Cholesky factors of correlation matrices M with density proportional to ``det(M)**(concentration - 1)``.

    Sampled by the onion method of Lewandowski, Kurowicka and Joe (2009).
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(self.concentration.shape, (dim, dim), validate_args)
        # Of each row the squared length left of the diagonal.
        rows = fj.cat([fj.zeros(1), fj.arange(dim - 1.0)]).to(self.concentration.dtype)
        marginal = (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1)
        self._squared_lengths = Beta(rows + 0.5, marginal - 0.5 * rows, validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return LKJCholesky(self.dim, self.concentration.expand(batch_shape), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with fj.no_grad():
            square = self._squared_lengths.sample(sample_shape).unsqueeze(-1)
            normal = fj.randn(self._extended_shape(sample_shape), dtype=square.dtype).tril(-1)
            direction = (normal / normal.norm(dim=-1, keepdim=True)).nan_to_num(0.0)  # the first row is zero
            factor = square.sqrt() * direction
            diagonal = (1 - factor.square().sum(-1)).clamp(min=fj.finfo(factor.dtype).tiny).sqrt()
            return factor + diagonal.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        n = self.dim
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + n - fj.arange(2, n + 1, dtype=value.dtype)
        unnormalized = (powers * value.diagonal(dim1=-1, dim2=-2)[..., 1:].log()).sum(-1)
        alpha = self.concentration + 0.5 * (n - 1)
        normalizer = 0.5 * (n - 1) * math.log(math.pi) + (alpha - 0.5).mvlgamma(n - 1) - alpha.lgamma() * (n - 1)
        return unnormalized - normalizer
