"""Extensions in C++ against PyTorch's headers: not supported. The names exist, so that programs that could do without run."""

from __future__ import annotations

import os
from typing import Any, NoReturn

__all__ = ["CUDA_HOME", "BuildExtension", "CUDAExtension", "CppExtension", "load", "load_inline"]

CUDA_HOME = None


def _no_extensions(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises RuntimeError: there is no C++ API to build against."""
    raise RuntimeError(
        "framejit cannot build extensions: they are written against PyTorch's C++ API. Try the program's fallback in Python."
    )


def _get_build_directory(name: str, verbose: bool) -> str:
    """Where PyTorch would build the extension ``name``; nothing is made."""
    root = os.environ.get("TORCH_EXTENSIONS_DIR") or os.path.join(os.path.expanduser("~"), ".cache", "torch_extensions")
    return os.path.join(root, name)


load = load_inline = BuildExtension = CUDAExtension = CppExtension = _no_extensions
