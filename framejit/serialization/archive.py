"""The zip archive of a saved object: records under one folder, uncompressed, each at a multiple of 64 bytes."""

from __future__ import annotations

import contextlib
import mmap
import os
import pathlib
import struct
import tempfile
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from framejit._C import UntypedStorage

_ALIGNMENT = 64
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")  # fixed part of what precedes a record in the file
_ZIP64_EXTRA = 20  # bytes that zipfile adds to that of a record beyond 2 GiB
_CHUNK = 16 << 20


class Writer:
    """Appends records to a new archive."""

    def __init__(self, file: Any, folder: str) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._folder = folder

    def write(self, name: str, data: bytes | memoryview) -> None:
        record = zipfile.ZipInfo(f"{self._folder}/{name}")
        start = self._zip.start_dir + _LOCAL_HEADER.size + len(record.filename.encode()) + 4
        if len(data) * 1.05 > zipfile.ZIP64_LIMIT:
            start += _ZIP64_EXTRA
        padding = -start % _ALIGNMENT
        record.extra = struct.pack("<2sH", b"FB", padding) + b"Z" * padding
        self._zip.writestr(record, data)

    def close(self) -> None:
        self._zip.close()


@contextlib.contextmanager
def writing(f: Any) -> Iterator[Writer]:
    """A writer to a file object, or to a path: there the file appears, whole, at the end, or stays as it was."""
    if not isinstance(f, (str, os.PathLike)):
        if not hasattr(f, "write"):
            raise AttributeError(
                f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, got {type(f).__name__}"
            )
        writer = Writer(f, "archive")
        yield writer
        writer.close()
        return
    with replacing(f) as file:
        writer = Writer(file, pathlib.Path(f).stem or "archive")
        yield writer
        writer.close()


@contextlib.contextmanager
def replacing(filename: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to that takes the name ``filename`` at the end; on an error nothing is left of it."""
    path = pathlib.Path(filename)
    if not path.parent.is_dir():
        raise RuntimeError(f"Parent directory {path.parent} does not exist.")
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


class Reader:
    """Reads records of an archive."""

    def __init__(self, f: Any, map_file: bool) -> None:
        is_path = isinstance(f, (str, os.PathLike))
        if map_file and not is_path:
            raise ValueError("load: mmap=True needs f to be a path")
        if not is_path and not (hasattr(f, "read") and hasattr(f, "seek")):
            raise AttributeError(
                f"load: expected a path or a file that can be read and sought, got {type(f).__name__}"
            )
        self._file: IO[bytes] = open(f, "rb") if is_path else f  # noqa: SIM115  (closed with this object)
        self._owns_file = is_path
        self._pages: mmap.mmap | None = None
        try:
            self._zip = zipfile.ZipFile(self._file)
            self._folder = self._find_folder()
            if map_file:
                self._pages = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_COPY)
        except zipfile.BadZipFile as error:
            self.close()
            raise RuntimeError(
                f"load: not a file that save or torch.save (1.6 or later) wrote, or a truncated one: {error}"
            ) from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._owns_file:
            self._file.close()

    def _find_folder(self) -> str:
        for name in self._zip.namelist():
            folder, _, record = name.partition("/")
            if record == "data.pkl":
                return folder
        raise RuntimeError(
            "load: the archive has no record data.pkl: not a file that save or torch.save wrote"
        )

    def _record(self, name: str) -> zipfile.ZipInfo:
        try:
            record = self._zip.getinfo(f"{self._folder}/{name}")
        except KeyError:
            raise RuntimeError(f"load: the archive has no record {name}: it is damaged") from None
        if record.compress_type != zipfile.ZIP_STORED:
            raise RuntimeError(f"load: record {name} is compressed, expected it as it is")
        return record

    def has(self, name: str) -> bool:
        return f"{self._folder}/{name}" in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        try:
            return self._zip.read(self._record(name))
        except zipfile.BadZipFile as error:
            raise RuntimeError(f"load: record {name} is damaged: {error}") from error

    def storage(self, name: str) -> UntypedStorage:
        """A record's bytes as memory of tensors."""
        record = self._record(name)
        if self._pages is not None and record.file_size:
            start = self._start(record)
            return UntypedStorage.from_buffer(memoryview(self._pages)[start : start + record.file_size])
        storage = UntypedStorage(record.file_size)
        view = memoryview(storage)
        done = 0
        try:
            with self._zip.open(record) as stream:
                while chunk := stream.read(_CHUNK):
                    view[done : done + len(chunk)] = chunk
                    done += len(chunk)
        except (zipfile.BadZipFile, EOFError) as error:
            raise RuntimeError(f"load: record {name} is damaged: {error}") from error
        if done != record.file_size:
            raise RuntimeError(
                f"load: record {name} has {done} bytes, expected {record.file_size}: it is damaged"
            )
        return storage

    def _start(self, record: zipfile.ZipInfo) -> int:
        """Where a record's bytes begin in the file, which its local header tells."""
        self._file.seek(record.header_offset)
        data = self._file.read(_LOCAL_HEADER.size)
        if len(data) < _LOCAL_HEADER.size:
            raise RuntimeError("load: the archive is truncated")
        header = _LOCAL_HEADER.unpack(data)
        start: int = record.header_offset + _LOCAL_HEADER.size + header[-2] + header[-1]
        if start + record.file_size > len(self._pages or b""):
            raise RuntimeError("load: the archive is truncated")
        return start
