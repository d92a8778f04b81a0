"""``torch.masked``: reductions and normalisations over the elements where ``mask`` is true; without a mask, over all.

``mask`` is a bool tensor that broadcasts with ``input``. An element that is left out counts as the identity of the function
(0 in a sum, minus infinity in a maximum), which is also the result over no elements at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import framejit as fj
from framejit import Tensor

_Dims = int | Sequence[int] | None


def _filled(input: Tensor, mask: Tensor | None, identity: float) -> Tensor:
    """``input`` with ``identity`` where the mask is false."""
    if mask is None:
        return input
    if mask.dtype != fj.bool:
        raise TypeError(f"masked: expected a bool mask, got {mask.dtype}")
    return fj.where(mask, input, fj.tensor(identity, dtype=input.dtype, device=input.device))


def _cast(input: Tensor, dtype: Any) -> Tensor:
    return input if dtype is None else input.to(dtype)


def _all_dims(input: Tensor, dim: _Dims) -> list[int]:
    if dim is None:
        return list(range(input.dim()))
    return [dim] if isinstance(dim, int) else list(dim)


def _extreme(dtype: Any, largest: bool, name: str) -> float:
    """The number that no other exceeds in the direction asked for."""
    if dtype == fj.bool:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    if dtype.is_floating_point:
        return float("inf") if largest else -float("inf")
    info = fj.iinfo(dtype)
    return info.max if largest else info.min


def _counts(input: Tensor, dims: list[int], mask: Tensor | None) -> Tensor:
    """How many elements are reduced to one, as an int64 tensor with the reduced dims kept."""
    chosen = fj.ones(input.shape, dtype=fj.bool, device=input.device)
    return (chosen if mask is None else chosen & mask).sum(dims, keepdim=True)


# --- reductions -------------------------------------------------------------------------------------------------------


def sum(
    input: Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    return _filled(input, mask, 0).sum(_all_dims(input, dim), keepdim=bool(keepdim), dtype=dtype)


def prod(
    input: Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    result = _filled(input, mask, 1)
    if dtype is not None or not (input.is_floating_point() or input.is_complex()):
        result = result.to(fj.int64 if dtype is None else dtype)
    dims = sorted(d % max(input.dim(), 1) for d in _all_dims(input, dim))
    for d in dims[::-1]:  # the last first, so that the others keep their places
        result = result.prod(d, keepdim=bool(keepdim))
    return result


def amax(
    input: Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    input = _cast(input, dtype)
    least = _extreme(input.dtype, False, "amax")
    return _filled(input, mask, least).amax(_all_dims(input, dim), bool(keepdim))


def amin(
    input: Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    input = _cast(input, dtype)
    largest = _extreme(input.dtype, True, "amin")
    return _filled(input, mask, largest).amin(_all_dims(input, dim), bool(keepdim))


def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    input = _cast(input, dtype)
    return fj.argmax(_filled(input, mask, _extreme(input.dtype, False, "argmax")), dim, bool(keepdim))


def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    input = _cast(input, dtype)
    return fj.argmin(_filled(input, mask, _extreme(input.dtype, True, "argmin")), dim, bool(keepdim))


def mean(
    input: Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    input = _cast(input, dtype)
    if not (input.is_floating_point() or input.is_complex()):
        raise ValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {input.dtype}"
        )
    dims = _all_dims(input, dim)
    if mask is None:
        return input.mean(dims, bool(keepdim))
    total = sum(input, dims, keepdim=True, mask=mask)
    return _dropped(total / _counts(input, dims, mask), dims, keepdim)


def median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The lower of two middle elements; NaN over no elements."""
    input = _cast(input, dtype)
    if mask is None or input.is_floating_point():
        return _filled(input, mask, float("nan")).nanmedian(dim, keepdim).values
    if (_counts(input, [dim], mask) == 0).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return _filled(input.to(fj.float64), mask, float("nan")).nanmedian(dim, keepdim).values.to(input.dtype)


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: _Dims = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    order = 2.0 if ord is None else float(ord)
    identity = float("inf") if order < 0 else 0.0
    filled = _filled(_cast(input, dtype), mask, identity)
    return fj.linalg.vector_norm(filled, order, _all_dims(input, dim), bool(keepdim))


def _dropped(result: Tensor, dims: list[int], keepdim: bool | None) -> Tensor:
    return result if keepdim or not dims else result.squeeze(dims)


def _variance(
    name: str,
    input: Tensor,
    dim: _Dims,
    unbiased: bool | None,
    correction: float | None,
    keepdim: bool,
    dtype: Any,
    mask: Tensor | None,
) -> Tensor:
    if unbiased is not None and correction is not None:
        raise ValueError(f"{name}(): Only one of unbiased and correction may be given")
    removed = correction if correction is not None else 0 if unbiased is False else 1
    if not (input.is_floating_point() or input.is_complex()):
        input = input - fj.zeros_like(input)  # bools have no difference
        input = input.to(fj.get_default_dtype() if dtype is None else dtype)
    input = _cast(input, dtype)
    dims = _all_dims(input, dim)
    count = _counts(input, dims, mask)
    distance = _filled(input - sum(input, dims, keepdim=True, mask=mask) / count, mask, 0)
    squares = (distance * distance.conj()).real if input.is_complex() else distance.square()
    left = (count - removed).clamp_min(0)
    return _dropped(squares.sum(dims, keepdim=True) / left, dims, keepdim)


def var(
    input: Tensor,
    dim: _Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    return _variance("var", input, dim, unbiased, correction, keepdim, dtype, mask)


def std(
    input: Tensor,
    dim: _Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    return _variance("std", input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def logsumexp(
    input: Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    input = _cast(input, dtype)
    least = _extreme(input.dtype, False, "logsumexp")
    return fj.logsumexp(_filled(input, mask, least), _all_dims(input, dim), keepdim)


# --- along a dim, in the shape of the input -----------------------------------------------------------------------------


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    return _filled(input, mask, 0).cumsum(dim, dtype=dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    return _filled(input, mask, 1).cumprod(dim, dtype=dtype)


def _softened(
    function: Callable[..., Tensor],
    identity: float,
    input: Tensor,
    dim: int,
    dtype: Any,
    mask: Tensor | None,
) -> Tensor:
    if not input.is_floating_point():
        input = input.to(fj.get_default_dtype() if dtype is None else dtype)
    return function(_filled(_cast(input, dtype), mask, identity), dim)


def softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    return _softened(fj.softmax, -float("inf"), input, dim, dtype, mask)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    return _softened(fj.log_softmax, -float("inf"), input, dim, dtype, mask)


def softmin(input: Tensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    return _softened(fj.nn.functional.softmin, float("inf"), input, dim, dtype, mask)


def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    input = _cast(input, dtype)
    length = norm(input, ord, dim, keepdim=True, mask=mask)
    return _filled(input, mask, 0) / length.clamp_min(eps)


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: Any = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    least = -float("inf")
    return fj.logaddexp(
        _filled(_cast(input, dtype), input_mask, least), _filled(_cast(other, dtype), other_mask, least)
    )
