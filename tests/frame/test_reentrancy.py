"""User code that runs in the middle of the compiler's own work: finalizers, and the methods of guarded objects."""

import gc

import pytest

import framejit as fj


class Cycle:
    """Garbage that only the collector finds; ``finalize`` is what runs then."""

    def __init__(self, finalize):
        self.finalize, self.itself = finalize, self

    def __del__(self):
        self.finalize()


@pytest.fixture
def eager_collector():
    """Collections at nearly every allocation."""
    threshold = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    yield
    gc.set_threshold(*threshold)


def test_finalizers_compile_and_drop_traces(eager_collector):
    runs = []

    @fj.compile(options={"cache_size_limit": 100})
    def fn(x, settings):
        total = x * settings["scale"]
        for key in settings:
            total = total + len(key)
        return total, settings["kind"]

    def finalize():
        runs.append(len(runs))
        settings = {"scale": len(runs), "kind": str(len(runs))}
        assert fn(fj.ones(len(runs) % 7), settings)[1] == settings["kind"]
        if len(runs) % 3 == 0:
            fj.compiler.reset()

    for i in range(60):
        Cycle(finalize)
        settings = {"scale": i, "kind": (i, "a"), f"key{i}": 0}
        total, kind = fn(fj.ones(i % 5, 2), settings)
        assert kind == (i, "a")
        assert total.tolist() == (fj.ones(i % 5, 2) * i + sum(map(len, settings))).tolist()
    gc.collect()
    assert len(runs) == 60


def test_finalizers_while_code_is_decoded(eager_collector):
    results = []

    def compiled(i):
        namespace = {}
        exec(f"def fn(x):\n    return inner(x) + {i}\ndef inner(x):\n    return x * {i}", namespace)
        return fj.compile(namespace["fn"])

    for i in range(30):
        fn = compiled(i)
        Cycle(lambda fn=fn: results.append(fn(fj.ones(2)).tolist()))
        assert fn(fj.ones(2)).tolist() == [2.0 * i] * 2
    gc.collect()
    assert sorted(results) == [[2.0 * i] * 2 for i in range(30)]


def test_explaining_a_guard_runs_no_code_of_metaclasses():
    asked = []

    class Meta(type):
        def __repr__(cls):
            asked.append(cls)
            fj.compiler.reset()
            return "Meta"

    class First(metaclass=Meta):
        pass

    class Second(metaclass=Meta):
        pass

    chosen = First

    @fj.compile
    def fn(x):
        return x + 1 if chosen is First else x - 1

    for _ in range(3):
        assert fn(fj.zeros(2)).tolist() == [1.0, 1.0]
        chosen = Second
        assert fn(fj.zeros(2)).tolist() == [-1.0, -1.0]
        chosen = First
    assert not asked


def test_the_collector_is_as_it_was():
    @fj.compile
    def fn(x):
        return x + 1

    fn(fj.ones(2))
    assert gc.isenabled()
    gc.disable()
    try:
        fn(fj.ones(2, 3))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_backends_run_with_the_collector():
    seen = []

    def backend(graph, inputs):
        seen.append(gc.isenabled())
        return graph

    assert fj.compile(lambda x: x + 1, backend=backend)(fj.ones(2)).tolist() == [2.0, 2.0]
    assert seen == [True]
    assert gc.isenabled()
