"""100,000 calls leave nothing behind; threads share one compiled function; hits, misses and the limit."""

import gc
import resource
import sys
import threading
import warnings

import pytest

import framejit as fj


def resident_kib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_hits_leave_no_references_and_no_memory():
    scale = 2.5

    @fj.compile
    def fn(x, n):
        return x * scale + n

    x = fj.ones(4)
    for _ in range(1_000):
        fn(x, 3.5)
    gc.collect()
    references, objects, memory = sys.getrefcount(x), len(gc.get_objects()), resident_kib()
    for _ in range(100_000):
        fn(x, 3.5)
    gc.collect()
    assert sys.getrefcount(x) == references
    assert len(gc.get_objects()) - objects < 20
    assert resident_kib() - memory < 2_048


def test_breaks_leave_no_references_and_no_memory():
    sink = []

    @fj.compile
    def fn(x, n):
        for i in range(n):
            x = x + i
            sink.append(float(x.sum()))
            sink.clear()
        return x

    x = fj.ones(4)
    for _ in range(200):
        fn(x, 3)
    gc.collect()
    references, objects, memory = sys.getrefcount(x), len(gc.get_objects()), resident_kib()
    for _ in range(10_000):
        fn(x, 3)
    gc.collect()
    assert sys.getrefcount(x) == references
    assert len(gc.get_objects()) - objects < 20
    assert resident_kib() - memory < 2_048


def test_misses_leave_no_references():
    @fj.compile(dynamic=False)
    def fn(x):
        return x + 1

    inputs = [fj.ones(n) for n in range(2, 14)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(300):
            for x in inputs:
                fn(x)
        assert [w.category for w in caught] == [fj.compiler.RecompileLimitWarning]
        assert "cache_size_limit" in str(caught[0].message) and "x: got float32[" in str(caught[0].message)
    gc.collect()
    references = [sys.getrefcount(x) for x in inputs]
    for _ in range(9_000):
        for x in inputs:
            fn(x)
    assert [sys.getrefcount(x) for x in inputs] == references
    assert fj.compiler.stats(fn).compilations == 8


def test_eight_threads_with_differing_shapes():
    @fj.compile
    def fn(x, n):
        for _ in range(n):
            x = x * 2
        return x, x.shape[0]

    errors = []

    def work(size):
        try:
            for i in range(200):
                result, rows = fn(fj.ones(size), 2)
                assert rows == size and float(result.sum()) == 4.0 * size
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(size,)) for size in (2, 3, 5, 8, 13, 21, 34, 55)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


def test_warnings_as_errors_reach_the_caller():
    @fj.compile(dynamic=False, options={"cache_size_limit": 1})
    def fn(x):
        return x + 1

    fn(fj.ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(fj.compiler.RecompileLimitWarning):
            fn(fj.ones(3))
    assert fn(fj.ones(3)).shape == (3,)
