"""Functions that let other types decide what they mean: ``__torch_function__``, for Python code that asks.

The operators of framejit themselves do not ask. A function of a program's own can::

    def norm(x):
        if has_torch_function((x,)):
            return handle_torch_function(norm, (x,), x)
        ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from framejit import Tensor

__all__ = [
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
]


def _overriding(relevant_args: Iterable[Any]) -> list[Any]:
    """One argument of each type that has ``__torch_function__``, those of derived classes before their bases."""
    found: list[Any] = []
    for arg in relevant_args:
        kind = type(arg)
        if hasattr(kind, "__torch_function__") and all(kind is not type(other) for other in found):
            place = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
            found.insert(place, arg)
    return found


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether the type of an argument has ``__torch_function__``."""
    return bool(_overriding(relevant_args))


def has_torch_function_unary(arg: Any) -> bool:
    """:func:`has_torch_function` of one argument."""
    return hasattr(type(arg), "__torch_function__")


def has_torch_function_variadic(*args: Any) -> bool:
    """:func:`has_torch_function` of several arguments."""
    return has_torch_function(args)


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """What the first ``__torch_function__`` of the arguments gives that is not NotImplemented.

    Raises:
        TypeError: there is none.
    """
    found = _overriding(relevant_args)
    types = tuple(type(arg) for arg in found)
    for arg in found:
        result = arg.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {[*types]}")


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor, or of a type that has ``__torch_function__``."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")
