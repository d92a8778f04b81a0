"""What programs use to describe their own ops to an export. There is no export, so nobody asks for the descriptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = ["parse_args"]


def parse_args(*arg_descriptors: str) -> Callable[[_F], _F]:
    """A decorator that leaves the function as it is."""
    return lambda function: function
