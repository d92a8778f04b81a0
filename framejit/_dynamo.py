"""PyTorch's private path of the compiler, which programs use all the same. See :mod:`framejit.compiler`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from framejit.compiler import compile as _compile
from framejit.compiler import disable, explain, is_compiling, list_backends, reset

__all__ = ["config", "disable", "explain", "is_compiling", "list_backends", "optimize", "reset"]

# Switches that programs set. They have no effect here: options are arguments of `framejit.compile`.
config = SimpleNamespace(
    cache_size_limit=8, capture_scalar_outputs=False, suppress_errors=False, verbose=False, recompile_limit=8
)


def optimize(backend: Any = "inductor", *, nopython: bool = False, dynamic: bool | None = None) -> Any:
    """A decorator: ``framejit.compile(..., fullgraph=nopython)``."""
    return _compile(backend=backend, fullgraph=nopython, dynamic=dynamic)
