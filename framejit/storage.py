"""The memory behind tensors: :class:`UntypedStorage`, its copying, pickling, and sharing between processes.

The type itself is C (``framejit/bindings/storage_object.cc``); importing this module completes it. Shared memory is an
anonymous file that is mapped: a process that receives a tensor (:mod:`framejit.multiprocessing`) gets the file's
descriptor and maps the same pages.
"""

from __future__ import annotations

import builtins
import mmap
import os
import pickle
import tempfile
import weakref
from typing import Any

from framejit._C import UntypedStorage as UntypedStorage

__all__ = ["UntypedStorage"]


# --- sharing between processes ----------------------------------------------------------------------------------------


class SharedBlock(mmap.mmap):
    """Mapped pages of the open file ``descriptor``, which is closed with the last tensor that uses them."""

    descriptor: int

    def __new__(cls, descriptor: int, nbytes: int) -> SharedBlock:
        block = super().__new__(cls, descriptor, max(1, nbytes))
        block.descriptor = descriptor
        weakref.finalize(block, os.close, descriptor)
        return block


_shared: weakref.WeakValueDictionary[int, SharedBlock] = weakref.WeakValueDictionary()  # by address


def _anonymous_file(nbytes: int) -> int:
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("framejit", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, max(1, nbytes))
    return descriptor


def shared_block(storage: UntypedStorage) -> SharedBlock | None:
    """The pages a storage lives in, if other processes can map them."""
    return _shared.get(storage.data_ptr())


def from_shared(descriptor: int, nbytes: int) -> UntypedStorage:
    """A storage in the pages of an open file, which it takes over."""
    block = SharedBlock(descriptor, nbytes)
    with memoryview(block) as view:
        storage = UntypedStorage.from_buffer(view[:nbytes])
    _shared[storage.data_ptr()] = block
    return storage


def share_memory_(self: UntypedStorage) -> UntypedStorage:
    """Moves the bytes into memory that other processes can map, for all tensors of this storage.

    No other thread may be using the tensors meanwhile.
    """
    if not self.is_shared():
        block = SharedBlock(_anonymous_file(self.nbytes()), self.nbytes())
        self._move_to(block)
        _shared[self.data_ptr()] = block
    return self


def is_shared(self: UntypedStorage) -> builtins.bool:
    """Whether other processes can map this memory."""
    return shared_block(self) is not None


# --- copying and pickling ---------------------------------------------------------------------------------------------


def clone(self: UntypedStorage) -> UntypedStorage:
    """Other memory with the same bytes."""
    return _copied(memoryview(self))


def _copied(view: memoryview) -> UntypedStorage:
    result = UntypedStorage(view.nbytes)
    memoryview(result)[:] = view
    return result


def _deepcopy(self: UntypedStorage, memo: dict[int, Any]) -> UntypedStorage:
    if id(self) not in memo:
        memo[id(self)] = clone(self)
    result: UntypedStorage = memo[id(self)]
    return result


def _from_bytes(data: Any) -> UntypedStorage:
    view = memoryview(data)
    return _copied(view) if view.readonly else UntypedStorage.from_buffer(data)


def _reduce(self: UntypedStorage, protocol: int) -> tuple[Any, ...]:
    """From protocol 5 on the bytes can travel out of band (``buffer_callback``), without a copy."""
    return _from_bytes, (pickle.PickleBuffer(self) if protocol >= 5 else builtins.bytes(self),)


def _repr(self: UntypedStorage) -> str:
    return f"[framejit.UntypedStorage of {self.nbytes()} bytes at {self.data_ptr():#x}]"


for _name, _method in {
    "share_memory_": share_memory_,
    "is_shared": is_shared,
    "clone": clone,
    "tolist": lambda self: list(memoryview(self)),
    "__copy__": clone,
    "__deepcopy__": _deepcopy,
    "__reduce_ex__": _reduce,
    "__repr__": _repr,
}.items():
    setattr(UntypedStorage, _name, _method)
