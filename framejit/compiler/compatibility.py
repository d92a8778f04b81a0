"""Names of PyTorch's compiler for what needs no mark here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from framejit.compiler.api import is_compiling

F = TypeVar("F", bound=Callable[..., Any])

is_dynamo_compiling = is_compiling


def is_exporting() -> bool:
    """False: nothing is exported."""
    return False


def allow_in_graph(fn: F) -> F:
    """``fn`` itself: it is traced like any other function. For a function that must be one node of the graph there is
    :func:`framejit.library.custom_op`."""
    return fn


def assume_constant_result(fn: F) -> F:
    """``fn`` itself: it is called again each time."""
    return fn


def cudagraph_mark_step_begin() -> None:
    """Does nothing: there are no CUDA graphs."""
