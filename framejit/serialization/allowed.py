"""What a saved file may name: a table of harmless functions and types, and what the user adds to it."""

from __future__ import annotations

import collections
import contextlib
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import framejit as fj
from framejit._C import Tensor, UntypedStorage
from framejit._tensor import _TYPE_NAMES

# Names of element types by that of their class of storages ("FloatStorage": "float32"), which is how files name them.
STORAGE_CLASSES = {
    name.replace("Tensor", "Storage"): str(dtype).removeprefix("framejit.") for name, dtype in _TYPE_NAMES.items()
}
STORAGE_CLASS_OF = {dtype: name for name, dtype in STORAGE_CLASSES.items()}


class TypedBytes:
    """A storage and the element type that the file gives it."""

    def __init__(self, storage: UntypedStorage, dtype: Any) -> None:
        self.storage, self.dtype = storage, dtype


def rebuild_tensor(
    typed: TypedBytes, offset: int, size: Sequence[int], stride: Sequence[int], *rest: Any
) -> Tensor:
    """``rest`` is ``requires_grad``, hooks (ignored) and metadata (ignored), as the file's version has them."""
    tensor = typed.storage._view(typed.dtype, offset, size, stride)
    return tensor.requires_grad_(bool(rest[0])) if rest else tensor


def rebuild_parameter(data: Tensor, requires_grad: bool, hooks: Any = None) -> Tensor:
    return fj.nn.Parameter(data, requires_grad)


def rebuild_parameter_with_state(data: Tensor, requires_grad: bool, hooks: Any, state: Any) -> Tensor:
    parameter = fj.nn.Parameter(data, requires_grad)
    parameter.__dict__.update(state if isinstance(state, dict) else {})
    return parameter


def encode_latin1(text: str, encoding: str) -> bytes:
    """Bytes, which protocol 2 lacks, are pickled as a call of ``_codecs.encode``."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"load: bytes in the encoding {encoding!r}, expected 'latin1'")
    return text.encode("latin1")


HARMLESS: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor"): rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v2"): rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): rebuild_parameter_with_state,
    ("torch", "Size"): fj.Size,
    ("torch", "device"): fj.device,
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("collections", "Counter"): collections.Counter,
    ("_codecs", "encode"): encode_latin1,
    **{
        (module, kind.__name__): kind
        for module in ("builtins", "__builtin__")
        for kind in (set, frozenset, complex, bytearray, slice, range)
    },
}

_allowed: dict[tuple[str, str], Any] = {}


def _key(item: Any) -> tuple[tuple[str, str], Any]:
    if isinstance(item, tuple):
        thing, full_name = item
        module, _, name = full_name.rpartition(".")
        return (module, name), thing
    return (item.__module__, item.__qualname__), item


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Lets :func:`framejit.load` call these classes and functions when a file names them.

    Args:
        safe_globals: classes or functions; or pairs of one and the full name by which files know it.
    """
    _allowed.update(_key(item) for item in safe_globals)


def get_safe_globals() -> list[Any]:
    """What :func:`add_safe_globals` has added."""
    return list(_allowed.values())


def clear_safe_globals() -> None:
    """Takes everything back that :func:`add_safe_globals` has added."""
    _allowed.clear()


@contextlib.contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """:func:`add_safe_globals` for the time of a ``with`` block."""
    before = dict(_allowed)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _allowed.clear()
        _allowed.update(before)


def find(module: str, name: str) -> Any:
    """What a file means by ``module.name``.

    Raises:
        pickle.UnpicklingError: it may not name that.
    """
    found = HARMLESS.get((module, name)) or _allowed.get((module, name))
    if found is not None:
        return found
    if module in ("torch", "torch.storage") and name in STORAGE_CLASSES:
        return getattr(fj, STORAGE_CLASSES[name])
    if module == "torch" and isinstance(getattr(fj, name, None), fj.dtype):
        return getattr(fj, name)
    raise pickle.UnpicklingError(
        f"load: the file names {module}.{name}, which is not known to be harmless. If you trust the file, allow it: "
        f"framejit.serialization.add_safe_globals([{name}])"
    )
