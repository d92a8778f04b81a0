"""Which of framejit's functions and methods an ``OpInfo`` is about.

PyTorch's entry holds callables: a function of torch, a method of its Tensor, or a small Python function around one of them
(``lambda x, *args: x.to(*args)``). The last is run as it is, with ``torch`` meaning framejit in its globals.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import torch

import framejit as fj

# Entries that are named after what they test, not after a function or method.
METHOD_OF = {name: f"{name}_" for name in ("cauchy", "exponential", "geometric", "log_normal", "uniform")}
FUNCTION_OF = {"_segment_reduce": "segment_reduce"}


def look_up(root: Any, path: str) -> Any:
    """``root.a.b`` for 'a.b', or None."""
    for name in path.split("."):
        root = getattr(root, name, None)
    return root


def our_function(name: str) -> Any:
    """framejit's function or Tensor attribute of PyTorch's name, or None. A dtype (``fj.bool``) is not one."""
    found = look_up(fj, FUNCTION_OF.get(name, name))
    if isinstance(found, fj.dtype) or found is None:
        found = getattr(fj.Tensor, METHOD_OF.get(name, name), None)
    return found


def rebind(function: types.FunctionType) -> types.FunctionType:
    """The same Python function, with framejit where it says ``torch``."""
    names = {**function.__globals__, "torch": fj, "F": fj.nn.functional}
    copy = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def is_python_wrapper(function: Any) -> bool:
    return isinstance(function, types.FunctionType) and function.__module__.startswith("torch.testing.")


def through_compiler(function: Callable) -> Callable:
    """The same call, compiled: by way of its graph where it can be traced."""

    def run(*args: Any, **kwargs: Any) -> Any:
        compiled = fj.compile(lambda *args, **kwargs: function(*args, **kwargs))
        errors = fj.compiler.errors.internal_error_count
        result = compiled(*args, **kwargs)
        assert fj.compiler.errors.internal_error_count == errors, "the compiler failed"
        failed = fj.compiler.stats(compiled).failed_runs
        assert not failed, "the graph raised, and the interpreter gave the result"
        return result

    return run


class Counterpart:
    """framejit's side of an ``OpInfo``: None where it has no such variant."""

    def __init__(self, op: Any) -> None:
        self.op = op
        self.function = self._translate(op.op, our_function(op.name))
        name = op.name.split(".")[-1]
        self.method = self._translate(op.method_variant, getattr(fj.Tensor, name, None))
        self.inplace = self._translate(
            op.inplace_variant, getattr(fj.Tensor, name if name.endswith("_") else f"{name}_", None)
        )
        self.aliases = [
            (alias.name, look_up(fj, alias.name.removeprefix("torch.")), alias.op) for alias in op.aliases
        ]

    def compiled(self) -> Counterpart:
        """Of the function alone, called inside a compiled function, which is traced anew for each call."""
        copy = Counterpart(self.op)
        copy.function = through_compiler(self.function)
        return copy

    @staticmethod
    def present(op: Any) -> bool:
        return our_function(op.name) is not None

    @staticmethod
    def _translate(theirs: Any, ours: Any) -> Callable | None:
        if theirs is None:
            return None
        if is_python_wrapper(theirs):
            return rebind(theirs)
        # functools.partial(torch.Tensor.div_, ...), functools.partial(torch.nn.functional.mish, ...)
        partial_name = getattr(getattr(theirs, "func", None), "__name__", None)
        if partial_name is not None:
            whole = getattr(fj.Tensor, partial_name, None) or getattr(fj.nn.functional, partial_name, None)
            return whole and (lambda *args, **kwargs: whole(*args, **{**theirs.keywords, **kwargs}))
        return ours


def variant_name(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
