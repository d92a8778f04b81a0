"""Loops, branches, exceptions, with, generators, comprehensions, match, formatting, unpacking."""

import contextlib

import pytest

import framejit as fj
from tests.symbolic.support import break_ids, check


def loops(n):
    total = 0
    for i in range(n):
        if i == 2:
            continue
        if i == 5:
            break
        total += i
    else:
        total = -1
    while total > 3:
        total -= 2
    for i, (a, b) in enumerate(zip([1, 2], "xy"), start=n):
        total += i * a + len(b)
    for k, v in {"a": n, "b": 2}.items():
        total += v
    for x in reversed([1, 2, n]):
        total = total * 2 + x
    return total, list(filter(None, [0, n])), list(range(n, 0, -1)), any(x > 2 for x in range(n)), all([n, 1])


def comprehensions(n):
    x = 100
    squares = [x * x for x in range(n) if x % 2]
    table = {k: [v for v in range(k)] for k in range(n)}
    flat = [item for row in table.values() for item in row]
    walrus = [y := i + 1 for i in range(n)]
    return x, squares, table, flat, walrus, y, {c for c in "hello"}, tuple(i for i in range(n)), sum(i * 2 for i in range(n))


def generators(n):
    def count(limit):
        i = 0
        while i < limit:
            yield i
            i += 1

    def both(a):
        for x in count(a):
            yield x
        return 5

    g = count(n)
    first = next(g)
    return first, list(g), next(g, "end"), list(both(2)), [*count(2)], max(count(n)), dict(zip("ab", count(2)))


def match(value):
    match value:
        case 0 | 1:
            return "small"
        case int(n) if n > 10:
            return f"big {n}"
        case [x, y, *rest]:
            return x, y, rest
        case {"kind": "point", "x": x, **more}:
            return x, more
        case str() as s:
            return s.upper()
        case None:
            return "nothing"
        case complex(real=r):
            return r
        case _:
            return "other"


def text(name, n, x):
    return (f"{name}={n:>5} {x:.3f} {n!r:4}|{name!s}", "%s-%d" % (name, n), "{}:{k}".format(n, k=x), ",".join(str(i) for i in [n, x]),
            name.upper().split("A"), name[::-1], f"{[n, x]}", f"{ {'k': n} }", str(None), repr("q"), "a" in name, f"{x}")


def chained(n):
    calls = []

    def g():
        calls.append(1)
        return n

    return 1 < g() < 10, calls, n if (m := n + 1) > 2 else m, not n, n and 5, n or 6, n is None


@pytest.mark.parametrize("body", [loops, comprehensions, generators, chained])
def test_control_flow(body):
    check(body, 4)
    check(body, 7)


@pytest.mark.parametrize(
    "value", [0, 12, 5, [1, 2, 3], (1, 2), {"kind": "point", "x": 1, "y": 2}, "abc", None, 2j, {"kind": "circle"}, []]
)
def test_match(value):
    check(match, value)


def test_text():
    check(text, "banana", 42, 2.5)


def test_unpacking():
    def body(x):
        a, b = x
        c, *d, e = [*x, 4, *(5, 6)]
        (f, g), h = (a, b), c
        return a, b, c, d, e, f, g, h, {**{"a": a}}, (*x,)

    check(body, [1, 2])
    check(body, [1, 2, 3], whole=False)


# ---- exceptions


def handled(n):
    log = []
    try:
        log.append("try")
        if n > 2:
            raise ValueError("too big", n)
        log.append(10 // n)
    except ZeroDivisionError as e:
        log.append(str(e))
    except (ValueError, KeyError) as e:
        log.append(e.args)
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log


def nested(n):
    def inner():
        try:
            return {}["k"]
        finally:
            log.append("inner")

    log = []
    try:
        try:
            inner()
        except KeyError as e:
            raise RuntimeError(f"n={n}") from e
    except RuntimeError as e:
        log.append(str(e))
    with contextlib.suppress(IndexError):
        [][n]
    return log


class Manager:
    def __init__(self, log, swallow=False):
        self.log = log
        self.swallow = swallow

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, value, traceback):
        self.log.append(("exit", kind and kind.__name__))
        return self.swallow


def managed(n):
    log = []
    with Manager(log) as m, Manager(log, True):
        m.log.append(n)
        if n > 2:
            raise ValueError(n)
    for i in range(2):
        with Manager(log):
            if i == 1:
                break
    return log


@pytest.mark.parametrize("body", [handled, nested, managed])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_exceptions_that_are_handled(body, n):
    check(body, n)


def test_exceptions_that_leave():
    def body(log, n):
        log.append(1)
        if n > 1:
            raise ValueError(f"bad {n}")
        log.append(2)

    def through(log, n):
        with Manager(log):
            body(log, n)

    check(body, [], 2, whole=False)
    check(through, [], 2, whole=False)
    compiled = fj.compile(through)
    with pytest.raises(ValueError) as raised:
        compiled([], 5)
    names = [entry.name for entry in raised.traceback]
    assert names[-2:] == ["through", "body"]


def test_a_break_inside_a_handler():
    def body(n):
        log = []
        try:
            raise ValueError(n)
        except ValueError as e:
            print("caught", e)
            log.append("handled")
        finally:
            print("finally")
        return log

    check(body, 2, whole=False)


def test_a_break_inside_with():
    def body(log, n):
        with Manager(log):
            print("in", n)
            log.append(n)
        return log

    check(body, [], 1, whole=False)


# ---- breaks


def test_breaks_run_one_instruction_and_go_on():
    def body(n):
        a = [n]
        print(a)
        a.append(n + 1)
        print(a)
        return a, n

    traces = check(body, 1, whole=False)
    assert break_ids(traces).count("output_call") == 2


def test_breaks_in_loops():
    def body(n):
        total = 0
        for i in range(n):
            total += i * 2
            print(i, total)
        for k, v in enumerate(["a", "b"]):
            print(k, v)
        return total

    traces = check(body, 5, whole=False)
    assert len(traces) < 20


def test_live_iterators_survive_a_break():
    def body(n):
        it = iter([1, 2, 3, 4])
        pairs = zip(it, "abcd")
        numbers = enumerate([7, 8, 9], start=n)
        mapped = map(lambda x: x + n, [1, 2, 3])
        d = {"x": 1, "y": 2}
        keys = iter(d.items())
        next(it), next(numbers), next(mapped), next(keys)
        print("break")
        return list(pairs), list(numbers), list(mapped), list(keys), reversed([1, n]).__class__.__name__, d.keys()

    check(body, 5, whole=False)


def test_a_suspended_generator_is_left_to_the_interpreter():
    def numbers(n):
        for i in range(n):
            yield i

    def body(n):
        g = numbers(n)
        first = next(g)
        print(first)
        return [first, *g]

    check(body, 4, whole=False)


def test_long_loops_take_few_traces():
    def body(n):
        total = 0
        for i in range(n):
            total = total * 3 % 1000 + i
        return total

    compiled = fj.compile(body)
    assert compiled(10_000) == body(10_000)
    assert compiled.stats()["compilations"] < 10
    assert compiled(5_000) == body(5_000)


def test_while_loops():
    def body(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    check(body, 6)
    check(body, 97, whole=False)


def test_iterators_of_the_caller_advance():
    def body(it, log):
        log.append(next(it))
        for x in it:
            if x > 3:
                break
            log.append(x)
        return log

    it = iter(range(10))
    assert fj.compile(body)(it, []) == [0, 1, 2, 3]
    assert next(it) == 5


def test_deleted_and_unbound_variables():
    def body(n):
        x = n
        del x
        if n > 5:
            y = 1
        return y

    check(body, 9)
    check(body, 1, whole=False)
    check(lambda n: locals(), 3, whole=False)
