"""safetensors files: named tensors and text, without any code (https://huggingface.co/docs/safetensors).

A file is 8 bytes with the length of the header, the header (JSON: dtype, shape and place of each tensor, and a dict of
strings), and the tensors' bytes in row-major order.
"""

from __future__ import annotations

import io
import json
import math
import os
import struct
from collections.abc import Mapping
from typing import IO, Any

import framejit as fj
from framejit import Tensor, UntypedStorage
from framejit.serialization.archive import replacing

__all__ = ["SafetensorError", "load", "load_file", "safe_open", "save", "save_file"]

_MAX_HEADER = 100 << 20
_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32", "int16": "I16",
    "int8": "I8", "uint8": "U8", "bool": "BOOL", "complex64": "C64",
}  # fmt: skip
_DTYPES = {name: getattr(fj, dtype) for dtype, name in _NAMES.items() if hasattr(fj, dtype)}
_NAME_OF = {dtype: name for name, dtype in _DTYPES.items()}


class SafetensorError(Exception):
    """A file that is none, or a damaged one."""


# --- writing ----------------------------------------------------------------------------------------------------------


def _checked(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """By descending alignment, then name, as the format asks, row-major and detached."""
    seen: dict[int, str] = {}
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(f"save: {name!r} is a {type(tensor).__name__}, expected a Tensor")
        if tensor.dtype not in _NAME_OF:
            raise ValueError(f"save: {name!r} has dtype {tensor.dtype}, which safetensors files lack")
        other = seen.setdefault(tensor.untyped_storage().data_ptr(), name)
        if other != name and tensor.numel():
            raise RuntimeError(
                f"save: {other!r} and {name!r} share memory, which a safetensors file cannot say. "
                "Save one of them, or a clone, or use framejit.save."
            )
    names = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    return {name: tensors[name].detach().contiguous() for name in names}


def _header(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None) -> bytes:
    entries: dict[str, Any] = {}
    if metadata is not None:
        wrong = [
            key for key, value in metadata.items() if not (isinstance(key, str) and isinstance(value, str))
        ]
        if wrong:
            raise TypeError(f"save: metadata are strings by name, got others at {wrong}")
        entries["__metadata__"] = dict(metadata)
    end = 0
    for name, tensor in tensors.items():
        start, end = end, end + tensor.nbytes
        entries[name] = {
            "dtype": _NAME_OF[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def _bytes(tensor: Tensor) -> memoryview:
    start = tensor.storage_offset() * tensor.element_size()
    return memoryview(tensor.untyped_storage())[start : start + tensor.nbytes]


def save(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a file; see :func:`save_file`."""
    ordered = _checked(tensors)
    return b"".join([_header(ordered, metadata), *(_bytes(tensor) for tensor in ordered.values())])


def save_file(
    tensors: Mapping[str, Tensor], filename: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> None:
    """Writes named tensors; a file of that name is replaced at once, when all is written.

    Args:
        tensors: by name. Strides are not kept.
        filename: where to.
        metadata: strings by name.

    Raises:
        RuntimeError: tensors that share memory.
        ValueError: something that is no tensor, or a dtype that the format lacks.
    """
    ordered = _checked(tensors)
    with replacing(filename) as file:
        file.write(_header(ordered, metadata))
        for tensor in ordered.values():
            file.write(_bytes(tensor))


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_header(file: IO[bytes], size: int) -> tuple[dict[str, Any], int]:
    """The header, and where the tensors' bytes begin. ``size``: of the whole file."""
    start = file.read(8)
    if len(start) < 8:
        raise SafetensorError(f"a file of {size} bytes is too short for a header")
    length = struct.unpack("<Q", start)[0]
    if length > _MAX_HEADER or 8 + length > size:
        raise SafetensorError(
            f"a header of {length} bytes in a file of {size}: not a safetensors file, or a truncated one"
        )
    try:
        header = json.loads(file.read(length))
    except ValueError as error:
        raise SafetensorError(f"the header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise SafetensorError("the header is not a JSON object")
    return header, 8 + length


def _check_entries(entries: dict[str, Any], size: int) -> None:
    """Every byte behind the header belongs to one tensor, whose shape and dtype it fits."""
    end = 0
    try:
        for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
            start, stop = entry["data_offsets"]
            shape, dtype = entry["shape"], _DTYPES.get(entry["dtype"])
            if dtype is None:
                raise SafetensorError(f"{name!r} has dtype {entry['dtype']!r}, which framejit lacks")
            if not all(isinstance(length, int) and length >= 0 for length in shape):
                raise SafetensorError(f"{name!r} has shape {shape}")
            if start != end or stop - start != math.prod(shape) * dtype.itemsize:
                raise SafetensorError(
                    f"{name!r} of shape {shape} and {entry['dtype']} lies at bytes {start} to {stop}"
                )
            end = stop
    except (KeyError, TypeError, ValueError) as error:
        raise SafetensorError(f"the header has an entry that makes no sense: {error!r}") from error
    if end != size:
        raise SafetensorError(f"tensors take {end} bytes, but {size} follow the header: the file is damaged")


class safe_open:
    """A file opened to read some of its tensors.

    >>> with safe_open("model.safetensors") as file:
    ...     weight = file.get_tensor("encoder.weight")

    Args:
        filename: the file, or one opened for reading.
        framework: ``"fj"`` (or ``"pt"``, for programs written for PyTorch).
        device: ``"cpu"``.

    Raises:
        SafetensorError: not such a file, or a damaged one.
    """

    def __init__(
        self, filename: str | os.PathLike[str] | IO[bytes], framework: str = "fj", device: Any = "cpu"
    ) -> None:
        if framework not in ("fj", "pt"):
            raise ValueError(f"safe_open: got framework={framework!r}, expected 'fj' or 'pt'")
        if fj.device(device).type != "cpu":
            raise ValueError(f"safe_open: got device={device!r}, expected 'cpu'")
        self._file: Any = filename
        if isinstance(filename, (str, os.PathLike)):
            self._file = open(filename, "rb")  # noqa: SIM115  (closed with this object)
        try:
            size = self._file.seek(0, os.SEEK_END)
            self._file.seek(0)
            self._entries, self._start = _read_header(self._file, size)
            self._metadata = self._entries.pop("__metadata__", None)
            _check_entries(self._entries, size - self._start)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> safe_open:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def metadata(self) -> dict[str, str] | None:
        """The strings by name that the file carries."""
        metadata: dict[str, str] | None = self._metadata
        return metadata

    def keys(self) -> list[str]:
        """Names of the tensors."""
        return list(self._entries)

    def get_tensor(self, name: str) -> Tensor:
        """Reads one tensor."""
        if name not in self._entries:
            raise SafetensorError(f"File does not contain tensor {name}; it has {', '.join(self._entries)}")
        entry = self._entries[name]
        start, stop = entry["data_offsets"]
        storage = UntypedStorage(stop - start)
        self._file.seek(self._start + start)
        if self._file.readinto(memoryview(storage)) != stop - start:
            raise SafetensorError(f"the file was truncated while it was read, at tensor {name}")
        shape = entry["shape"]
        strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        return storage._view(_DTYPES[entry["dtype"]], 0, shape, strides)


def load_file(filename: str | os.PathLike[str] | IO[bytes], device: Any = "cpu") -> dict[str, Tensor]:
    """All tensors of a file by name; see :class:`safe_open` for errors."""
    with safe_open(filename, device=device) as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a dict)


def load(data: bytes) -> dict[str, Tensor]:
    """As :func:`load_file`, from the bytes of a file."""
    return load_file(io.BytesIO(data))
