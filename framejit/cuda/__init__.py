"""What programs ask before they use a GPU. This build has kernels for the CPU only, and says so."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from framejit import _C
from framejit._C import OutOfMemoryError as OutOfMemoryError

__all__ = [
    "CUDAGraph", "Event", "OutOfMemoryError", "Stream", "current_device", "current_stream", "default_stream", "device", "device_count",
    "device_of", "empty_cache", "get_device_name", "get_rng_state", "graph", "init", "is_available", "is_bf16_supported",
    "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_reserved", "mem_get_info",
    "memory_allocated", "memory_reserved", "memory_stats", "set_device", "set_rng_state", "stream", "synchronize",
]  # fmt: skip

_initialized = False
default_generators: tuple[_C.Generator, ...] = ()


def is_available() -> bool:
    """Whether tensors can live on a GPU: never."""
    return False


def device_count() -> int:
    """Number of GPUs that tensors can live on: none."""
    return 0


def is_initialized() -> bool:
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return False


def manual_seed(seed: int) -> None:
    """Seeds the current GPU; without one nothing happens, as in PyTorch."""


def manual_seed_all(seed: int) -> None:
    """Seeds all GPUs; without one nothing happens, as in PyTorch."""


def empty_cache() -> None:
    """Gives unused GPU memory back; there is none."""


def _no_gpu(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises RuntimeError: there is no GPU."""
    raise RuntimeError(
        "framejit is built without CUDA: tensors live on the CPU. Ask framejit.cuda.is_available() first, or use device='cpu'."
    )


init = current_device = get_device_name = get_device_properties = get_device_capability = set_device = synchronize = _no_gpu
current_stream = default_stream = graph = mem_get_info = get_rng_state = set_rng_state = _no_gpu


def memory_allocated(device: Any = None) -> int:
    """Bytes of GPU memory in use: 0."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated
memory_cached = max_memory_cached = memory_allocated  # what the two before were once called


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Figures of the GPU memory allocator: none."""
    return {}


def _lazy_call(callable: Callable[[], Any], **kwargs: Any) -> None:
    """Remembers what to do when the GPU is first used, which never happens."""


@contextlib.contextmanager
def device(device: Any) -> Iterator[None]:
    """Makes a GPU the current one inside of ``with``; ``None`` and -1 change nothing, anything else raises."""
    if device is not None and device != -1:
        _no_gpu()
    yield


def device_of(obj: _C.Tensor) -> contextlib.AbstractContextManager[None]:
    """Makes the GPU of a tensor the current one inside of ``with``; changes nothing, since no tensor is on one."""
    return contextlib.nullcontext()


def stream(stream: Stream | None) -> contextlib.AbstractContextManager[None]:
    """Makes a stream the current one inside of ``with``; ``None``, the only stream there can be, changes nothing."""
    return contextlib.nullcontext()


class Stream:
    """A queue of a GPU's work; making one raises RuntimeError, since there is no GPU."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Stream:
        _no_gpu()


class Event(Stream):
    """A point in a stream; making one raises RuntimeError, since there is no GPU."""


class CUDAGraph(Stream):
    """A recording of a GPU's work; making one raises RuntimeError, since there is no GPU."""


class FloatTensor(Stream):
    """A tensor on a GPU, as it was made before PyTorch 0.4; raises. No tensor is an instance."""


class DoubleTensor(FloatTensor):
    """As :class:`FloatTensor`."""


class HalfTensor(FloatTensor):
    """As :class:`FloatTensor`."""


class LongTensor(FloatTensor):
    """As :class:`FloatTensor`."""


class IntTensor(FloatTensor):
    """As :class:`FloatTensor`."""


class ByteTensor(FloatTensor):
    """As :class:`FloatTensor`."""


class BoolTensor(FloatTensor):
    """As :class:`FloatTensor`."""


from framejit.cuda import comm as comm  # noqa: E402
from framejit.cuda import nvtx as nvtx  # noqa: E402
