"""How a scenario is checked: run plain, then compiled, on equal inputs; everything a user can see must agree.

A scenario is a function ``case()`` that builds fresh state and returns ``(fn, args)`` or ``(fn, args, state)``: calling
``fn(*args)`` is the program, ``state`` is a mutable object whose content is compared as well (side effects).
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

import framejit as fj


@dataclass
class Outcome:
    value: Any
    error: BaseException | None
    printed: str


def run(call: Callable[[], Any]) -> Outcome:
    out = io.StringIO()
    value = error = None
    with redirect_stdout(out):
        try:
            value = call()
        except Exception as raised:  # compared below, never swallowed
            error = raised
    return Outcome(value, error, out.getvalue())


def assert_same(got: Any, want: Any, where: str = "result", tolerance: float = 0.0) -> None:
    """Equal in type, value, dtype, shape and strides, recursively. ``tolerance``: of tensor elements, for programs whose
    reductions may add in another order once they are fused."""
    assert type(got) is type(want), f"{where}: got {type(got)}, expected {type(want)}"
    if isinstance(want, fj.Tensor):
        assert got.dtype == want.dtype, where
        assert got.shape == want.shape, f"{where}: got {got.shape}, expected {want.shape}"
        assert got.stride() == want.stride(), f"{where}: got strides {got.stride()}, expected {want.stride()}"
        assert got.requires_grad == want.requires_grad, where
        a, b = (t.detach().double().numpy() if t.dtype == fj.bfloat16 else t.detach().numpy() for t in (got, want))
        if tolerance:
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=where)
        else:
            np.testing.assert_array_equal(a, b, err_msg=where)
    elif isinstance(want, dict):
        assert list(got) == list(want), where
        for key in want:
            assert_same(got[key], want[key], f"{where}[{key!r}]", tolerance)
    elif isinstance(want, (list, tuple)):
        assert len(got) == len(want), f"{where}: got {got}, expected {want}"
        for i, (g, w) in enumerate(zip(got, want)):
            assert_same(g, w, f"{where}[{i}]", tolerance)
    elif is_dataclass(want) and not isinstance(want, type):
        for field in fields(want):
            assert_same(getattr(got, field.name), getattr(want, field.name), f"{where}.{field.name}", tolerance)
    elif isinstance(want, float):
        assert np.float64(got).tobytes() == np.float64(want).tobytes(), f"{where}: got {got}, expected {want}"
    elif hasattr(want, "__dict__") and type(want).__eq__ is object.__eq__:
        assert_same(vars(got), vars(want), where, tolerance)
    else:
        assert got == want, f"{where}: got {got!r}, expected {want!r}"


def assert_same_outcome(got: Outcome, want: Outcome, where: str, tolerance: float = 0.0) -> None:
    assert type(got.error) is type(want.error), f"{where}: raised {got.error!r}, expected {want.error!r}"
    if want.error is not None:
        assert str(got.error) == str(want.error), where
    assert got.printed == want.printed, where
    assert_same(got.value, want.value, where, tolerance)


def check(case: Callable[[], tuple], calls: int = 2, **options: Any) -> Any:
    """Runs ``case`` plain and compiled, ``calls`` times on one compiled function, and compares. Returns it."""
    fj.compiler.reset()
    plain_fn, *plain_rest = case()
    fn, *rest = case()
    compiled = fj.compile(fn, **options)
    for call in range(calls):
        want = run(lambda: plain_fn(*plain_rest[0]))
        got = run(lambda: compiled(*rest[0]))
        assert_same_outcome(got, want, f"call {call + 1}")
        if len(rest) > 1:
            assert_same(rest[1], plain_rest[1], f"state after call {call + 1}")
    return compiled


def check_calls(make: Callable[[], Callable], *argument_lists: tuple, **options: Any) -> Any:
    """As ``check`` for one function called with several argument lists in turn (each used for both runs as it is)."""
    fj.compiler.reset()
    plain, compiled = make(), fj.compile(make(), **options)
    for i, args in enumerate(argument_lists):
        want = run(lambda: plain(*args))
        got = run(lambda: compiled(*args))
        assert_same_outcome(got, want, f"call {i + 1}")
    return compiled
