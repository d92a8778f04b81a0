"""Files with a few bytes changed: loading them raises an ordinary exception, or gives tensors inside their storages. No code runs.

The files are loaded in a child process, with little memory to give and with an audit hook that ends it at whatever a file has
no business to cause.
"""

from __future__ import annotations

import io
import os
import pickle
import random
import signal
import sys
import zipfile
from collections.abc import Callable

import pytest

import framejit as fj
from framejit.utils import safetensors
from tests.fuzz.schemas import limit_memory

SECONDS = float(os.environ.get("FRAMEJIT_FUZZ_SECONDS", 0))
FILES = 300 if not SECONDS else int(SECONDS * 300)
FIRST = int(os.environ.get("FRAMEJIT_FUZZ_SEED", 0))
ORDINARY = (
    RuntimeError, ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError, OverflowError, MemoryError, ImportError,
    OSError, pickle.UnpicklingError, zipfile.BadZipFile, safetensors.SafetensorError,
)  # fmt: skip
FORBIDDEN = ("exec", "compile", "os.", "subprocess.", "socket.", "shutil.", "ctypes.", "code.")


def a_checkpoint() -> bytes:
    stream = io.BytesIO()
    x = fj.arange(24.0).reshape(2, 3, 4)
    weight = fj.nn.Parameter(fj.ones(3))
    fj.save({"x": x.transpose(0, 2), "part": x[1, ::2], "w": [weight, weight], "half": fj.ones(5).half(), "n": (1, 2.5, "text", None)}, stream)
    return stream.getvalue()


def a_safetensors_file() -> bytes:
    return safetensors.save({"a": fj.ones(2, 3), "b": fj.arange(5), "c": fj.zeros(0).bfloat16()}, {"format": "pt"})


def changed(data: bytes, draw: random.Random) -> bytes:
    """One to four edits: bytes, bits, or runs of bytes; sometimes cut or lengthened."""
    edited = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(edited))
        kind = draw.choice(("byte", "bit", "extreme", "delete", "repeat", "cut", "swap"))
        if kind == "byte":
            edited[at] = draw.randrange(256)
        elif kind == "bit":
            edited[at] ^= 1 << draw.randrange(8)
        elif kind == "extreme":
            edited[at : at + 8] = draw.choice((b"\xff" * 8, b"\0" * 8, b"\xff" * 7 + b"\x7f"))
        elif kind == "delete":
            del edited[at : at + draw.randint(1, 4)]
        elif kind == "repeat":
            edited[at:at] = edited[at : at + draw.randint(1, 16)]
        elif kind == "swap":
            other = draw.randrange(len(edited))
            edited[at], edited[other] = edited[other], edited[at]
        elif draw.random() < 0.3:
            del edited[max(1, at) :]
    return bytes(edited)


def with_changed_pickle(data: bytes, draw: random.Random) -> bytes:
    """The records of the archive, with right checksums, and another pickle."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            record = old.read(name)
            new.writestr(name, changed(record, draw) if name.endswith("data.pkl") else record)
    return stream.getvalue()


def look_at(value: object, depth: int = 0) -> None:
    """Reads every element of every tensor: beyond its memory it would crash."""
    if isinstance(value, fj.Tensor) and value.numel() < 10**6:
        value.detach().cpu().tolist()
    elif isinstance(value, dict) and depth < 10:
        for entry in value.values():
            look_at(entry, depth + 1)
    elif isinstance(value, (list, tuple)) and depth < 10:
        for entry in value:
            look_at(entry, depth + 1)


def is_import(event: str, arguments: tuple) -> bool:
    """Of a module of the standard library, such as a codec."""
    if event in ("os.listdir", "os.scandir"):
        return True
    filename = {"exec": lambda: arguments[0].co_filename, "compile": lambda: arguments[1]}.get(event, lambda: "<")()
    return not str(filename).startswith("<") or str(filename).startswith("<frozen")


def load_all(make: Callable[[random.Random], bytes], load: Callable[[bytes], object], report: int) -> None:
    """In the child: writes the seed of each file before it is loaded, and what is wrong with it."""
    limit_memory()
    loading = False

    def audit(event: str, arguments: tuple) -> None:
        if loading and event.startswith(FORBIDDEN) and not is_import(event, arguments):
            os.write(report, f"event {event} {arguments!r}\n".encode())
            os._exit(3)

    sys.addaudithook(audit)
    for seed in range(FIRST, FIRST + FILES):
        data = make(random.Random(seed))
        os.write(report, f"seed {seed}\n".encode())
        signal.alarm(20)
        loading = True
        try:
            look_at(load(data))
        except ORDINARY:
            pass
        except BaseException as error:
            os.write(report, f"raised {error!r}\n".encode())
            os._exit(2)
        finally:
            loading = False


def in_a_child(make: Callable[[random.Random], bytes], load: Callable[[bytes], object]) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        status = 1
        try:
            load_all(make, load, writing)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as report:
        lines = report.read().splitlines()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, f"exit status {status}: {lines[-2:]}"
    assert len(lines) == FILES


def load_file(data: bytes, path: str, **options: object) -> object:
    with open(path, "wb") as file:
        file.write(data)
    return fj.load(path, **options)


@pytest.mark.parametrize("mmap", [False, True])
def test_checkpoints(tmp_path, mmap: bool) -> None:
    whole, path = a_checkpoint(), str(tmp_path / "file.pt")
    in_a_child(lambda draw: changed(whole, draw), lambda data: load_file(data, path, mmap=mmap))


def test_pickles_inside_of_checkpoints() -> None:
    whole = a_checkpoint()
    in_a_child(lambda draw: with_changed_pickle(whole, draw), lambda data: fj.load(io.BytesIO(data)))


def test_safetensors() -> None:
    whole = a_safetensors_file()
    in_a_child(lambda draw: changed(whole, draw), safetensors.load)
