"""Lists, tuples, dicts, sets: new ones, existing ones, and what is left of them afterwards."""

import collections

import numpy as np
import pytest

import framejit as fj
from tests.symbolic.support import check


def build(a, b):
    x = [a, b]
    x.append(a)
    x.extend((b, 1))
    x.insert(0, "first")
    x[1] = x[-1]
    del x[2]
    return x, x.pop(), x.index(1), x.count(b), len(x), x[::-1], x[1:3], x * 2, x + [a]


def tuples(a, b):
    t = (a, b, *[a, 1])
    p, *q, r = t
    return t, p, q, r, t[1:], t + (1,), a in t, t == (a, b, a, 1), t < (a, b, a, 2), t.index(b)


def dicts(a, b):
    d = {"a": a, "b": b, **{"c": 3}}
    d["d"] = d.get("z", 4)
    d.setdefault("e", []).append(b)
    removed = d.pop("a"), d.pop("none", None)
    d.update(x=1, y=2)
    d |= {"w": 0}
    return d, removed, list(d), list(d.values()), list(d.items()), "b" in d, len(d), {k: v for k, v in d.items() if k > "b"}


def sets(a, b):
    s = {a, b, 3}
    s.add(a + 1)
    s.discard(3)
    return s, s | {9}, s & {a}, s - {a}, s ^ {b, 10}, a in s, len(s), frozenset([a, b]), {x % 2 for x in s}


def nested(a, b):
    grid = [[i * j + a for i in range(3)] for j in range(b)]
    grid[0][0] = "x"
    return grid, sum(map(len, grid)), [list(row) for row in zip(*grid)], sorted([3, 1, 2], reverse=True), sorted("hello", key=ord)


@pytest.mark.parametrize("body", [build, tuples, dicts, sets, nested])
def test_new_containers(body):
    check(body, 5, 2)


def test_sharing_is_kept():
    def body(a):
        inner = [a]
        return [inner, inner, (inner,)]

    traces = check(body, 1)
    del traces
    result = fj.compile(body)(1)
    assert result[0] is result[1] and result[2][0] is result[0]


def test_cycles():
    def body(a):
        x = [a]
        x.append(x)
        d = {"self": None}
        d["self"] = (d, x)
        return x, d

    x, d = fj.compile(body)(1)
    assert x[1] is x and d["self"][0] is d and d["self"][1] is x


def append(log, x):
    log.append(x)
    log.append(len(log))
    return log


def rewrite(log, x):
    log[0] = x
    log.reverse()
    log.sort(key=str)
    return log.pop(), log


def mutate_dict(log, x):
    log["n"] = log.get("n", 0) + x
    log.pop("gone", None)
    del log["k"]
    log["k"] = [x]
    for key in list(log):
        log[key, 1] = key
    return log


def nested_existing(log, x):
    log["list"][0]["deep"].append(x)
    log["list"] += [x]
    return log["list"][0]


@pytest.mark.parametrize(
    ("body", "log"),
    [
        (append, []),
        (append, [1, 2]),
        (rewrite, [3, 2, 1, 7, 8, 9]),
        (mutate_dict, {"k": 1, "gone": 2}),
        (nested_existing, {"list": [{"deep": []}]}),
    ],
)
def test_existing_containers_change_as_they_should(body, log):
    check(body, log, 4)
    check(body, log, 4, calls=4)


def test_appending_does_not_look_at_the_rest():
    log = []
    compiled = fj.compile(lambda log, x: log.append(x * 2))
    for i in range(20):
        compiled(log, i)
    assert log == [2 * i for i in range(20)]
    assert compiled.stats()["compilations"] == 1


def test_one_list_in_two_places():
    def body(a, b):
        a.append(1)
        return len(b), a is b

    compiled = fj.compile(body)
    x, y = [], []
    assert compiled(x, x) == (1, True)
    assert compiled(x, y) == (0, False)
    assert compiled(x, x) == (3, True)
    assert (x, y) == ([1, 1, 1], [])


def test_two_lists_that_are_one_in_a_later_call():
    def body(a, b):
        a.append(1)
        return len(b)

    compiled = fj.compile(body)
    x, y = [], []
    assert compiled(x, y) == 0
    z = []
    assert compiled(z, z) == 1


def test_a_list_that_grows_while_it_is_iterated_over():
    def body(log):
        seen = []
        for item in log:
            seen.append(item)
            if item < 4:
                log.append(item + 2)
        return seen

    check(body, [1, 2])


def test_slices():
    def body(x, n):
        x[1:2] = [n, n, n]
        x[::2] = [0] * len(x[::2])
        del x[-1:]
        return x[slice(1, None)], slice(n), x[:n]

    check(body, [1, 2, 3], 2)


def test_errors_of_containers():
    check(lambda x: x[5], [1], whole=False)
    check(lambda x: x["no"], {}, whole=False)
    check(lambda x: x.remove(3), [1], whole=False)
    check(lambda: {[]: 1}, whole=False)
    check(lambda x: (x.append(1), x.pop(), x.pop(), x.pop()), [1], whole=False)


def test_existing_sets():
    class Model:
        skips = {1, 3}
        names = frozenset({"a", 2})

    def body(model, given, i):
        inside = [i in model.skips, "a" in model.names, 3.0 in model.skips, i in given]
        return inside, sorted(given), len(model.names), bool(given), [x * 2 for x in given], i if given else None

    for given in ({5, 6}, set(), {1, 1.5}):
        check(body, Model(), given, 3)


def test_new_sets_against_existing_ones():
    def body(given, constants):
        new = frozenset(given)
        return new == given, given == new, new != given, {1, 2} == given, new == constants, constants == {1, 2}, new == 3

    for given in ({1, 2}, {3}):
        check(body, given, frozenset({1, 2}), whole=False)
        check(body, given, frozenset("ab"), whole=False)


def test_a_set_that_changes_between_calls():
    seen = {1}
    compiled = fj.compile(lambda x, i: x * 2 if i in seen else x)
    x = fj.ones(1)
    results = []
    for i in (1, 2, True, 1.0):
        results.append(compiled(x, i).item())
        seen.add(i + 1)
    assert results == [2, 2, 2, 2]
    seen.clear()
    seen.add(True)
    assert compiled(x, 1).item() == 2 and compiled(x, 2).item() == 1


def test_adding_to_an_existing_set():
    def body(x, seen):
        seen.add(7)
        return x, 7 in seen, len(seen)

    check(body, 1, {1}, whole=False)


def test_comparisons_with_objects_that_say_themselves_what_they_equal():
    class Number(int):
        pass

    def body(other):
        keys = {"a": 1}.keys()
        same_keys = keys == {"a"}, {"a"} == keys, keys == frozenset("a"), keys == other
        return same_keys, [str(v) for v in (other == (1, 2), [1, 2] == other, other == {}, other != "a", other == 2, 2 == other, {1, 2} == other)]

    for other in (Number(2), np.float64(2), np.bool_(True), np.array([1, 2]), collections.deque([1, 2]), range(1, 3), {"a": 0}.keys(), 2):
        expected = body(other)
        compiled = fj.compile(body)
        assert repr(compiled(other)) == repr(compiled(other)) == repr(expected)

