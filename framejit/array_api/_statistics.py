"""Reductions and scans."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit._C import dtype as DType
from framejit.array_api._types import Axes, axes_of, promote

__all__ = [
    "all",
    "any",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]


def _reduced(
    function: Callable[..., Tensor], x: Tensor, axis: Axes, keepdims: builtins.bool, **options: Any
) -> Tensor:
    """``function`` over the axes; no axes at all (an empty tuple) leave every element alone."""
    axes = axes_of(axis, x.ndim)
    if axes:
        return function(x, dim=axes, keepdim=keepdims, **options)
    return function(x.unsqueeze(-1), dim=[-1], **options)


def sum(
    x: Tensor, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: builtins.bool = False
) -> Tensor:
    return _reduced(fj.sum, x, axis, keepdims, dtype=dtype)


def prod(
    x: Tensor, /, *, axis: Axes = None, dtype: DType | None = None, keepdims: builtins.bool = False
) -> Tensor:
    return _reduced(fj.prod, x, axis, keepdims, dtype=dtype)


def mean(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    return _reduced(fj.mean, x, axis, keepdims)


def var(
    x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: builtins.bool = False
) -> Tensor:
    return _reduced(fj.var, x, axis, keepdims, correction=correction)


def std(
    x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: builtins.bool = False
) -> Tensor:
    return _reduced(fj.std, x, axis, keepdims, correction=correction)


def max(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    return _reduced(fj.amax, x, axis, keepdims)


def min(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    return _reduced(fj.amin, x, axis, keepdims)


def all(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    return _reduced(fj.all, x != 0, axis, keepdims)


def any(x: Tensor, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Tensor:
    return _reduced(fj.any, x != 0, axis, keepdims)


# --- scans ------------------------------------------------------------------------------------------------------------
def cumulative_sum(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: DType | None = None,
    include_initial: builtins.bool = False,
) -> Tensor:
    return _scanned(fj.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: DType | None = None,
    include_initial: builtins.bool = False,
) -> Tensor:
    return _scanned(fj.cumprod, 1, x, axis, dtype, include_initial)


def _scanned(
    function: Callable[..., Tensor],
    initial: int,
    x: Tensor,
    axis: int | None,
    dtype: DType | None,
    include_initial: builtins.bool,
) -> Tensor:
    if axis is None:
        if x.ndim > 1:
            raise ValueError(
                f"got an array of {x.ndim} dimensions without axis, expected a vector or an axis"
            )
        axis = 0
    vector = x.reshape(-1) if x.ndim == 0 else x
    result = function(vector, axis, dtype=dtype)
    if include_initial:
        shape = list(result.shape)
        shape[axis] = 1
        result = fj.cat([fj.full(shape, initial, dtype=result.dtype), result], axis)
    return result


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    parts = promote(*(part for part in (prepend, x, append) if part is not None))
    result = fj.cat(list(parts), axis) if len(parts) > 1 else x
    for _ in range(n):
        length = result.shape[axis]
        later, earlier = result.narrow(axis, 1, length - 1), result.narrow(axis, 0, length - 1)
        result = later != earlier if result.dtype is fj.bool else later - earlier
    return result
