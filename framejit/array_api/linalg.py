"""Linear algebra of the standard; its results in named tuples."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, NamedTuple

import framejit as fj
from framejit import Tensor
from framejit._C import dtype as DType
from framejit.array_api._types import Axes, axes_of, is_complex, promote
from framejit.functional import tensordot as _tensordot

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor


# --- products ---------------------------------------------------------------------------------------------------------
def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    return fj.matmul(*promote(x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: got {x.ndim} dimension(s), expected at least 2")
    return fj.transpose(x, -2, -1)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    return fj.outer(*promote(x1, x2))


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    first, second = promote(x1, x2)
    return _tensordot(first, second, axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    first, second = promote(x1, x2)
    if not -min(first.ndim, second.ndim) <= axis <= -1:
        raise ValueError(
            f"vecdot: got axis {axis}, expected one of the last dims of both arrays, counted from the end"
        )
    if first.shape[axis] != second.shape[axis]:
        raise ValueError(f"vecdot: got sizes {first.shape[axis]} and {second.shape[axis]} along axis {axis}")
    product = (fj.conj(first) if is_complex(first.dtype) else first) * second
    return product.sum(axis, dtype=product.dtype)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    first, second = promote(x1, x2)
    ndim = max(first.ndim, second.ndim)
    for x in (first, second):
        if not -x.ndim <= axis < 0 or x.shape[axis] != 3:
            raise ValueError(f"cross: got shape {tuple(x.shape)}, expected size 3 along axis {axis}")
    padded = [x.reshape((1,) * (ndim - x.ndim) + tuple(x.shape)) for x in (first, second)]
    return fj.linalg.cross(*padded, dim=axis)


# --- equations and factorizations -------------------------------------------------------------------------------------
def cholesky(x: Tensor, /, *, upper: builtins.bool = False) -> Tensor:
    return fj.linalg.cholesky(x, upper=upper)


def det(x: Tensor, /) -> Tensor:
    return fj.linalg.det(x)


def inv(x: Tensor, /) -> Tensor:
    return fj.linalg.inv(x)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """``x2`` is a vector only if it has one dimension; else it holds matrices."""
    first, second = promote(x1, x2)
    if second.ndim == 1:
        return fj.linalg.solve(first, second.unsqueeze(-1)).squeeze(-1)
    batch = _broadcast_shape(first.shape[:-2], second.shape[:-2])
    return fj.linalg.solve(
        first.expand((*batch, *first.shape[-2:])), second.expand((*batch, *second.shape[-2:]))
    )


def _broadcast_shape(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    return tuple(fj.broadcast_tensors([fj.empty(tuple(first)), fj.empty(tuple(second))])[0].shape)


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    return fj.linalg.pinv(x, rtol=rtol)


def eigh(x: Tensor, /) -> EighResult:
    return EighResult(*fj.linalg.eigh(x))


def eigvalsh(x: Tensor, /) -> Tensor:
    return fj.linalg.eigvalsh(x)


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    return QRResult(*fj.linalg.qr(x, mode))


def slogdet(x: Tensor, /) -> SlogdetResult:
    return SlogdetResult(*fj.linalg.slogdet(x))


def svd(x: Tensor, /, *, full_matrices: builtins.bool = True) -> SVDResult:
    return SVDResult(*fj.linalg.svd(x, full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    return fj.linalg.svdvals(x)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    return fj.linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    return fj.linalg.matrix_rank(x, rtol=rtol)


# --- norms, diagonals -------------------------------------------------------------------------------------------------
def matrix_norm(x: Tensor, /, *, keepdims: builtins.bool = False, ord: Any = "fro") -> Tensor:
    return fj.linalg.matrix_norm(x, ord, (-2, -1), keepdims)


def vector_norm(
    x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False, ord: float = 2
) -> Tensor:
    axes = axes_of(axis, x.ndim)
    if axes:
        return fj.linalg.vector_norm(x, ord, axes, keepdims)
    return fj.linalg.vector_norm(x.unsqueeze(-1), ord, -1)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    return fj.diagonal(x, offset, -2, -1)


def trace(x: Tensor, /, *, offset: int = 0, dtype: DType | None = None) -> Tensor:
    return fj.diagonal(x, offset, -2, -1).sum(-1, dtype=dtype)
