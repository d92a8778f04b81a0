"""Random tensors of any dtype."""

from __future__ import annotations

from typing import Any

import framejit as fj
from framejit import Tensor


def make_tensor(
    *shape: Any,
    dtype: fj.dtype,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of numbers drawn evenly from ``[low, high)`` (default: -9 to 9, integers to 10; uint8 from 0; bools).

    Args:
        noncontiguous: every second element of a tensor with twice the last dim.
        exclude_zero: zeros are replaced by the smallest positive number (1 for integers).
    """
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, "
            f"but got {noncontiguous=} and {memory_format=}"
        )
    sizes = list(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else list(shape)
    stretch = noncontiguous and bool(sizes) and fj.Size(sizes).numel() > 1
    if stretch:
        sizes[-1] *= 2
    result = _fill(sizes, dtype, low, high).to(device)
    if exclude_zero:
        smallest = fj.finfo(dtype).tiny if dtype.is_floating_point or dtype.is_complex else 1
        result = fj.where(result == 0, fj.tensor(smallest, dtype=dtype), result)
    if stretch:
        result = result[..., ::2]
    elif memory_format is not None:
        result = result.contiguous(memory_format=memory_format)
    return result.requires_grad_(requires_grad)


def _fill(sizes: list[int], dtype: fj.dtype, low: float | None, high: float | None) -> Tensor:
    if dtype == fj.bool:
        return fj.randint(0, 2, sizes, dtype=dtype)
    inexact = dtype.is_floating_point or dtype.is_complex
    low = (0 if dtype == fj.uint8 else -9) if low is None else low
    high = (9 if inexact else 10) if high is None else high
    if not low < high:
        raise ValueError(f"make_tensor: got low={low} and high={high}, expected low < high")
    if dtype.is_complex:
        part = fj.float32 if dtype == fj.complex64 else fj.float64
        return fj.complex(_fill(sizes, part, low, high), _fill(sizes, part, low, high))
    if dtype.is_floating_point:
        return fj.empty(sizes, dtype=dtype).uniform_(low, high)
    return fj.randint(int(low), int(high), sizes, dtype=dtype)
