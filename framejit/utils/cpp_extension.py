"""Extensions in C++ against PyTorch's headers: not supported. The names exist, so that programs that could do without run."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["CUDA_HOME", "BuildExtension", "CUDAExtension", "CppExtension", "load", "load_inline"]

CUDA_HOME = None


def _no_extensions(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises RuntimeError: there is no C++ API to build against."""
    raise RuntimeError(
        "framejit cannot build extensions: they are written against PyTorch's C++ API. Try the program's fallback in Python."
    )


load = load_inline = BuildExtension = CUDAExtension = CppExtension = _no_extensions
