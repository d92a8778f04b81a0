"""Numbers that are symbols while a function with dynamic shapes is traced, and plain numbers otherwise. Here they are Python's own
``int``, ``float`` and ``bool`` to the traced program, so these functions say in PyTorch's words what Python's builtins do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

__all__ = ["sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sqrt", "sym_sum"]


def sym_int(a: Any) -> int:
    """``a`` without its fraction."""
    return int(a)


def sym_float(a: Any) -> float:
    """``a`` as a float."""
    return float(a)


def sym_not(a: Any) -> bool:
    """Whether ``a`` is false."""
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """The larger one; a float where either is one, whichever is larger."""
    larger = max(a, b)
    return float(larger) if isinstance(a, float) or isinstance(b, float) else larger


def sym_min(a: Any, b: Any) -> Any:
    """The smaller one; a float where either is one, whichever is smaller."""
    smaller = min(a, b)
    return float(smaller) if isinstance(a, float) or isinstance(b, float) else smaller


def sym_sum(args: Iterable[Any]) -> Any:
    """The sum of numbers."""
    return sum(args)


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """``t`` where ``b`` holds, else ``f``, which has the type of ``t``.

    Raises TypeError where the types differ.
    """
    if not isinstance(b, bool) or type(t) is not type(f):
        raise TypeError(
            f"sym_ite: got {type(b).__name__}, {type(t).__name__}, {type(f).__name__}, expected a bool and two values of one type"
        )
    return t if b else f


def sym_sqrt(a: Any) -> float:
    """The square root; ValueError of a negative number."""
    return math.sqrt(a)
