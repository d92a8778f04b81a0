"""Saving and loading: :func:`save`, :func:`load`.

Files are those of PyTorch (``torch.save`` since 1.6), in both directions: an uncompressed zip archive of

    data.pkl       the object, pickled with protocol 2; where a tensor's memory goes, a persistent id
                   ("storage", element type, key, "cpu", number of elements)
    data/<key>     the bytes of each storage, at a multiple of 64
    byteorder, version, .format_version, .storage_alignment

Tour: ``archive.py`` reads and writes the archive, ``pickler.py`` the pickle, ``allowed.py`` says what a file may name.

Loading runs no code of the file's choosing: a pickle can only name the few functions in ``allowed.py`` and what the
user added with :func:`add_safe_globals`. Files of tensors alone, without any pickle: :mod:`framejit.utils.safetensors`.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable, Iterator
from typing import IO, Any, TypeAlias

from framejit._C import UntypedStorage, device
from framejit.serialization.allowed import add_safe_globals as add_safe_globals
from framejit.serialization.allowed import clear_safe_globals as clear_safe_globals
from framejit.serialization.allowed import get_safe_globals as get_safe_globals
from framejit.serialization.allowed import safe_globals as safe_globals
from framejit.serialization.archive import Reader, writing
from framejit.serialization.pickler import Pickler, Unpickler

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]

FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
MapLocation: TypeAlias = (
    device | str | dict[str, str] | Callable[[UntypedStorage, str], UntypedStorage | None] | None
)


def save(
    obj: Any,
    f: FileLike,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Writes an object to a file that :func:`load` and PyTorch can read.

    Args:
        obj: tensors, parameters, numbers, strings, and lists, tuples, dicts, sets of them, such as state dicts. Tensors that
            share memory do so again when loaded. Objects of other classes are pickled by name, and only load where
            :func:`add_safe_globals` allows the class.
        f: a path, or a file opened for writing bytes. A file under a path is replaced at once, when all is written.
        pickle_module: accepted; a file names no module of pickles, and :func:`load` needs none.
        pickle_protocol: 2, the only one that both libraries read.
        _use_new_zipfile_serialization: accepted; the format is always the new one, which PyTorch reads since 1.6.

    Raises:
        ValueError: another pickle protocol.
        RuntimeError: a tensor with a history (``detach`` it first).
    """
    if pickle_protocol != 2:
        raise ValueError(
            f"save: got pickle_protocol={pickle_protocol}, expected 2, which PyTorch reads as well"
        )
    pickler = Pickler()
    data = pickler.dumps(obj)
    with writing(f) as archive:
        archive.write("data.pkl", data)
        archive.write(".format_version", b"1")
        archive.write(".storage_alignment", b"64")
        archive.write("byteorder", b"little")
        for key, storage in enumerate(pickler.storages):
            archive.write(f"data/{key}", memoryview(storage))
        archive.write("version", b"3\n")


def load(
    f: FileLike, map_location: MapLocation = None, *, weights_only: bool = True, mmap: bool | None = None
) -> Any:
    """Reads what :func:`save` or ``torch.save`` wrote.

    Args:
        f: a path, or a file opened for reading bytes, at its start.
        map_location: where the tensors go: a device, a dict from saved to wanted device, or a function of a storage and its
            saved device. Needed for files with tensors of devices that this machine lacks.
        weights_only: always on; see Raises.
        mmap: maps the file, so that bytes are read when they are used; needs a path. Changes of the tensors do not reach the
            file, which must not be changed while they live.

    Raises:
        pickle.UnpicklingError: the file names a function or class that is not known to be harmless.
        RuntimeError: not such a file, or a damaged one; tensors on a device that is not there.
        ValueError: ``weights_only=False``: framejit never runs code of a file. Allow classes with :func:`add_safe_globals`.
    """
    if weights_only is False:
        raise ValueError(
            "load: got weights_only=False, but framejit never runs code that a file chooses. "
            "Allow the classes that the file needs with framejit.serialization.add_safe_globals([Class, ...])."
        )
    with Reader(f, bool(mmap)) as reader:
        return Unpickler(reader, map_location).load()


DEFAULT_PROTOCOL = 2


def default_restore_location(storage: UntypedStorage, location: str) -> UntypedStorage:
    """``storage``, where ``location`` is ``"cpu"``: a ``map_location`` of old programs.

    Raises:
        RuntimeError: another location.
    """
    if location != "cpu":
        raise RuntimeError(
            f"don't know how to restore data location of {type(storage).__name__} (tagged with {location})"
        )
    return storage


def _is_zipfile(f: Any) -> bool:
    """Whether what an open file holds from here on looks like a zip archive; the place in the file stays."""
    start = f.tell()
    head = f.read(4)
    f.seek(start)
    return head == b"PK\x03\x04"


@contextlib.contextmanager
def _open_file_like(name_or_buffer: Any, mode: str) -> Iterator[Any]:
    """An open file of that name, closed at the end; a file that is open already stays so."""
    if isinstance(name_or_buffer, (str, os.PathLike)):
        with open(name_or_buffer, mode) as file:
            yield file
    else:
        yield name_or_buffer
        if "w" in mode:
            name_or_buffer.flush()
