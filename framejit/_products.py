"""Functions of ``fj`` whose arguments have no schema in the op table: nested lists, or a choice of results."""

from __future__ import annotations

from collections.abc import Sequence

from framejit import _C, Tensor


def _as_list(dims: int | Sequence[int]) -> list[int]:
    return [dims] if isinstance(dims, int) else list(dims)


def tensordot(
    a: Tensor, b: Tensor, dims: int | Tensor | Sequence[Sequence[int]] | Sequence[int] = 2
) -> Tensor:
    """Sum of products over the last ``dims`` dims of ``a`` and the first of ``b``, or over the dims in two lists."""
    given = dims.tolist() if isinstance(dims, Tensor) else dims
    if isinstance(given, int):
        return _C.ops.tensordot(a, b, given)
    first, second = (_as_list(entry) for entry in given)
    if len(first) != len(second):
        raise RuntimeError(f"both dimension lists should have same length, got {first} and {second}")
    count = len(first)
    return _C.ops.tensordot(
        a.movedim(first, list(range(-count, 0))), b.movedim(second, list(range(count))), count
    )


def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    """LU and pivots of :func:`framejit.linalg.lu_factor_ex`, and its info if asked for."""
    factors, pivots, info = _C.linalg.lu_factor_ex(A, pivot=pivot)
    return (factors, pivots, info) if get_infos else (factors, pivots)
