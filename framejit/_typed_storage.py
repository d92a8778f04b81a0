"""``FloatStorage`` and its like: the memory behind a tensor, seen as a row of elements of one dtype."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit._tensor import _TYPE_NAMES, _method
from framejit.storage import UntypedStorage

__all__ = ["STORAGES", "TypedStorage", "is_storage"]


class TypedStorage:
    """Elements of ``dtype`` in a row; tensors of all shapes may view them.

    ``(n)``: n elements that are not initialised; ``(sequence)``: of these values; ``wrap_storage=``: in memory that is there.
    """

    dtype: Any = None

    def __init__(self, *args: Any, wrap_storage: UntypedStorage | None = None, dtype: Any = None) -> None:
        self.dtype = self.dtype or dtype or _C.get_default_dtype()
        if wrap_storage is not None:
            self._untyped = wrap_storage
            return
        if len(args) > 1:
            raise TypeError(f"{type(self).__name__}: got {args!r}, expected a number of elements or a sequence")
        if args and not isinstance(args[0], int):
            made = _C.tensor(list(args[0]), dtype=self.dtype)
        else:
            made = _C.ops.empty((args[0] if args else 0,), dtype=self.dtype)
        self._untyped = made.untyped_storage()

    @classmethod
    def from_buffer(cls, buffer: Any, byte_order: str = "native", **options: Any) -> TypedStorage:
        """A copy of the bytes of a buffer, in this machine's order."""
        if options:
            raise NotImplementedError(f"from_buffer: got {', '.join(options)}, expected a whole buffer. Try a memoryview's slice.")
        if byte_order not in ("native", "little"):
            raise NotImplementedError(f"from_buffer: byte order {byte_order!r} is not supported. Try numpy.frombuffer(...).byteswap().")
        return cls(wrap_storage=UntypedStorage.from_buffer(bytearray(buffer)))

    @property
    def _elements(self) -> Tensor:
        return self._untyped._view(self.dtype, 0, (len(self),), (1,))

    def __len__(self) -> int:
        return self._untyped.nbytes() // self.element_size()

    def __getitem__(self, index: Any) -> Any:
        chosen = self._elements[index]
        return TypedStorage(wrap_storage=chosen.clone().untyped_storage(), dtype=self.dtype) if chosen.dim() else chosen.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def size(self) -> int:
        return len(self)

    def nbytes(self) -> int:
        return self._untyped.nbytes()

    def element_size(self) -> int:
        return self.dtype.itemsize

    def data_ptr(self) -> int:
        return self._untyped.data_ptr()

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return self._untyped

    def tolist(self) -> builtins.list[Any]:
        values: builtins.list[Any] = self._elements.tolist()
        return values

    def clone(self) -> TypedStorage:
        """Other memory with the same values."""
        return type(self)(wrap_storage=self._untyped.clone(), dtype=self.dtype)

    def copy_(self, source: TypedStorage, non_blocking: bool | None = None) -> TypedStorage:
        self._elements.copy_(source._elements)
        return self

    def fill_(self, value: Any) -> TypedStorage:
        self._elements.fill_(value)
        return self

    def share_memory_(self) -> TypedStorage:
        """Moves the bytes where other processes can map them."""
        self._untyped.share_memory_()
        return self

    def is_shared(self) -> bool:
        return self._untyped.is_shared()

    def cpu(self) -> TypedStorage:
        return self

    @property
    def device(self) -> Any:
        return _C.device("cpu")

    @property
    def is_cuda(self) -> bool:
        return False

    def __reduce__(self) -> Any:
        return _rebuilt, (self._untyped, self.dtype)

    def __repr__(self) -> str:
        values = "\n ".join(map(str, self.tolist()))
        return f" {values}\n[framejit.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"


def _rebuilt(untyped: UntypedStorage, dtype: Any) -> TypedStorage:
    return TypedStorage(wrap_storage=untyped, dtype=dtype)


class _OfOneType(type):
    """A storage of the dtype is an instance, whatever made it."""

    dtype: Any

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype == cls.dtype


STORAGES = {
    name.replace("Tensor", "Storage"): _OfOneType(
        name.replace("Tensor", "Storage"), (TypedStorage,), {"dtype": dtype, "__module__": "framejit"}
    )
    for name, dtype in _TYPE_NAMES.items()
}


def is_storage(obj: Any) -> bool:
    """Whether ``obj`` is the memory of tensors."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


@_method
def storage(self: Tensor) -> TypedStorage:
    """The memory that this tensor views, as elements of its dtype."""
    return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype)
