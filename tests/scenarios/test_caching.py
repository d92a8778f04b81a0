"""Caching and limits (scenarios 21 to 24)."""

import functools
import gc
import warnings
import weakref

import pytest

import framejit as fj
from tests.scenarios.support import assert_same, check_calls


def count_compilations(compiled, calls):
    before = fj.compiler.stats(compiled).compilations
    for args in calls:
        compiled(*args)
    return fj.compiler.stats(compiled).compilations - before


def test_a_hundred_floats_compile_once():
    def fn(x, scale):
        return x * scale + 1

    compiled = fj.compile(fn)
    for i in range(100):
        assert_same(compiled(fj.ones(3), i + 0.5), fn(fj.ones(3), i + 0.5))
    assert fj.compiler.stats(compiled).compilations <= 2


def test_nan_argument_does_not_recompile():
    def fn(x, scale):
        return x * scale

    compiled = fj.compile(fn)
    assert count_compilations(compiled, [(fj.ones(3), float("nan"))] * 5) == 1


def test_sizes_zero_and_one():
    def fn(x):
        return (x * 2).sum(), x + fj.ones(x.shape[0])

    sizes = (4, 5, 1, 0, 7, 1, 0, 3)
    compiled = check_calls(lambda: fn, *((fj.ones(n),) for n in sizes))
    assert fj.compiler.stats(compiled).compilations <= 4


@pytest.mark.parametrize("dynamic", [None, True, False])
def test_changing_sizes(dynamic):
    def fn(x, y):
        return (x @ y).relu().sum(-1), x.shape[0] * 2

    calls = [(fj.ones(n, 8), fj.ones(8, 4)) for n in (3, 5, 9, 17, 33)]
    compiled = check_calls(lambda: fn, *calls, dynamic=dynamic)
    compilations = fj.compiler.stats(compiled).compilations
    assert compilations == {None: 2, True: 1, False: 5}[dynamic]


def test_new_module_instance_per_call():
    def fn(x, module):
        return module(x)

    compiled = fj.compile(fn)
    x = fj.ones(2, 4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(40):
            module = fj.nn.Linear(4, 3)
            assert_same(compiled(x, module), fn(x, module))
    limit_warnings = [w for w in caught if issubclass(w.category, fj.compiler.RecompileLimitWarning)]
    assert len(limit_warnings) <= 1
    assert fj.compiler.stats(compiled).compilations <= 10


def test_one_warning_at_the_limit_names_the_guard():
    def fn(x, text):
        return x + len(text)

    compiled = fj.compile(fn)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(30):
            assert_same(compiled(fj.ones(2), "a" * i), fj.ones(2) + i)
    limit_warnings = [w for w in caught if issubclass(w.category, fj.compiler.RecompileLimitWarning)]
    assert len(limit_warnings) == 1
    assert "text" in str(limit_warnings[0].message)


def test_inputs_and_weights_die_after_del():
    module = fj.nn.Linear(4, 3)
    compiled = fj.compile(lambda x, m: m(x).sum())
    x = fj.ones(2, 4)
    compiled(x, module).backward()
    watched = [weakref.ref(x), weakref.ref(module), weakref.ref(module.weight)]
    gc.collect()
    gc.disable()
    try:
        del x, module
        assert [ref() for ref in watched] == [None, None, None]
    finally:
        gc.enable()


def test_a_new_function_at_a_dead_ones_address_is_not_confused():
    def call_it(x, f):
        return f(x)

    compiled = fj.compile(call_it)
    for k in range(20):
        assert_same(compiled(fj.ones(2), eval(f"lambda x: x + {k % 3}")), fj.ones(2) + k % 3)


def test_fullgraph_fails_when_two_graphs_would_run():
    def two(x):
        x = x + 1
        print("between")
        return x * 2

    with pytest.raises(fj.compiler.GraphBreakError) as info:
        fj.compile(two, fullgraph=True)(fj.ones(2))
    text = str(info.value)
    assert "print" in text and __file__ in text


def test_fullgraph_prints_nothing_before_raising(capsys):
    def fn(x):
        print("never")
        return x + 1

    with pytest.raises(fj.compiler.GraphBreakError):
        fj.compile(fn, fullgraph=True)(fj.ones(2))
    assert capsys.readouterr().out == ""


def test_report_and_error_agree():
    def fn(x):
        x = x + 1
        print("side effect")
        return x

    entry = fj.explain(fn)(fj.ones(2)).breaks[0]
    with pytest.raises(fj.compiler.GraphBreakError) as info:
        fj.compile(fn, fullgraph=True)(fj.ones(2))
    for text in (entry.id, entry.reason, entry.remedy, entry.source.strip()):
        assert text in str(info.value)


def test_fullgraph_fails_when_nothing_would_be_compiled():
    def generator(x):
        yield x + 1

    async def coroutine(x):
        return x + 1

    @fj.compiler.disable
    def disabled(x):
        return x + 1

    for fn in (generator, coroutine, disabled, len):
        with pytest.raises(fj.compiler.NotCompiledError, match=f"{fn.__name__} would run without the compiler"):
            fj.compile(fn, fullgraph=True)(fj.ones(2))


def test_fullgraph_fails_at_the_limit():
    def fn(x, text):
        return x + len(text)

    compiled = fj.compile(fn, fullgraph=True, options={"cache_size_limit": 3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(3):
            assert_same(compiled(fj.ones(2), "a" * i), fj.ones(2) + i)
    for _ in range(2):
        with pytest.raises(fj.compiler.NotCompiledError) as raised:
            compiled(fj.ones(2), "a" * 3)
        text = str(raised.value)
        assert "fn would run without the compiler: it was compiled 3 times" in text
        assert "expected 'aa'" in text and "options={'cache_size_limit': n}" in text
    assert_same(compiled(fj.ones(2), "aa"), fj.ones(2) + 2)  # what is compiled still runs
    fj.compiler.reset()
    assert_same(compiled(fj.ones(2), "a" * 3), fj.ones(2) + 3)


def test_fullgraph_does_not_give_up_a_function_without_graphs():
    compiled = fj.compile(lambda text: len(text), fullgraph=True, options={"cache_size_limit": 100})
    for i in range(60):
        assert compiled("a" * i) == i
    assert fj.compiler.stats(compiled).compilations == 60


@functools.lru_cache
def _plan(sizes, pattern):
    """As einops does it: from sizes to new sizes, remembered."""
    n, m = sizes
    if pattern == "merge":
        return (n * m,)
    if n % 2:
        raise ValueError("odd")
    return n // 2, 2, m


_memory: list = []


@functools.lru_cache
def _remembering(n):
    _memory.append(n)
    return n + 1


@functools.lru_cache
def _fresh(n):
    return [n]


def test_a_cached_function_of_sizes_is_compiled_once_for_all():
    def fn(x):
        return x.reshape(_plan(x.shape, "merge")), x.reshape(_plan(x.shape, "split"))

    compiled = check_calls(lambda: fn, *((fj.ones(n, m),) for n, m in ((2, 5), (4, 7), (6, 3), (8, 9), (10, 11), (3, 4), (5, 4))))
    assert fj.compiler.stats(compiled).graphs == 3  # fixed, even, odd

    fj.compiler.reset()
    strict = fj.compile(lambda x: x.reshape(_plan(x.shape, "merge")), fullgraph=True)
    for n in range(2, 20):
        assert strict(fj.ones(n, n + 1)).shape == (n * (n + 1),)
    assert fj.compiler.stats(strict).compilations == 2


def test_a_cached_function_runs_once_and_gives_one_object():
    def effects(x, n):
        return x + _remembering(n)

    def identity(x, n):
        items = _fresh(n)
        items.append(len(items))
        return x + len(items), items is _fresh(n)

    for fn in (effects, identity):
        compiled = fj.compile(fn)
        for cached in (_remembering, _fresh):
            cached.cache_clear()
        _memory.clear()
        want = [fn(fj.ones(2), n) for n in (1, 2, 3, 3, 4, 1)]
        memory = list(_memory)
        for cached in (_remembering, _fresh):
            cached.cache_clear()
        _memory.clear()
        assert_same([compiled(fj.ones(2), n) for n in (1, 2, 3, 3, 4, 1)], want)
        assert _memory == memory


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(backend="tvm"), RuntimeError, "unknown backend 'tvm', expected one of inductor"),
        (dict(backend=3), TypeError, "backend of type int, expected a name or a callable"),
        (dict(options={"speed": 1}), RuntimeError, "unknown option 'speed', expected one of cache_size_limit"),
        (dict(options={"cache_size_limit": "8"}), RuntimeError, "got '8' of type str, expected int"),
        (dict(options={"cache_size_limit": 0}), RuntimeError, "got 0, expected at least 1"),
        (dict(mode="fast"), RuntimeError, "unknown mode 'fast', expected one of default"),
    ],
)
def test_bad_arguments_of_compile(arguments, error, text):
    with pytest.raises(error, match=text):
        fj.compile(lambda x: x, **arguments)
    with pytest.raises(TypeError, match="object of type int, expected a function or nn.Module"):
        fj.compile(3)
