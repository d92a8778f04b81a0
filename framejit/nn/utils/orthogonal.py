"""Weights with orthonormal rows or columns, as a parametrisation."""

from __future__ import annotations

from typing import TypeVar

import framejit as fj
from framejit import Tensor
from framejit.nn.modules.module import Module
from framejit.nn.utils import parametrize

_M = TypeVar("_M", bound=Module)
MAPS = ("matrix_exp", "cayley", "householder")


def orthogonal(
    module: _M, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> _M:
    """Keeps a matrix, or a batch of them, orthogonal (unitary where complex); if not square, its columns or its rows.

    Args:
        orthogonal_map: how an unconstrained matrix becomes an orthogonal one: ``"matrix_exp"`` (default of square and
            complex ones), ``"cayley"`` or ``"householder"`` (default of others).
        use_trivialization: start at the present value, and multiply that with what the map gives: Lezcano Casado (2019).
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.dim() < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.dim()} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    if orthogonal_map == "householder" and weight.is_complex():
        raise ValueError("The householder parametrization does not support complex tensors.")
    parametrization = _Orthogonal(weight, orthogonal_map, use_trivialization)
    parametrize.register_parametrization(module, name, parametrization, unsafe=True)
    return module


class _Orthogonal(Module):
    """The maps, all made for tall matrices; wide ones are transposed on their way in and out."""

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape, self.orthogonal_map, self.trivial = weight.shape, orthogonal_map, use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        wide = X.shape[-2] < X.shape[-1]
        X = X.mT if wide else X
        Q = _reflections(X) if self.orthogonal_map == "householder" else self._of_skew(X)
        if self.trivial:
            Q = self.base @ Q
        return Q.mT if wide else Q

    def _of_skew(self, X: Tensor) -> Tensor:
        """By way of a skew-Hermitian matrix, that of the lower triangle."""
        n, k = X.shape[-2:]
        X = X.tril()
        if n != k:
            X = fj.cat([X, X.new_zeros((*X.shape[:-1], n - k))], -1)
        A = X - X.mH
        if self.orthogonal_map == "matrix_exp":
            return fj.linalg.matrix_exp(A)[..., :k]
        identity = fj.eye(n, dtype=A.dtype, device=A.device)
        return fj.linalg.solve(identity - 0.5 * A, identity + 0.5 * A)[..., :k]

    def right_inverse(self, Q: Tensor) -> Tensor:
        """What the map sends to ``Q``, or to the orthogonal factor of it."""
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}.")
        wide = Q.shape[-2] < Q.shape[-1]
        tall = Q.detach().mT if wide else Q.detach()
        n, k = tall.shape[-2:]
        if self.trivial:
            if n != k:
                tall = fj.cat([tall, fj.randn((*tall.shape[:-2], n, n - k), dtype=Q.dtype)], -1)
            self.base = tall.clone() if n == k and _is_orthogonal(tall) else _orthogonal_factor(tall)
            # The map of -1 times the identity is the identity: no multiples in the lower triangle, no reflections.
            start = fj.zeros_like(Q.detach())
            start.diagonal(dim1=-2, dim2=-1).fill_(-1)
            return start
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        vectors = _vectors_of(tall)
        return vectors.mT if wide else vectors


def _reflections(X: Tensor) -> Tensor:
    """The product of the reflections whose vectors stand below the diagonal, columns signed by the diagonal."""
    below = X.tril(-1)
    tau = 2 / (1 + (below * below).sum(-2))
    return fj.linalg.householder_product(below, tau) * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)


def _vectors_of(Q: Tensor) -> Tensor:
    """The inverse of :func:`_reflections`: vectors of the reflections that make a triangle of ``Q``, and signs."""
    rest, result = Q.clone(), fj.zeros_like(Q)
    for i in range(Q.shape[-1]):
        column = rest[..., i:, i]
        # Reflected onto the axis, away from where it stands, so that no digits cancel.
        sign = fj.where(column[..., :1] < 0, -1.0, 1.0).to(Q.dtype)
        pivot = column[..., :1] + sign * column.norm(dim=-1, keepdim=True)
        vector = fj.cat([fj.ones_like(pivot), column[..., 1:] / pivot], -1).unsqueeze(-1)
        tau = 2 / vector.square().sum(-2, keepdim=True)
        rest[..., i:, :] = rest[..., i:, :] - tau * vector * (vector.mT @ rest[..., i:, :])
        result[..., i:, i : i + 1] = vector
        result[..., i, i] = -sign.squeeze(-1)
    return result


def _orthogonal_factor(A: Tensor) -> Tensor:
    """That of the QR decomposition whose triangle has a positive diagonal."""
    Q, R = fj.linalg.qr(A)
    return Q * R.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def _is_orthogonal(Q: Tensor) -> bool:
    identity = fj.eye(Q.shape[-1], dtype=Q.dtype)
    return bool(fj.allclose(Q.mH @ Q, identity, atol=10 * Q.shape[-1] * fj.finfo(Q.dtype).eps))
