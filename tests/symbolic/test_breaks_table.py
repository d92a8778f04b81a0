"""symbolic/breaks.def: every row is used, has its texts, and is met by the smallest function that triggers it."""

import array
import re
import sys
import time
from pathlib import Path

import pytest

import framejit as fj
from framejit._C import compiler

ROOT = Path(__file__).parents[2]
NUMBERS = array.array("d", [1.0])


@fj.compiler.disable
def left_alone(x):
    return x


def tensor_branch(x):
    return x + 1 if x.sum() > 0 else x - 1


def tensor_value(x):
    return x * float(x.sum())


def op_failed(x):
    try:
        return x.sum(5)
    except IndexError:
        return x


def unknown_call(x):
    time.time()
    return x * 2


def output_call(x):
    print(end="")
    return x * 2


def disabled_call(x):
    return left_alone(x) * 2


def frame_inspection(x):
    locals()
    return x * 2


def raises(x):
    raise ValueError(x * 2)


def unknown_object(x):
    return x * NUMBERS[0]


def unsupported_attribute(x):
    return x.grad_fn


def unsupported_iteration(x):
    for number in NUMBERS:
        x = x * number
    return x


def real_iterator(x, numbers):
    for number in numbers:
        x = x * number
    return x


def long_loop(x):
    for number in range(500):
        x = x + number
    return x


def class_definition(x):
    class Local:
        pass

    return x * 2


def number_overflow(x, number):
    return x * (number**100 % 7)


class Doubled(fj.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print(end="")
        return grad * 2


def custom_gradient(x, weight):
    return Doubled.apply(x * weight)


def data_dependent_shape(x):
    return fj.nonzero(x)


def op_unsupported(x):
    with fj.no_grad():
        print(end="")  # what follows is a trace that starts without gradients
        with fj.enable_grad():
            return x * 2


async def coroutine():
    return None


def generator_call(x):
    coroutine().close()
    return x * 2


def grouped():
    try:
        raise ValueError
    except* ValueError:
        result = 2
    return result


def unsupported_opcode(x):
    return x * grouped()


def trace_too_long(x):
    for _ in range(20):
        x = x + 1
    return x


def import_statement(x):
    import colorsys

    return x * len(colorsys.__all__)


def unbuildable_object(x):
    numbers = (n for n in (1, 2))
    x = x * next(numbers)
    print(end="")
    return x * next(numbers)


def nested(depth, x):
    return x if depth == 0 else nested(depth - 1, x) * 2


def recursion_limit(x):
    return nested(5, x)


def _many_generators(count):
    """Each generator was made after those in later slots, so that every attempt moves the break up by just one."""
    names = [f"g{i}" for i in range(count)]
    made = "".join(f"    {name} = (n for n in (1, 2))\n" for name in reversed(names))
    used = " + ".join(f"next({name})" for name in names)
    parameters = ", ".join(f"{name}=None" for name in names)
    source = f"def too_many_attempts(x, {parameters}):\n{made}    print(end='')\n    return x * ({used})\n"
    namespace = {}
    exec(source, namespace)
    return namespace["too_many_attempts"]


# id of the break -> a function that meets it, further arguments, options
CASES = {
    "tensor_branch": (tensor_branch, (), {}),
    "tensor_value": (tensor_value, (), {}),
    "op_failed": (op_failed, (), {}),
    "unknown_call": (unknown_call, (), {}),
    "output_call": (output_call, (), {}),
    "disabled_call": (disabled_call, (), {}),
    "frame_inspection": (frame_inspection, (), {}),
    "raises": (raises, (), {}),
    "unknown_object": (unknown_object, (), {}),
    "unsupported_attribute": (unsupported_attribute, (), {}),
    "unsupported_iteration": (unsupported_iteration, (), {}),
    "real_iterator": (real_iterator, (iter([1, 2]),), {}),
    "long_loop": (long_loop, (), {}),
    "class_definition": (class_definition, (), {}),
    "number_overflow": (number_overflow, (10**6,), {}),
    "custom_gradient": (custom_gradient, (fj.ones(4, requires_grad=True),), {}),
    "data_dependent_shape": (data_dependent_shape, (), {}),
    "op_unsupported": (op_unsupported, (), {}),
    "generator_call": (generator_call, (), {}),
    "unsupported_opcode": (unsupported_opcode, (), {}),
    "trace_too_long": (trace_too_long, (), {"max_instructions": 50}),
    "import_statement": (import_statement, (), {}),
    "unbuildable_object": (unbuildable_object, (), {}),
    "too_many_attempts": (_many_generators(30), (), {}),
    "recursion_limit": (recursion_limit, (), {"inline_depth": 2}),
}
ROWS = {row["id"]: row for row in compiler.break_reasons()}


def breaks_of(function, arguments, options):
    events = []
    previous = compiler.set_listener(events.append)
    try:
        fj.compile(function, options=options or None)(fj.arange(4.0), *arguments)
    except ValueError:
        assert function is raises
    finally:
        compiler.set_listener(previous)
    return {event["break"]["id"] for event in events if event["kind"] == "trace" and event["break"]}


@pytest.mark.parametrize("break_id", CASES)
def test_the_break_is_met(break_id):
    sys.modules.pop("colorsys", None)  # import_statement imports it; another test may have
    assert break_id in breaks_of(*CASES[break_id])


def test_every_row_has_a_case():
    assert set(CASES) == set(ROWS)


@pytest.mark.parametrize("break_id", ROWS)
def test_every_row_has_texts_and_is_used(break_id):
    row = ROWS[break_id]
    assert row["what"] and row["why"] and row["remedy"]
    folders = [ROOT / "symbolic", ROOT / "framejit" / "bindings"]
    sources = [path.read_text() for folder in folders for path in folder.rglob("*.cc")]
    assert any(re.search(rf"BreakId::{break_id}\b", text) for text in sources)
