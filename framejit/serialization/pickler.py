"""Objects to pickles that name PyTorch's functions, and back without calling any other."""

from __future__ import annotations

import collections
import io
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import framejit as fj
from framejit._C import Tensor, UntypedStorage
from framejit.serialization.allowed import STORAGE_CLASS_OF, TypedBytes, find
from framejit.serialization.archive import Reader


class _Global:
    """Pickled as the name of a function or class of PyTorch, which need not be here."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __call__(self, *args: Any) -> Any:  # pickle wants functions to be callable
        raise TypeError(f"{self.module}.{self.name} is only a name here")


class _StorageReference:
    """Pickled as the persistent id of a tensor's memory."""

    def __init__(self, storage: UntypedStorage, dtype: str, itemsize: int) -> None:
        self.storage, self.dtype, self.count = storage, dtype, storage.nbytes() // itemsize


_REBUILD_TENSOR = _Global("torch._utils", "_rebuild_tensor_v2")
_REBUILD_PARAMETER = _Global("torch._utils", "_rebuild_parameter")
_SIZE = _Global("torch", "Size")
_DEVICE = _Global("torch", "device")
_STORAGE_CLASSES = {dtype: _Global("torch", name) for dtype, name in STORAGE_CLASS_OF.items()}


_PurePickler: Any = pickle._Pickler  # the one in Python: the one in C imports what it names


class Pickler(_PurePickler):  # type: ignore[misc]
    """Pickles one object; ``storages`` is then the memory it refers to, in order of their keys."""

    dispatch: ClassVar[dict[Any, Any]] = dict(_PurePickler.dispatch)

    def __init__(self) -> None:
        self._stream = io.BytesIO()
        super().__init__(self._stream, protocol=2)
        self.storages: list[UntypedStorage] = []
        self._keys: dict[int, str] = {}
        self._dtypes: dict[Any, _Global] = {}

    def dumps(self, obj: Any) -> bytes:
        self.dump(obj)
        return self._stream.getvalue()

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, _StorageReference):
            return None
        key = self._keys.get(id(obj.storage))
        if key is None:
            key = self._keys[id(obj.storage)] = str(len(self.storages))
            self.storages.append(obj.storage)
        return ("storage", _STORAGE_CLASSES[obj.dtype], key, "cpu", obj.count)

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Tensor):
            return self._reduce_tensor(obj)
        if isinstance(obj, fj.Size):
            return _SIZE, (tuple(obj),)
        if isinstance(obj, fj.device):
            return _DEVICE, (str(obj),)
        return NotImplemented

    def _reduce_tensor(self, tensor: Tensor) -> Any:
        no_hooks: collections.OrderedDict[str, Any] = collections.OrderedDict()
        if isinstance(tensor, fj.nn.Parameter):
            return _REBUILD_PARAMETER, (tensor.detach(), tensor.requires_grad, no_hooks)
        if tensor.requires_grad and not tensor.is_leaf:
            raise RuntimeError(
                "save: got a tensor with a history, which is not saved. Try tensor.detach() first."
            )
        reference = _StorageReference(tensor.untyped_storage(), _name(tensor.dtype), tensor.element_size())
        layout = (tensor.storage_offset(), tuple(tensor.shape), tensor.stride())
        return _REBUILD_TENSOR, (reference, *layout, tensor.requires_grad, no_hooks)

    def _save_global(self, obj: _Global) -> None:
        self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        self.memoize(obj)

    def _save_dtype(self, obj: Any) -> None:
        self.save(self._dtypes.setdefault(obj, _Global("torch", _name(obj))))

    dispatch[_Global] = _save_global
    dispatch[fj.dtype] = _save_dtype


def _name(dtype: Any) -> str:
    return str(dtype).removeprefix("framejit.")


class Unpickler(pickle.Unpickler):
    """Reads the object of an archive."""

    def __init__(self, reader: Reader, map_location: Any) -> None:
        super().__init__(io.BytesIO(reader.read("data.pkl")))
        if reader.has("byteorder") and reader.read("byteorder") != b"little":
            raise RuntimeError("load: the file's numbers are big-endian, expected little-endian ones")
        self._reader = reader
        self._place = _placement(map_location)
        self._storages: dict[str, UntypedStorage] = {}

    def find_class(self, module: str, name: str) -> Any:
        return find(module, name)

    def persistent_load(self, pid: Any) -> TypedBytes:
        if not (isinstance(pid, tuple) and len(pid) == 5 and pid[0] == "storage"):
            raise pickle.UnpicklingError(f"load: an unknown persistent id: {pid!r}")
        _, dtype, key, location, count = pid
        if not isinstance(dtype, fj.dtype):
            raise pickle.UnpicklingError(
                f"load: storage {key} of element type {dtype!r}, expected one of a known dtype"
            )
        if key not in self._storages:
            self._storages[key] = self._place(self._reader.storage(f"data/{key}"), location)
        storage = self._storages[key]
        if count * dtype.itemsize > storage.nbytes():
            raise RuntimeError(
                f"load: storage {key} has {storage.nbytes()} bytes, expected {count} elements of {dtype.itemsize} bytes"
            )
        return TypedBytes(storage, dtype)


def _placement(map_location: Any) -> Callable[[UntypedStorage, str], UntypedStorage]:
    def place(storage: UntypedStorage, location: str) -> UntypedStorage:
        wanted: Any = location
        if callable(map_location):
            result = map_location(storage, location)
            if isinstance(result, UntypedStorage):
                return result
        elif isinstance(map_location, dict):
            wanted = map_location.get(location, location)
        elif map_location is not None:
            wanted = map_location
        if str(wanted).partition(":")[0] not in ("cpu", "meta"):
            raise RuntimeError(
                f"Attempting to deserialize object on device '{wanted}', but this build has the CPU only. "
                "Use load(..., map_location='cpu') to bring its tensors to the CPU."
            )
        return storage

    return place
