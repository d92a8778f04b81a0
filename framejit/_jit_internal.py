"""PyTorch's private path of what TorchScript programs import; see :mod:`framejit.jit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: UP035  (the names are the point)

from framejit.jit import export, ignore, is_scripting, unused
from framejit.jit.annotations import BroadcastingList1, BroadcastingList2, BroadcastingList3

__all__ = [
    "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Dict", "Final", "List", "Optional", "Tuple", "Union",
    "boolean_dispatch", "export", "ignore", "is_scripting", "unused",
]  # fmt: skip


def boolean_dispatch(
    arg_name: str, arg_index: int, default: bool, if_true: Any, if_false: Any, module_name: str, func_name: str
) -> Callable[..., Any]:
    """A function that calls ``if_true`` or ``if_false``, as one of its arguments says."""

    def function(*args: Any, **kwargs: Any) -> Any:
        flag = args[arg_index] if arg_index < len(args) else kwargs.get(arg_name, default)
        return (if_true if flag else if_false)(*args, **kwargs)

    function.__name__, function.__module__ = func_name, module_name
    return function


def _overload(function: Any) -> Any:
    """``function`` itself; a declaration for TorchScript."""
    return function


_overload_method = _overload
