"""Dtypes, promotion and limits; what the other files of the namespace share."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, TypeAlias

import framejit as fj
from framejit import Tensor
from framejit._C import dtype as DType

Device: TypeAlias = "fj.device | str | None"
Scalar: TypeAlias = "builtins.bool | int | float | complex"
Axes: TypeAlias = "int | Sequence[int] | None"

_NAMES = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
KINDS: dict[str, tuple[DType, ...]] = {
    kind: tuple(getattr(fj, name) for name in names if isinstance(getattr(fj, name, None), DType))
    for kind, names in _NAMES.items()
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]
DTYPES: dict[str, DType] = {
    name: getattr(fj, name)
    for names in _NAMES.values()
    for name in names
    if isinstance(getattr(fj, name, None), DType)
}
globals().update(DTYPES)  # float32 and the others, as far as they exist

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type", *DTYPES]


def is_complex(dtype: DType) -> builtins.bool:
    return dtype in KINDS["complex floating"]


def is_floating(dtype: DType) -> builtins.bool:
    """Real or complex."""
    return dtype in KINDS["real floating"] or is_complex(dtype)


def promote(*arrays: Any) -> tuple[Any, ...]:
    """The arrays in their common dtype. PyTorch lets arrays with dims decide over those without, the standard does not."""
    dtypes = {x.dtype for x in arrays if isinstance(x, Tensor)}
    if len(dtypes) < 2:
        return arrays
    common = result_type(*dtypes)
    return tuple(x.to(common) if isinstance(x, Tensor) else x for x in arrays)


def axes_of(axis: Axes, ndim: int) -> list[int]:
    """Axes as numbers counted from the front; None is all."""
    if axis is None:
        return list(range(ndim))
    found = [axis] if isinstance(axis, int) else list(axis)
    for entry in found:
        if not -ndim <= entry < ndim:
            raise IndexError(f"axis {entry} is out of bounds for an array of {ndim} dimension(s)")
    return [entry % ndim for entry in found]


# --- data type functions ----------------------------------------------------------------------------------------------
def astype(x: Tensor, dtype: DType, /, *, copy: builtins.bool = True, device: Device = None) -> Tensor:
    if is_complex(x.dtype) and not is_complex(dtype):
        raise TypeError(
            f"astype: got an array of {x.dtype}, which {dtype} cannot hold. Try real(x) or imag(x)."
        )
    result = x.to(dtype)
    if device is not None:
        result = result.to(device)
    return result.clone() if copy and result is x else result


def result_type(*arrays_and_dtypes: Tensor | Scalar | DType) -> DType:
    dtypes = [
        x.dtype if isinstance(x, Tensor) else x for x in arrays_and_dtypes if isinstance(x, (Tensor, DType))
    ]
    scalars = [x for x in arrays_and_dtypes if not isinstance(x, (Tensor, DType))]
    if not dtypes:
        raise ValueError("result_type: got no array or dtype, expected at least one")
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = fj.promote_types(result, dtype)
    for scalar in scalars:
        result = _with_scalar(result, scalar)
    return result


def _with_scalar(dtype: DType, scalar: Scalar) -> DType:
    """A Python number changes the kind of a dtype, not its size."""
    if isinstance(scalar, builtins.bool) or is_complex(dtype):
        return dtype
    if isinstance(scalar, complex):
        return fj.promote_types(dtype, fj.complex64)
    if isinstance(scalar, float):
        return dtype if is_floating(dtype) else fj.get_default_dtype()
    return fj.int64 if dtype is fj.bool else dtype


def can_cast(from_: DType | Tensor, to: DType, /) -> builtins.bool:
    dtype = from_.dtype if isinstance(from_, Tensor) else from_
    return fj.promote_types(dtype, to) is to


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> builtins.bool:
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, entry) for entry in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype: got kind {kind!r}, expected a dtype or one of {sorted(KINDS)}")
        return dtype in KINDS[kind]
    return dtype is kind


class _Limits:
    """What the standard says about ``finfo`` and ``iinfo``: Python numbers, and a dtype."""

    def __init__(self, dtype: DType, **limits: Any) -> None:
        self.dtype = dtype
        self.__dict__.update(limits)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in vars(self).items())})"


def finfo(type: DType | Tensor, /) -> Any:
    dtype = type.dtype if isinstance(type, Tensor) else type
    real = {"complex64": fj.float32, "complex128": fj.float64}.get(
        str(dtype).removeprefix("framejit."), dtype
    )
    info = fj.finfo(real)
    return _Limits(
        real, bits=info.bits, eps=info.eps, max=info.max, min=info.min, smallest_normal=info.smallest_normal
    )


def iinfo(type: DType | Tensor, /) -> Any:
    dtype = type.dtype if isinstance(type, Tensor) else type
    info = fj.iinfo(dtype)
    return _Limits(dtype, bits=info.bits, max=info.max, min=info.min)
