"""Sorting, searching, and arrays as sets."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

import framejit as fj
from framejit import Tensor
from framejit.array_api._types import Axes, is_complex, promote

__all__ = [
    "argmax",
    "argmin",
    "argsort",
    "count_nonzero",
    "nonzero",
    "searchsorted",
    "sort",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "where",
]


# --- sorting ----------------------------------------------------------------------------------------------------------
def sort(
    x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True
) -> Tensor:
    return fj.sort(x, axis, descending, stable=stable)[0]


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True
) -> Tensor:
    return fj.sort(x, axis, descending, stable=stable)[1]


# --- searching --------------------------------------------------------------------------------------------------------
def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    return _extreme_index(fj.argmax, x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    return _extreme_index(fj.argmin, x, axis, keepdims)


def _extreme_index(function: Any, x: Tensor, axis: int | None, keepdims: builtins.bool) -> Tensor:
    result: Tensor = function(x, axis, keepdims)
    return result.reshape((1,) * x.ndim) if keepdims and axis is None else result


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    if x.ndim == 0:
        raise ValueError("nonzero: got an array without dimensions, expected at least one")
    return fj.nonzero(x, as_tuple=True)


def count_nonzero(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    return (x != 0).sum(axis, keepdims) if axis is not None else _all_axes((x != 0).sum(), x.ndim, keepdims)


def _all_axes(result: Tensor, ndim: int, keepdims: builtins.bool) -> Tensor:
    return result.reshape((1,) * ndim) if keepdims else result


def searchsorted(x1: Tensor, x2: Tensor, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    edges, values = promote(x1, x2)
    if sorter is not None:
        edges = fj.index_select(edges, 0, sorter.to(fj.int64))
    return fj.searchsorted(edges, values, right=side == "right")


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    first, second = promote(x1, x2)
    return fj.where(condition, first, second)


# --- sets -------------------------------------------------------------------------------------------------------------
class UniqueAll(NamedTuple):
    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    values: Tensor
    inverse_indices: Tensor


def _order(flat: Tensor) -> Tensor:
    """Indices that sort, stably; complex numbers by real, then imaginary part."""
    if not is_complex(flat.dtype):
        return fj.sort(flat, stable=True)[1]
    by_imaginary = _order(fj.imag(flat))
    return by_imaginary[_order(fj.real(flat)[by_imaginary])]


def unique_all(x: Tensor, /) -> UniqueAll:
    """The different values, the first index of each (in the flattened array), which of them each element is, and how often
    each is there. Every NaN is a value of its own."""
    flat = x.reshape(-1)
    order = _order(flat)
    ordered = flat[order]
    is_first = fj.ones(flat.shape, dtype=fj.bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    starts = fj.nonzero(is_first).reshape(-1)
    ends = fj.cat([starts[1:], fj.tensor([flat.shape[0]])]) if starts.numel() else starts
    inverse = fj.empty_like(order)
    inverse[order] = is_first.to(fj.int64).cumsum(0) - 1
    return UniqueAll(ordered[starts], order[starts], inverse.reshape(x.shape), ends - starts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    return unique_all(x).values
