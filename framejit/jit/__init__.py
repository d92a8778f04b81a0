"""PyTorch's TorchScript, for programs that mention it.

There is no second language here: ``script`` and ``trace`` return what they get, which runs as the Python it is. Speed
comes from :func:`framejit.compile`, which takes any Python.
"""

import builtins
import types
import typing
from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeVar

from framejit import nn
from framejit.futures import Future
from framejit.jit import annotations as annotations
from framejit.jit import quantized as quantized

_T = TypeVar("_T")

__all__ = [
    "Attribute", "Final", "Future", "ScriptFunction", "ScriptModule", "annotate", "annotations", "export", "fork", "freeze",
    "ignore", "is_scripting", "is_tracing", "isinstance", "load", "optimize_for_inference", "save", "script",
    "script_if_tracing", "script_method", "trace", "unused", "wait",
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


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether ``obj`` is of a type, or of one in a tuple; ``list[int]`` and the like look at the elements, too."""
    if type(target_type) is tuple:
        return any(isinstance(obj, one) for one in target_type)
    origin, inner = typing.get_origin(target_type), typing.get_args(target_type)
    if target_type is None:
        return obj is None
    if origin in (typing.Union, types.UnionType):
        return any(isinstance(obj, one) for one in inner)
    if not builtins.isinstance(obj, origin or target_type):
        return False
    if origin is dict:
        return all(isinstance(key, inner[0]) and isinstance(value, inner[1]) for key, value in obj.items())
    if origin is tuple and not (len(inner) == 2 and inner[1] is ...):
        return len(obj) == len(inner) and all(map(isinstance, obj, inner))
    return origin not in (list, tuple) or all(isinstance(element, inner[0]) for element in obj)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future:
    """Calls ``func`` at once; what it returns is in the future, as is its exception."""
    future = Future()
    try:
        future.set_result(func(*args, **kwargs))
    except Exception as error:
        future.set_exception(error)
    return future


def wait(future: Future) -> Any:
    """What the forked function returned."""
    return future.wait()


def _unwrap_optional(x: _T | None) -> _T:
    assert x is not None, "Unwrapping null optional"
    return x


def _no_files(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "framejit has no TorchScript files. Save the weights with framejit.save(module.state_dict(), file)."
    )


load = save = _no_files
_fork, _wait = fork, wait
_script_if_tracing = _overload_method = script_method
ScriptModule = nn.Module
ScriptFunction = Callable[..., Any]
