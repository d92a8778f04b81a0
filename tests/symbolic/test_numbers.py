"""Python numbers that are inputs of a trace: exact arithmetic, guards on what is decided by them."""

import math

import pytest

import framejit as fj
from framejit import _C
from tests.symbolic.support import check


@pytest.mark.parametrize(
    "body",
    [
        lambda a, b: a + b * 2 - 3,
        lambda a, b: (a * b) ** 2,
        lambda a, b: a / b,
        lambda a, b: a // b + a % b,
        lambda a, b: -a + +b,
        lambda a, b: a << 2 | b & 1,
        lambda a, b: abs(a - b) + abs(b - a),
        lambda a, b: a if a < b else b,
        lambda a, b: a == b or a != b and a >= b,
        lambda a, b: min(a, b) + max(a, b, 3),
        lambda a, b: float(a) + int(b * 1.5),
        lambda a, b: round(a / b, 2) + divmod(a, b)[0],
        lambda a, b: math.sqrt(a) + math.gcd(a, b),
        lambda a, b: bool(a - b) + (not a),
        lambda a, b: 10**30 * a + b,
        lambda a, b: sum([a, b, 0.5]),
        lambda a, b: 1 < a < 10 < b,
        lambda a, b: ~a ^ b,
    ],
)
def test_arithmetic(body):
    check(body, 7, 3)
    check(body, 2, 2)


def test_values_are_inputs_where_they_are_only_computed_with():
    compiled = fj.compile(lambda x, n: x * n + 1)
    for n in range(50):
        assert compiled(0.5 * n, n) == 0.5 * n * n + 1
    assert compiled.stats()["compilations"] == 1


def test_a_comparison_is_guarded_by_its_outcome():
    compiled = fj.compile(lambda n: n * 2 if n > 10 else n * 3)
    assert [compiled(n) for n in (1, 5, 11, 50, 2)] == [3, 15, 22, 100, 6]
    assert compiled.stats()["compilations"] == 2


def test_types_are_guarded():
    compiled = fj.compile(lambda a, b: a + b)
    assert compiled(1, 2) == 3
    assert compiled(1.0, 2) == 3.0
    assert compiled("a", "b") == "ab"
    assert compiled([1], [2]) == [1, 2]
    assert compiled(True, 2) == 3


def test_integers_are_exact():
    compiled = fj.compile(lambda a, b: a * b + 1)
    for a, b in ((2, 3), (2**62, 2**62), (-(2**63), 5)):
        assert compiled(a, b) == a * b + 1


def test_nan_and_signed_zero():
    compiled = fj.compile(lambda x: (x == x, x + 0.0, -x))
    for x in (1.0, math.nan, -0.0, 0.0, math.inf):
        got, want = compiled(x), (x == x, x + 0.0, -x)
        assert repr(got) == repr(want)


def test_division_by_zero_raises_what_python_raises():
    check(lambda a, b: a // b, 1, 0, whole=False)
    check(lambda a, b: a % b, 1.5, 0, whole=False)
    compiled = fj.compile(lambda a, b: a / b)
    assert compiled(4, 2) == 2.0
    with pytest.raises(ZeroDivisionError):
        compiled(4, 0)
    assert compiled(9, 3) == 3.0


def test_a_power_whose_type_depends_on_the_value():
    compiled = fj.compile(lambda a, b: a**b)
    for a, b in ((2, 3), (2, -1), (4.0, 0.5), (-4.0, 0.5), (2, 100)):
        assert compiled(a, b) == a**b and type(compiled(a, b)) is type(a**b)


def test_listing_of_a_trace():
    events = []
    previous = _C.compiler.set_listener(events.append)
    try:
        fj.compile(lambda a, b: a + b * 2)(1, 2)
    finally:
        _C.compiler.set_listener(previous)
    assert "binary" in events[0]["trace"] and events[0]["trace"].endswith("returns r4\n")
