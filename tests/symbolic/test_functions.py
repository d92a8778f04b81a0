"""Calls: every kind of argument, inlining, closures, late and early binding, partials, recursion."""

import functools
import operator

import pytest

import framejit as fj
from tests.symbolic.support import break_ids, check

SCALE = 3
LOG: list = []


def helper(x, y=2, *rest, key=1, **more):
    return x + y * SCALE + len(rest) + key + sum(more.values())


def positional_only(a, b=5, /, c=6):
    return a, b, c


@pytest.mark.parametrize(
    "body",
    [
        lambda a: helper(a),
        lambda a: helper(a, 3),
        lambda a: helper(a, 3, 4, 5, key=7, z=8, w=9),
        lambda a: helper(*[a, 1], **{"key": 2}),
        lambda a: helper(y=a, x=1),
        lambda a: (positional_only(a), positional_only(a, 2, c=3)),
        lambda a: (lambda x, *, k=4: x + k)(a),
        lambda a: functools.partial(helper, a, key=5)(1, key=6),
        lambda a: functools.reduce(operator.add, [a, 1, 2]),
        lambda a: list(map(lambda x, y: x * y, [a, 2], (3, 4))),
        lambda a: [f(a) for f in (abs, str, float)],
        lambda a: {**dict(x=a), "y": (lambda: a)()},
        lambda a: max([a, 5, 2], key=lambda v: -v),
        lambda a: sorted([(a, 1), (1, 2)], key=operator.itemgetter(1)) if False else a,
    ],
)
def test_calls(body):
    check(body, 4)


@pytest.mark.parametrize(
    "body",
    [
        lambda a: helper(),
        lambda a: helper(a, x=2),
        lambda a: positional_only(a=a),
        lambda a: (lambda: 1)(a),
        lambda a: (lambda *, k: k)(),
    ],
)
def test_wrong_calls_raise_what_python_raises(body):
    check(body, 4, whole=False)


def test_closures():
    def body(n):
        total = 0

        def add(x):
            nonlocal total
            total += x
            return total

        functions = [lambda: i * n for i in range(3)]
        early = [lambda i=i: i * n for i in range(3)]
        add(n)
        add(2)
        return total, [f() for f in functions], [f() for f in early]

    check(body, 5)


def test_returned_functions_work():
    def body(n):
        count = n

        def bump(by=2, *, times=1):
            nonlocal count
            count += by * times
            return count

        def factorial(k):
            return 1 if k < 2 else k * factorial(k - 1)

        return bump, factorial

    bump, factorial = fj.compile(body)(10)
    assert (bump(), bump(3, times=2), factorial(5)) == (12, 18, 120)
    assert bump.__name__ == "bump" and bump.__qualname__.endswith("body.<locals>.bump")


def test_captured_state_changes_for_everybody():
    def make():
        hits = []
        count = 0

        def body(x):
            nonlocal count
            count += x
            hits.append(count)
            return count, list(hits)

        return body

    check(None, 2, calls=4, make=make)


def test_functions_of_the_same_code_are_told_apart():
    def make(k, default):
        def inner(x, d=default):
            return x * k + d

        return inner

    run = fj.compile(lambda f, x: f(x))
    for k in range(3):
        for d in range(3):
            assert run(make(k, d), 2) == 2 * k + d


def test_globals():
    def body(x):
        global SCALE
        before = SCALE
        SCALE = before + x
        LOG.append(SCALE)
        return before, SCALE, helper(x)

    global SCALE
    compiled = fj.compile(body)
    SCALE = 3
    LOG.clear()
    assert compiled(1) == (3, 4, 1 + 2 * 4 + 1)
    assert (SCALE, LOG) == (4, [4])
    SCALE = 10
    assert compiled(1)[:2] == (10, 11)


def test_a_rebound_global_is_seen():
    namespace = {}
    exec("def g(x): return x + 1\ndef f(x): return g(x)", namespace)
    compiled = fj.compile(namespace["f"])
    assert compiled(1) == 2
    exec("def g(x): return x * 100", namespace)
    assert compiled(1) == 100
    namespace["g"] = 5
    with pytest.raises(TypeError, match="'int' object is not callable"):
        compiled(1)
    del namespace["g"]
    with pytest.raises(NameError, match="g"):
        compiled(1)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def test_recursion():
    check(fibonacci, 6, whole=False)
    assert fj.compile(fibonacci)(10) == 55


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def test_deep_recursion_is_called_for_real():
    traces = check(deep, 150, whole=False)
    assert "recursion_limit" in break_ids(traces)


def noisy(x):
    y = x + 1
    print("inside", y)
    return y * 2


def test_a_callee_that_breaks_is_called_for_real():
    def body(x, log):
        log.append("before")
        y = noisy(x)
        log.append("after")
        return y + 1

    traces = check(body, 3, [], whole=False)
    assert "output_call" in break_ids(traces)
    inner = [event["break"] for event in traces if event["break"] and event["break"]["id"] == "output_call"]
    assert all(record["function"] == "noisy" for record in inner)


def test_break_in_a_nested_call_keeps_effects_in_order():
    def innermost(log):
        log.append(1)
        print(len(log))
        log.append(2)

    def middle(log):
        log.append(0)
        innermost(log)
        log.append(3)

    def body(log):
        middle(log)
        middle(log)
        return len(log)

    check(body, [], whole=False)


def test_keyword_order_is_kept():
    def collect(**kwargs):
        return list(kwargs.items())

    check(lambda a: collect(z=a, a=1, **{"m": 2}), 0)


def test_decorated_functions():
    def twice(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return f(*args, **kwargs) * 2

        return wrapper

    @twice
    def g(x, *, k=1):
        return x + k

    check(lambda x: g(x, k=3), 2)


CACHED_CALLS: list = []


@functools.lru_cache(maxsize=None)
def cached_mask(size, dtype=None):
    CACHED_CALLS.append(size)
    return fj.ones(size, dtype=dtype).cumsum(0)


@functools.lru_cache
def cached_parts(pattern, shape):
    return {"names": pattern.split(), "rank": len(shape)}


@functools.lru_cache
def cached_failure(size):
    raise KeyError(size)


def test_cached_functions_are_called_while_tracing():
    def body(x):
        parts = cached_parts("a b", x.shape)
        return x * cached_mask(x.shape[0], dtype=fj.float64) + len(parts["names"]) * parts["rank"]

    compiled = fj.compile(body, fullgraph=True)
    for size in (3, 3, 4, 5, 4):
        x = fj.randn(size)
        assert fj.equal(compiled(x), body(x))
    assert CACHED_CALLS == [3, 4, 5]
    assert cached_mask(3, dtype=fj.float64).tolist() == [1, 2, 3]  # a real tensor, not one of a trace


def test_what_a_cached_function_returned_is_shared_with_eager_code():
    def body(x):
        names = cached_parts("shared", ())["names"]
        names.append(1)
        return x + len(names)

    compiled = fj.compile(body)
    assert [compiled(fj.zeros(())).item(), body(fj.zeros(())).item(), compiled(fj.zeros(())).item()] == [2, 3, 4]


def test_errors_of_cached_functions():
    def body(x):
        try:
            return cached_failure(3)
        except KeyError as error:
            return x + error.args[0]

    check(body, 4)


def test_a_compiled_function_is_inlined_into_another():
    scale = fj.compile(lambda x, k=2: x * k, fullgraph=True)
    model = fj.compile(fj.nn.Linear(2, 2))

    class Layer:
        @fj.compile
        def forward(self, x):
            return x - 1

    layer = Layer()

    def fn(x):
        return scale(x) + scale(x, k=3) + layer.forward(x), model(x)

    with fj.no_grad():
        compiled = fj.compile(fn, fullgraph=True)
        got, want = compiled(fj.ones(2, 2)), fn(fj.ones(2, 2))
    assert all(fj.equal(g, w) for g, w in zip(got, want))
    assert fj.compiler.stats(compiled).compilations == 1
