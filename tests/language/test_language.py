"""Each program, plain and traced, several calls of one compiled function each."""

import copy
import warnings

import pytest

import framejit as fj
from tests.language import classes, data, exceptions, flow, functions, objects, values
from tests.language.outcomes import outcome, programs_of
from tests.language.subjects import State

PROGRAMS = [
    program
    for module in (exceptions, functions, classes, flow, data)
    for program in programs_of(module, ("n", "x"))
]
STATEFUL = [program for module in (objects, values) for program in programs_of(module, ("n", "x", "st"))]
INPUTS = {
    "ints": (0, 1, 2, 3),
    "floats": (1.5, 2.5, 0.0, -0.0, float("nan")),
    "bools": (True, False, 1),
    "huge": (10**30, -(10**30), 2**63, -(2**63) - 1, 2**62),
    "text": ("s", ""),
    "mixed": (1, 2.0, True, float("nan"), 3),
}


@pytest.fixture
def internal_errors():
    """What the compiler gave up by its own fault, which a program would not notice."""
    errors = []
    previous = fj._C.compiler.set_listener(lambda event: event["kind"] == "internal_error" and errors.append(event))
    yield errors
    fj._C.compiler.set_listener(previous)


def test_no_program_is_missed():
    assert len(PROGRAMS) == 51 and len(STATEFUL) == 42


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_numbers(program, internal_errors):
    compiled = fj.compile(program)
    for n in (0, 2, 2, 3, 1):
        arguments = n, fj.arange(3.0)
        want = outcome(program, copy.deepcopy(arguments))
        got = outcome(compiled, copy.deepcopy(arguments))
        assert got == want, f"n = {n}"
    assert not internal_errors


@pytest.mark.parametrize("inputs", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("program", STATEFUL, ids=lambda program: program.__name__)
def test_values_and_state(program, inputs):
    compiled = fj.compile(program)
    plain_state, compiled_state = State(), State()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fj.compiler.RecompileLimitWarning)
        for n in inputs:
            want = outcome(program, (n, fj.arange(3.0), plain_state))
            got = outcome(compiled, (n, fj.arange(3.0), compiled_state))
            assert repr(got) == repr(want), f"n = {n}"  # by text: NaN, and the sign of zero
