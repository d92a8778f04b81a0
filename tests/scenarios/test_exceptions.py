"""Exceptions and context managers (scenarios 1 to 4)."""

import contextlib
import traceback

import pytest

import framejit as fj
from tests.scenarios.support import check, check_calls, run


def test_handler_of_a_failing_op_runs():
    def fn(x):
        try:
            return x.sum(axis=5)
        except IndexError:
            return x * 2

    check(lambda: (fn, (fj.ones(3, 4),)))


def test_suppress_swallows_a_failing_op():
    def fn(x):
        with contextlib.suppress(IndexError):
            x = x.sum(axis=5)
        return x + 1

    check(lambda: (fn, (fj.ones(3),)))


class Swallow:
    def __init__(self):
        self.log = []

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, value, tb):
        self.log.append(kind.__name__ if kind else None)
        return kind is not None


def test_exit_returning_true_swallows():
    def case():
        manager = Swallow()

        def fn(x):
            with manager:
                x = x + 1
                x = x.reshape(7, 7)
            return x

        return fn, (fj.ones(3),), manager.log

    check(case)


def test_exit_runs_once_around_a_break():
    def case():
        manager = Swallow()

        def fn(x):
            with manager:
                x = x + 1
                print("inside", len(manager.log))
                x = x * 2
            return x

        return fn, (fj.ones(3),), manager.log

    check(case)


def test_break_inside_finally():
    def case():
        log = []

        def fn(x):
            try:
                x = x + 1
            finally:
                print("finally")
                log.append("done")
            return x * 3

        return fn, (fj.ones(3),), log

    check(case)


def test_context_made_before_a_break():
    def case():
        log = []

        @contextlib.contextmanager
        def manager():
            log.append("in")
            try:
                yield 5
            finally:
                log.append("out")

        def fn(x):
            context = manager()
            print("between")
            with context as value:
                x = x + value
            return x

        return fn, (fj.ones(3),), log

    check(case)


def test_append_then_raise():
    def case():
        items = []

        def fn(x):
            items.append(1)
            y = x + 1
            if len(items) > 0:
                raise ValueError("after the append")
            return y

        return fn, (fj.ones(3),), items

    check(case)


def inner_that_raises(x):
    return (x + 1).reshape(5, 5)


def outer_that_calls(x):
    x = x * 2
    return inner_that_raises(x)


def test_traceback_names_both_frames():
    compiled = fj.compile(outer_that_calls)
    for _ in range(2):
        with pytest.raises(RuntimeError) as info:
            compiled(fj.ones(3))
        frames = [(f.filename, f.name, f.line) for f in traceback.extract_tb(info.value.__traceback__)]
        assert (__file__, "outer_that_calls", "return inner_that_raises(x)") in frames
        assert (__file__, "inner_that_raises", "return (x + 1).reshape(5, 5)") in frames


def test_zero_division_then_not():
    def make():
        def fn(x, t):
            try:
                y = 1 // x
            except ZeroDivisionError:
                return t - 1
            return t + y

        return fn

    t = fj.ones(2)
    check_calls(make, (1, t), (0, t), (1, t), (2, t))


def test_exception_inside_no_grad_restores_the_mode():
    def fn(x):
        with fj.no_grad():
            x.reshape(7, 7)

    compiled = fj.compile(fn)
    for _ in range(2):
        assert isinstance(run(lambda: compiled(fj.ones(3))).error, RuntimeError)
        assert fj.is_grad_enabled()


def test_raise_and_catch_own_exception():
    class Stop(Exception):
        pass

    def fn(x):
        total = x
        for i in range(5):
            try:
                if i == 3:
                    raise Stop(i)
                total = total + i
            except Stop as stop:
                total = total * stop.args[0]
            else:
                total = total - 1
        return total

    check(lambda: (fn, (fj.ones(3),)))


def test_effects_before_a_failing_op_and_none_after():
    def case():
        log = []

        def fn(x):
            log.append("before")
            x.view(100)
            log.append("after")

        return fn, (fj.ones(3),), log

    check(case)


def test_index_out_of_range_at_run_time():
    def case():
        log = []

        def fn(table, index):
            log.append("start")
            table = table + 1
            row = table[index]
            log.append("end")
            return row.sum()

        return fn, (fj.ones(3, 2), fj.tensor([0, 5])), log

    check(case)


def test_reraise_with_cause():
    def fn(x):
        try:
            x.view(100)
        except RuntimeError as error:
            raise KeyError("wrapped") from error

    compiled = fj.compile(fn)
    for _ in range(2):
        with pytest.raises(KeyError, match="wrapped") as info:
            compiled(fj.ones(3))
        assert isinstance(info.value.__cause__, RuntimeError)


def test_the_frame_that_raises_at_its_first_instruction_can_be_looked_at():
    captured = 3

    def fn(x):
        print(x)
        return captured

    with pytest.raises(fj.compiler.GraphBreakError) as info:
        fj.compile(fn, fullgraph=True)(fj.ones(1))
    frame = info.traceback[-1].frame
    assert frame.f_locals["captured"] == 3
