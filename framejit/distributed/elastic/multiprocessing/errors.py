"""Errors of worker processes, written where their launcher looks for them. There is no launcher."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = ["record"]


def record(fn: _F, error_handler: Any = None) -> _F:
    """``fn`` itself."""
    return fn
