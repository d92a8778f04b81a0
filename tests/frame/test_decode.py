"""The decoder: one instruction set from every interpreter."""

import dis

import pytest

from framejit._C import compiler
from tests.frame import programs
from tests.frame.programs import ROWS

FUNCTIONS = sorted({make()[0] for make in ROWS}, key=lambda f: f.__name__)


def listing(function):
    return [line.split() for line in compiler.listing(function.__code__).splitlines() if not line.startswith("[")]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_opcode_is_known(function):
    unknown = [row[3] for row in listing(function) if row[1] == "Unsupported"]
    assert set(unknown) <= {"CHECK_EG_MATCH", "PREP_RERAISE_STAR", "CALL_INTRINSIC_2"}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_jumps_land_on_the_instruction_that_dis_names(function):
    lines = compiler.listing(function.__code__).splitlines()
    count = sum(not line.startswith("[") for line in lines)
    targets = [int(line.split(" to ")[1]) for line in lines if " to " in line]
    assert all(0 <= target < count for target in targets)
    jumps = [i for i in dis.get_instructions(function) if i.opcode in dis.hasjrel or i.opcode in dis.hasjabs]
    assert len(targets) == len(jumps)


def test_a_small_function_is_the_same_on_all_versions():
    def small(x, y):
        return x + y

    assert [row[1:3] for row in listing(small)] == [
        ["Resume", "0"],
        ["LoadFast", "0"],
        ["LoadFast", "1"],
        ["BinaryOp", "0"],
        ["ReturnValue", "0"],
    ]


def test_names_of_keyword_calls_and_truth_are_explicit():
    rows = [row[1] for row in listing(programs.branches)]
    for at, name in enumerate(rows):
        if name in ("PopJumpIfTrue", "PopJumpIfFalse"):
            assert rows[at - 1] == "ToBool"
    assert "CallKw" in [row[1] for row in listing(programs.functions)]


def test_not_a_code_object():
    with pytest.raises(TypeError, match="decode: expected a code object"):
        compiler.listing(3)
