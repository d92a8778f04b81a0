"""Limits of dtypes, ``finfo`` and ``iinfo``, and which of them hold each other's values: ``can_cast``."""

from __future__ import annotations

from typing import Any

from framejit import _C

_FLOATS = {  # bits, eps, max, smallest normal number, digits that always survive
    _C.float16: (16, 2.0**-10, (2 - 2.0**-10) * 2.0**15, 2.0**-14, 1e-3),
    _C.bfloat16: (16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126, 1e-2),
    _C.float32: (32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126, 1e-6),
    _C.float64: (64, 2.0**-52, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022, 1e-15),
}
_INTEGERS = {_C.uint8: (8, False), _C.int8: (8, True), _C.int16: (16, True), _C.int32: (32, True), _C.int64: (64, True)}


def _name(dtype: _C.dtype) -> str:
    return repr(dtype).removeprefix("framejit.")


def can_cast(from_: _C.dtype, to: _C.dtype) -> bool:
    """Whether results of dtype ``from_`` may be written to tensors of dtype ``to``: not from a higher category to a lower."""
    if from_.is_complex and not to.is_complex:
        return False
    if from_.is_floating_point and not (to.is_floating_point or to.is_complex):
        return False
    return to is not _C.bool or from_ is _C.bool


class finfo:
    """Limits of a floating-point dtype, or of the parts of a complex one: bits, eps, max, min, tiny, smallest_normal, resolution."""

    def __init__(self, dtype: _C.dtype | None = None) -> None:
        dtype = (dtype or _C.get_default_dtype()).to_real()
        if dtype not in _FLOATS:
            raise TypeError(f"finfo() requires a floating point input type, got {dtype}. Try iinfo.")
        self.bits, self.eps, self.max, self.tiny, self.resolution = _FLOATS[dtype]
        self.smallest_normal = self.tiny
        self.min = -self.max
        self.dtype = _name(dtype)

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


class iinfo:
    """Limits of an integer dtype: bits, max, min."""

    def __init__(self, dtype: _C.dtype) -> None:
        if dtype not in _INTEGERS:
            raise TypeError(f"iinfo() requires an integer input type, got {dtype}. Try finfo.")
        self.bits, signed = _INTEGERS[dtype]
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0
        self.dtype = _name(dtype)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)
