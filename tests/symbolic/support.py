"""Runs a function plain and compiled on equal arguments and compares all that a program can see."""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Callable
from typing import Any

import framejit as fj
from framejit import _C


def outcome(fn: Callable, args: tuple) -> tuple:
    """(result, exception, printed text) of a call."""
    out = io.StringIO()
    result = error = None
    with contextlib.redirect_stdout(out):
        try:
            result = fn(*args)
        except Exception as raised:  # compared by the caller
            error = raised
    return result, error, out.getvalue()


def state(value: Any) -> Any:
    """A value in a form that compares by content, types included."""
    if isinstance(value, (list, tuple)):
        return type(value), [state(item) for item in value]
    if isinstance(value, dict):
        return type(value), [(key, state(item)) for key, item in value.items()]
    if isinstance(value, (int, float, str, bytes, set, frozenset, range, slice, type(None), type)):
        return type(value), repr(value) if isinstance(value, float) else value
    if hasattr(value, "__dict__") and not callable(value):
        return type(value), state(vars(value))
    if hasattr(type(value), "__slots__"):
        return type(value), [(name, state(getattr(value, name, "unset"))) for name in type(value).__slots__]
    return type(value), None


def check(fn: Callable, *args: Any, calls: int = 2, whole: bool = True, make: Callable | None = None) -> list[dict]:
    """Compares ``calls`` calls. ``whole``: the function must be one trace that returns. ``make`` builds the function anew
    for each side, when it has state of its own. Returns the trace events of the compiled side.
    """
    events: list[dict] = []
    plain = make() if make else fn
    compiled = fj.compile(make() if make else fn)
    plain_args, compiled_args = copy.deepcopy(args), copy.deepcopy(args)
    previous = _C.compiler.set_listener(events.append)
    try:
        for call in range(calls):
            want, want_error, want_text = outcome(plain, plain_args)
            got, got_error, got_text = outcome(compiled, compiled_args)
            where = f"call {call + 1}"
            assert type(got_error) is type(want_error), f"{where}: {got_error!r}, expected {want_error!r}"
            assert str(got_error) == str(want_error), where
            assert state(got) == state(want), f"{where}: {got!r}, expected {want!r}"
            assert got_text == want_text, where
            assert state(compiled_args) == state(plain_args), f"{where}: arguments after the call"
    finally:
        _C.compiler.set_listener(previous)
    traces = [event for event in events if event["kind"] == "trace"]
    assert traces, "nothing was traced"
    assert not [event for event in events if event["kind"] == "internal_error"]
    if whole:
        breaks = [(event["end"], event["break"] and (event["break"]["id"], event["break"]["detail"])) for event in traces]
        assert all(end == "returns" for end, _ in breaks), breaks
    return traces


def break_ids(traces: list[dict]) -> list[str]:
    return [event["break"]["id"] for event in traces if event["break"]]
