"""PyTorch's TorchScript, for programs that mention it.

There is no second language here: ``script`` and ``trace`` return what they get, which runs as the Python it is. Speed
comes from :func:`framejit.compile`, which takes any Python.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from framejit import nn
from framejit.jit import annotations as annotations

_T = TypeVar("_T")

__all__ = [
    "Attribute", "Final", "ScriptFunction", "ScriptModule", "annotate", "annotations", "export", "freeze", "ignore", "is_scripting",
    "is_tracing", "optimize_for_inference", "script", "script_if_tracing", "script_method", "trace", "unused",
]  # fmt: skip


def script(obj: _T, *args: Any, **kwargs: Any) -> _T:
    """``obj`` itself: a function, module or class."""
    return obj


def trace(func: _T, example_inputs: Any = None, *args: Any, **kwargs: Any) -> _T:
    """``func`` itself; it is not called."""
    return func


def freeze(mod: _T, *args: Any, **kwargs: Any) -> _T:
    """``mod`` itself."""
    return mod


def optimize_for_inference(mod: _T, *args: Any, **kwargs: Any) -> _T:
    """``mod`` itself."""
    return mod


def script_if_tracing(fn: _T) -> _T:
    """``fn`` itself."""
    return fn


def script_method(fn: _T) -> _T:
    """``fn`` itself."""
    return fn


def export(fn: _T) -> _T:
    """``fn`` itself."""
    return fn


def unused(fn: _T) -> _T:
    """``fn`` itself."""
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """``@ignore`` and ``@ignore(drop=...)``: the function itself."""
    return drop if callable(drop) else lambda fn: fn


def annotate(the_type: Any, the_value: _T) -> _T:
    """``the_value``."""
    return the_value


def is_scripting() -> bool:
    """Always False."""
    return False


def is_tracing() -> bool:
    """Always False."""
    return False


def Attribute(value: _T, type: Any = None) -> _T:
    """``value``."""
    return value


ScriptModule = nn.Module
ScriptFunction = Callable[..., Any]
