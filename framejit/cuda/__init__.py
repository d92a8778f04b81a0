"""What programs ask before they use a GPU. This build has kernels for the CPU only, and says so."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "Event", "Stream", "current_device", "current_stream", "default_stream", "device_count",
    "empty_cache", "get_device_name", "init", "is_available", "is_bf16_supported",
    "is_initialized", "manual_seed", "manual_seed_all", "set_device", "synchronize",
]  # fmt: skip


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


init = current_device = get_device_name = set_device = synchronize = _no_gpu
current_stream = default_stream = _no_gpu


class Stream:
    """A queue of a GPU's work; making one raises RuntimeError, since there is no GPU."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Stream:
        _no_gpu()


class Event(Stream):
    """A point in a stream; making one raises RuntimeError, since there is no GPU."""


from framejit.cuda import comm as comm  # noqa: E402
