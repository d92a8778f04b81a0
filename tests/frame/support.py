"""How frame tests run a function: plain, and with every instruction performed by framejit's runner."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from framejit._C import compiler


def break_everywhere(fn: Callable[..., Any], **options: int) -> Any:
    """``fn`` compiled by the tracer that ends every trace at once: the runner steps through the whole frame."""
    return compiler.CompiledFunction(fn, backend="break_everywhere", options={"cache_size_limit": 1_000_000, **options})


@dataclass
class Outcome:
    """What a caller can see of a call: the value, or the exception with the lines of its traceback."""

    value: Any = None
    error: str = ""
    places: tuple = ()
    context: str = ""


def outcome(call: Callable[[], Any]) -> Outcome:
    try:
        return Outcome(value=call())
    except BaseException as raised:
        frames = traceback.extract_tb(raised.__traceback__)[1:]
        places = tuple((frame.name, frame.lineno) for frame in frames if frame.name != "<lambda>")
        return Outcome(error=f"{type(raised).__name__}: {raised}", places=places, context=repr(raised.__context__))
