"""Making modules whose values nobody asks for."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from framejit.nn.modules.module import Module

_M = TypeVar("_M", bound=Module)


def skip_init(module_cls: type[_M], *args: Any, **kwargs: Any) -> _M:
    """``module_cls(*args, **kwargs)`` whose parameters may hold anything; here they hold their usual initial values."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    return module_cls(*args, **kwargs)
