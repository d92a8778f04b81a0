"""``FloatTensor`` and its like: the types by dtype that PyTorch had before 0.4. Old programs still name them."""

from __future__ import annotations

from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit._tensor import _TYPE_NAMES
from framejit._typed_storage import TypedStorage


class _TypedTensorMeta(type):
    dtype: Any

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype == cls.dtype

    def __call__(cls, *args: Any) -> Tensor:
        """``(2, 3)`` and ``(Size)``: uninitialised, of these sizes; ``(sequence)``: of these values; ``(storage)``: its elements;
        nothing: empty."""
        if len(args) == 1 and isinstance(args[0], TypedStorage):
            return args[0].untyped()._view(cls.dtype, 0, (len(args[0]),), (1,))
        sizes = args[0] if len(args) == 1 and isinstance(args[0], _C.Size) else args
        if all(isinstance(size, int) for size in sizes):
            empty: Tensor = _C.ops.empty(tuple(sizes) or (0,), dtype=cls.dtype)
            return empty
        if len(args) != 1:
            raise TypeError(f"{cls.__name__}: got {args!r}, expected sizes or one sequence of numbers")
        return _C.tensor(args[0], dtype=cls.dtype)


TYPES = {
    name: _TypedTensorMeta(name, (), {"dtype": dtype, "__module__": "framejit"})
    for name, dtype in _TYPE_NAMES.items()
    if not dtype.is_complex  # PyTorch never had those
}
