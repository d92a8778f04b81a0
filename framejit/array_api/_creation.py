"""New arrays."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit._C import dtype as DType
from framejit.array_api._types import Device, Scalar, is_complex, promote

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

Shape = int | Sequence[int]


def _shape(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    device: Device = None,
) -> Tensor:
    first, last = (0, start) if stop is None else (start, stop)
    if (last - first) / step <= 0:
        if dtype is None:
            floats = builtins.any(isinstance(x, float) for x in (first, last, step))
            dtype = fj.get_default_dtype() if floats else fj.int64
        return fj.empty((0,), dtype=dtype, device=device)
    return fj.arange(first, last, step, dtype=dtype, device=device)


def asarray(
    obj: Any, /, *, dtype: DType | None = None, device: Device = None, copy: builtins.bool | None = None
) -> Tensor:
    source = obj if isinstance(obj, Tensor) else _from_object(obj, dtype, copy)
    result = source if dtype is None else source.to(dtype)
    if device is not None:
        result = result.to(device)
    if copy is False and isinstance(obj, Tensor) and result is not obj:
        raise ValueError("asarray: got copy=False, but another dtype needs a copy")
    return result.clone() if copy and result is obj else result


def _from_object(obj: Any, dtype: DType | None, copy: builtins.bool | None) -> Tensor:
    if copy is False and isinstance(obj, (builtins.bool, int, float, complex, list, tuple)):
        raise ValueError("asarray: got copy=False, but Python numbers have to be copied")
    return (
        fj.tensor(obj, dtype=dtype)
        if copy or isinstance(obj, (list, tuple, int, float, complex))
        else fj.as_tensor(obj)
    )


def from_dlpack(x: Any, /, *, device: Device = None, copy: builtins.bool | None = None) -> Tensor:
    result = fj.from_dlpack(x)
    if device is not None:
        result = result.to(device)
    return result.clone() if copy else result


def empty(shape: Shape, *, dtype: DType | None = None, device: Device = None) -> Tensor:
    return fj.empty(_shape(shape), dtype=dtype, device=device)


def zeros(shape: Shape, *, dtype: DType | None = None, device: Device = None) -> Tensor:
    return fj.zeros(_shape(shape), dtype=dtype, device=device)


def ones(shape: Shape, *, dtype: DType | None = None, device: Device = None) -> Tensor:
    return fj.ones(_shape(shape), dtype=dtype, device=device)


def full(shape: Shape, fill_value: Scalar, *, dtype: DType | None = None, device: Device = None) -> Tensor:
    return fj.full(_shape(shape), fill_value, dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: DType | None = None, device: Device = None) -> Tensor:
    return fj.empty_like(x, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: DType | None = None, device: Device = None) -> Tensor:
    return fj.zeros_like(x, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: DType | None = None, device: Device = None) -> Tensor:
    return fj.ones_like(x, dtype=dtype, device=device)


def full_like(
    x: Tensor, /, fill_value: Scalar, *, dtype: DType | None = None, device: Device = None
) -> Tensor:
    return fj.full_like(x, fill_value, dtype=dtype, device=device)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DType | None = None,
    device: Device = None,
) -> Tensor:
    columns = n_rows if n_cols is None else n_cols
    offset = max(-n_rows, min(k, columns))  # any further and the diagonal is outside all the same
    on_diagonal = fj.arange(n_rows).unsqueeze(1) + offset == fj.arange(columns)
    result = on_diagonal.to(dtype or fj.get_default_dtype())
    return result if device is None else result.to(device)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: DType | None = None,
    device: Device = None,
    endpoint: builtins.bool = True,
) -> Tensor:
    if isinstance(start, complex) or isinstance(stop, complex) or (dtype is not None and is_complex(dtype)):
        return _complex_linspace(complex(start), complex(stop), num, dtype, endpoint)
    if endpoint or num == 0:
        return fj.linspace(start, stop, num, dtype=dtype, device=device)
    return fj.linspace(start, stop, num + 1, dtype=dtype, device=device)[:-1]


def _complex_linspace(
    start: complex, stop: complex, num: int, dtype: DType | None, endpoint: builtins.bool
) -> Tensor:
    dtype = dtype or (fj.complex128 if fj.get_default_dtype() is fj.float64 else fj.complex64)
    part = fj.float64 if dtype is fj.complex128 else fj.float32
    real = linspace(start.real, stop.real, num, dtype=part, endpoint=endpoint)
    return fj.complex(real, linspace(start.imag, stop.imag, num, dtype=part, endpoint=endpoint))


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: got indexing {indexing!r}, expected 'xy' or 'ij'")
    return list(fj.meshgrid(*promote(*arrays), indexing=indexing))


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    return fj.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    return fj.triu(x, k)
