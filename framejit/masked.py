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


def _filled(input: Tensor, mask: Tensor | None, identity: float | Callable[..., float]) -> Tensor:
    """``input`` with ``identity`` (or what this makes of the dtype) where the mask is false."""
    if mask is None:
        return input
    if callable(identity):
        identity = identity(input.dtype)
    if mask.dtype != fj.bool:
        raise TypeError(f"masked: expected a bool mask, got {mask.dtype}")
    return fj.where(mask, input, fj.tensor(identity, dtype=input.dtype, device=input.device))


def _cast(input: Tensor, dtype: Any) -> Tensor:
    return input if dtype is None else input.to(dtype)


def _all_dims(input: Tensor, dim: _Dims) -> list[int]:
    if dim is None:
        return list(range(input.dim()))
    return [dim] if isinstance(dim, int) else list(dim)


def _least(dtype: Any) -> float:
    """The number below all others."""
    if dtype == fj.bool:
        raise NotImplementedError(f"masked: no identity for {dtype} input")
    return -float("inf") if dtype.is_floating_point or dtype.is_complex else fj.iinfo(dtype).min


def _largest(dtype: Any) -> float:
    if dtype == fj.bool:
        raise NotImplementedError(f"masked: no identity for {dtype} input")
    return float("inf") if dtype.is_floating_point else fj.iinfo(dtype).max


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
    return _filled(_cast(input, dtype), mask, _least).amax(_all_dims(input, dim), bool(keepdim))


def amin(
    input: Tensor, dim: _Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    return _filled(_cast(input, dtype), mask, _largest).amin(_all_dims(input, dim), bool(keepdim))


def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index, in the dtype of ``input``, as PyTorch has it."""
    input = _cast(input, dtype)
    return fj.argmax(_filled(input, mask, _least), dim, bool(keepdim)).to(input.dtype)


def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index, in the dtype of ``input``, as PyTorch has it."""
    input = _cast(input, dtype)
    return fj.argmin(_filled(input, mask, _largest), dim, bool(keepdim)).to(input.dtype)


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
        return _filled(input, mask, float("nan")).nanmedian(dim, keepdim)[0]
    if (_counts(input, [dim], mask) == 0).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return _filled(input.to(fj.float64), mask, float("nan")).nanmedian(dim, keepdim)[0].to(input.dtype)


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
    identity = float("inf") if order == -float("inf") else 0.0
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
    return _dropped(squares.sum(dims, keepdim=True) / left, dims, keepdim).to(input.dtype)


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
    """In the dtype of ``input``, an integer's too, as PyTorch has it."""
    input = _cast(input, dtype)
    return fj.logsumexp(_filled(input, mask, _least), _all_dims(input, dim), keepdim).to(input.dtype)


# --- along a dim, in the shape of the input -----------------------------------------------------------------------------


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    return _filled(input, mask, 0).cumsum(dim, dtype=input.dtype if dtype is None else dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    return _filled(input, mask, 1).cumprod(dim, dtype=input.dtype if dtype is None else dtype)


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
