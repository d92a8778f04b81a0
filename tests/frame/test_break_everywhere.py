"""Every construct of Python, each instruction performed by framejit's own runner, against plain CPython."""

import gc
import sys

import pytest

from tests.frame.programs import ROWS
from tests.frame.support import break_everywhere, outcome


def row_name(make):
    function, *arguments = make()
    return f"{function.__name__}-{str(arguments)[:30]}"


@pytest.mark.parametrize("make", ROWS, ids=map(row_name, ROWS))
def test_same_as_cpython(make):
    def run(transform):
        function, *arguments = make()
        call = transform(function)
        return call, [outcome(lambda: call(*arguments)) for _ in range(3)]

    _, plain = run(lambda function: function)
    compiled, stepped = run(break_everywhere)
    assert repr(stepped) == repr(plain)
    assert compiled.stats()["traces"] > 0, "the interpreter ran it all"


@pytest.mark.parametrize("make", ROWS, ids=map(row_name, ROWS))
def test_leaves_no_references(make):
    function, *arguments = make()
    compiled = break_everywhere(function)
    argument = object()

    def round():
        fresh, *values = make()
        outcome(lambda: compiled(*values))
        outcome(lambda: compiled(argument))

    gc.freeze()  # what other tests have left need not be looked at again
    try:
        for _ in range(5):
            round()
        gc.collect()
        before = sys.getrefcount(argument), len(gc.get_objects())
        for _ in range(20):
            round()
        gc.collect()
        after = sys.getrefcount(argument), len(gc.get_objects())
    finally:
        gc.unfreeze()
    assert after[0] == before[0]
    assert after[1] - before[1] < 20, "objects that stay behind each call"
