"""What the namespace can do, for code that asks: ``__array_namespace_info__()``."""

from __future__ import annotations

from typing import Any

import framejit as fj
from framejit._C import dtype as DType
from framejit.array_api._types import DTYPES, Device, isdtype


class Info:
    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> fj.device:
        return fj.device("cpu")

    def default_dtypes(self, *, device: Device = None) -> dict[str, DType]:
        real = fj.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": fj.complex128 if real is fj.float64 else fj.complex64,
            "integral": fj.int64,
            "indexing": fj.int64,
        }

    def dtypes(self, *, device: Device = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        return {name: dtype for name, dtype in DTYPES.items() if kind is None or isdtype(dtype, kind)}

    def devices(self) -> list[fj.device]:
        return [fj.device("cpu")]


def __array_namespace_info__() -> Info:
    return Info()
