"""fj.utils.benchmark, on a clock of our own."""

import itertools

import pytest

import framejit as fj
from framejit.utils import benchmark


def test_timer():
    threads_before, seen = fj.get_num_threads(), []
    ticks = itertools.count()
    timer = benchmark.Timer(
        "seen.append(fj.get_num_threads())", timer=lambda: float(next(ticks)), globals={"seen": seen}, label="append"
    )
    measured = timer.timeit(4)
    assert measured.mean == measured.median == 0.25 and measured.iqr == 0 and measured.times == [0.25]
    assert set(seen) == {1} and len(seen) == 6 and fj.get_num_threads() == threads_before
    assert str(measured).startswith("append\n  median 250.00 ms")


def test_measurements_last_as_long_as_asked():
    blocks = []
    measured = benchmark.Timer("x + 1", globals={"x": fj.ones(3)}).blocked_autorange(
        lambda number, taken: blocks.append(number), min_run_time=0.01
    )
    assert sum(measured.raw_times) >= 0.01 and 0 < measured.median < 0.01
    assert set(blocks) == {measured.number_per_run} and len(blocks) == len(measured.raw_times)


def test_the_statement_may_fail():
    with pytest.raises(NameError, match="nothing_of_that_name"):
        benchmark.Timer("nothing_of_that_name").timeit(1)
