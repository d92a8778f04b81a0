"""Factors of low rank by random projections, and products with Householder reflections."""

from __future__ import annotations

from framejit import _C
from framejit._C import Tensor, ops


def _range_basis(A: Tensor, count: int, rounds: int) -> Tensor:
    """Orthonormal columns that nearly span the range of ``A``: Halko, Martinsson, Tropp (2011), algorithm 4.4."""
    start = ops.randn((A.size(-1), count), dtype=A.dtype, device=A.device)
    basis = _C.linalg.qr(A @ start)[0]
    for _ in range(rounds):
        back = _C.linalg.qr(A.mH @ basis)[0]
        basis = _C.linalg.qr(A @ back)[0]
    return basis


def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """``U``, ``S`` and ``V`` of the ``q`` largest singular values of ``A`` (or of ``A - M``), approximately.

    Args:
        q: a little more than the rank that is wanted.
        niter: rounds of subspace iteration, which make the result more accurate.
        M: what is subtracted from ``A`` first, in its shape or one that broadcasts to it.
    """
    matrix = A if M is None else A - M
    wide = matrix.size(-2) < matrix.size(-1)
    if wide:
        matrix = matrix.mH
    basis = _range_basis(matrix, 6 if q is None else q, 2 if niter is None else niter)
    left, values, right = _C.linalg.svd(basis.mH @ matrix, full_matrices=False)
    left, right = basis @ left, right.mH
    return (right, values, left) if wide else (left, values, right)


def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """Principal components of the rows of ``A``: :func:`svd_lowrank` of ``A`` without the mean of its rows if ``center``.

    Raises:
        ValueError: ``q`` or ``niter`` is out of range.
    """
    rows, columns = A.shape[-2:]
    wanted = min(6, rows, columns) if q is None else q
    if not 0 <= wanted <= min(rows, columns):
        raise ValueError(
            f"q(={wanted}) must be non-negative integer and not greater than min(m, n)={min(rows, columns)}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if not (A.is_floating_point() or A.is_complex()):
        raise ValueError(f"input must have a floating or complex dtype, got {A.dtype}")
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, wanted, niter)


def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor,
    left: bool = True,
    transpose: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """``Q @ other`` (``other @ Q`` unless ``left``), Q being the whole product of the reflections that ``input`` and ``tau``
    hold; of its conjugate transpose with ``transpose``."""
    if input.dim() < 2 or other.dim() < 2:
        raise RuntimeError(
            "torch.ormqr: input and other must have at least 2 dimensions, "
            f"got shapes {tuple(input.shape)} and {tuple(other.shape)}"
        )
    side = other.size(-2 if left else -1)
    if input.size(-2) != side:
        raise RuntimeError(
            f"torch.ormqr: other.shape[{-2 if left else -1}] must be equal to input.shape[-2]"
        )
    if tau.size(-1) > side:
        raise RuntimeError(
            f"torch.ormqr: other.shape[{-2 if left else -1}] must be greater than or equal to tau.shape[-1]"
        )
    if tau.shape != (*input.shape[:-2], min(input.shape[-2:])):
        raise RuntimeError(
            f"torch.ormqr: tau must have shape {(*input.shape[:-2], min(input.shape[-2:]))}, got {tuple(tau.shape)}"
        )
    missing = side - input.size(-1)
    columns = (
        ops.cat([input, input.new_zeros(*input.shape[:-1], missing)], -1) if missing > 0 else input[..., :side]
    )
    q = _C.linalg.householder_product(columns, tau)
    result = (q.mH if transpose else q) @ other if left else other @ (q.mH if transpose else q)
    return result if out is None else ops.add(result, 0, out=out)
