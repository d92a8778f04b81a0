"""Generators that the traced code makes, and the iterators of itertools: plain against compiled, in one trace."""

import contextlib
import itertools
import operator

import pytest

import framejit as fj
from tests.symbolic.support import break_ids, check


def upto(n):
    for i in range(n):
        yield i
    return n * 10


def outer(n):
    total = yield from upto(n)
    yield from [total, total + 1]
    return total


def echo():
    got = None
    while True:
        got = yield got if got is None else got * 2


def noting(log):
    try:
        yield 1
        yield 2
    except ValueError as error:
        log.append(str(error))
        yield 3
    finally:
        log.append("closed")


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if not self.n:
            raise StopIteration("done")
        self.n -= 1
        return self.n


@contextlib.contextmanager
def noted(log, value=3):
    log.append("enter")
    try:
        yield value
    except KeyError:
        log.append("swallowed")
    finally:
        log.append("exit")


def yield_from(x):
    return [x + i for i in outer(3)]


def yield_from_an_object(x):
    def wrap():
        got = yield from Countdown(3)
        yield got

    return x, list(wrap())


def expressions_over_generators(x):
    return sum(x * i for i in outer(3)), tuple(i + x for i in (j * 2 for j in upto(3) if j != 1))


def unpacked(x):
    first, *rest = upto(4)
    return (*upto(3), x), [*upto(2), *(x + i for i in upto(2))], first, rest


def sent(x):
    generator = echo()
    next(generator)
    return x + generator.send(3), generator.send(4), generator.__next__()


def sent_too_early(x):
    try:
        echo().send(1)
    except TypeError as error:
        return x + 1, str(error)


def returned_values(x):
    generator, values = upto(1), []
    for _ in range(3):
        try:
            values.append(next(generator))
        except StopIteration as stop:
            values.append(("stop", stop.value))
    return x + 1, values


def closed(x):
    log = []
    for start in (noting(log), noting(log)):
        start.close()
        next(start, None)
    generator = noting(log)
    next(generator)
    generator.close()
    return x + 1, log, next(generator, "ended")


def thrown(x):
    log = []
    generator = noting(log)
    values = [next(generator), generator.throw(ValueError("in"))]
    try:
        next(generator)
    except StopIteration:
        values.append("end")
    return x + 1, values, log


def stop_inside(x):
    def bad():
        yield 1
        raise StopIteration

    try:
        return x, list(bad())
    except RuntimeError as error:
        return x + 1, str(error), type(error.__cause__)


def error_inside(x):
    def bad():
        yield 1
        raise KeyError("q")

    generator, seen = bad(), []
    try:
        for i in generator:
            seen.append(i)
    except KeyError as error:
        return x + 1, seen, error.args, next(generator, "ended")


def context_managers(x):
    log = []
    with noted(log) as value, noted(log, 5) as other:
        x = x + value + other
    with noted(log):
        raise KeyError("gone")
    return x, log


def half_used(x):
    generator = upto(10)
    found = 4 in generator
    return x, found, next(generator), [i for i in generator if i < 8]


def more_than_a_loop_may_have(x):
    return sum(x for _ in upto(200)), len(list(itertools.chain(range(100), range(100))))


def chains(x):
    parts = itertools.chain([x], upto(2), (i for i in (x, 3)))
    return list(parts), [x + i for i in itertools.chain.from_iterable([[1, 2], upto(2)])]


def slices(x):
    numbers = iter(range(20))
    taken = [list(itertools.islice(numbers, 2)), list(itertools.islice(numbers, 1, 6, 2)), next(numbers)]
    rest = list(itertools.islice(numbers, 0, 7, 3))
    return x, taken, rest, list(numbers), list(itertools.islice(itertools.count(2, 3), 1, 6, 2)), list(itertools.islice("ab", None))


def sums(x):
    return (
        list(itertools.accumulate([x, x, x])),
        list(itertools.accumulate([x, x], operator.mul, initial=x)),
        list(itertools.accumulate([], initial=3)),
        list(itertools.accumulate([])),
    )


def zips(x):
    left, right = iter([1, 2, 3]), iter([x])
    longest = list(itertools.zip_longest(left, right, fillvalue=0))
    return longest, list(itertools.zip_longest([], [1], [2, 3])), list(itertools.zip_longest()), list(itertools.pairwise([1, x, 3]))


def products(x):
    return (
        [x + a * b for a, b in itertools.product([1, 2], repeat=2)],
        list(itertools.product("ab", [1, 2], [3])),
        list(itertools.product()),
        list(itertools.combinations([1, 2, 3, 4], 2)),
        list(itertools.combinations_with_replacement([1, 2, 3], 2)),
        list(itertools.permutations([1, 2, 3])),
        list(itertools.permutations([1, 2], 3)),
    )


def repeats(x):
    values = [x + i for i in itertools.repeat(2, 3)] + list(itertools.repeat(1, -1))
    for i in itertools.count(3):
        x = x + i
        if i > 5:
            break
    return x, values, list(itertools.islice(itertools.cycle([1, 2]), 5)), list(itertools.islice(itertools.repeat(7), 2))


def filters(x):
    numbers = [1, 2, 3, 1, 4]
    return (
        list(itertools.takewhile(lambda v: v < 3, numbers)),
        list(itertools.dropwhile(lambda v: v < 3, numbers)),
        list(itertools.filterfalse(lambda v: v % 2, numbers)),
        list(itertools.filterfalse(None, [0, 1, "", x.shape])),
        list(itertools.compress(numbers, [1, 0, True])),
        [x + v for v in itertools.starmap(lambda a, b: a * b, [(1, 2), (3, 4)])],
    )


@pytest.mark.parametrize(
    "program",
    [
        yield_from,
        yield_from_an_object,
        expressions_over_generators,
        unpacked,
        sent,
        sent_too_early,
        returned_values,
        closed,
        thrown,
        stop_inside,
        error_inside,
        context_managers,
        half_used,
        more_than_a_loop_may_have,
        chains,
        slices,
        sums,
        zips,
        products,
        repeats,
        filters,
    ],
)
def test_one_trace(program):
    check(program, fj.ones(2))


def test_a_generator_dropped_in_its_try_statement_is_closed_there():
    def fn(x):
        log = []
        for i in noting(log):
            x = x + i
            break
        log.append("after")
        generator = noting(log)
        next(generator)
        del generator
        log.append("end")
        return x, log

    assert "generator_call" in break_ids(check(fn, fj.ones(2), whole=False))


def test_an_iterator_of_itertools_that_leaves_the_trace_is_the_real_one():
    def fn(x):
        return x + 1, itertools.chain([1], [2]), itertools.count(3)

    check(fn, fj.ones(2), whole=False)
    _, chained, counted = fj.compile(fn)(fj.ones(2))
    assert type(chained) is itertools.chain and list(chained) == [1, 2]
    assert type(counted) is itertools.count and next(counted) == 3


def test_an_iterator_that_refuses_its_arguments_raises_its_own_error():
    for call in (
        lambda x: itertools.islice([x], -1),
        lambda x: list(itertools.product([x], repeat=-1)),
        lambda x: itertools.starmap(operator.add, x.ndim),
        lambda x: itertools.combinations([x], -1),
        lambda x: list(itertools.repeat(x, None)),
        lambda x: list(itertools.chain([x], 3)),
    ):
        check(call, fj.ones(2), whole=False)


def test_truth_of_views_and_ranges():
    def fn(x, n):
        empty: dict = {}
        return x + 1, bool(empty.items()), bool({1: x}.keys()), bool(range(n)), bool(range(0))

    check(fn, fj.ones(2), 0, whole=False)
    check(fn, fj.ones(2), 3, whole=False)


def test_exit_is_given_a_traceback():
    class Suppress:
        def __enter__(self):
            return self

        def __exit__(self, kind, value, traceback):
            self.seen = kind.__name__, str(value), traceback is None, bool(traceback)
            return True

    def fn(x):
        with Suppress() as manager:
            raise ValueError("inside")
        return x + 1, manager.seen

    check(fn, fj.ones(2))


def groups(x):
    runs = [(key, list(items)) for key, items in itertools.groupby([1, 1, 2, 3, 3, 1], lambda i: i // 2)]
    keys = [key for key, _ in itertools.groupby("aabbba")]
    kept = [items for _, items in itertools.groupby([1, 1, 2, 1])]
    return x, runs, keys, [list(items) for items in kept]


def tees(x):
    first, second, third = itertools.tee([x, x + 1], 3)
    early = next(first), next(second)
    return early, list(first), list(third), list(second), itertools.tee([], 0)


def getters(x):
    rows = sorted([(2, "a"), (1, "b"), (2, "A")], key=operator.itemgetter(0, 1))
    shape = operator.attrgetter("shape")(x), operator.attrgetter("real.ndim", "ndim")(x)
    return rows, shape, operator.itemgetter(1)([x, x + 1]), operator.methodcaller("sum", 0, keepdim=True)(x)


@pytest.mark.parametrize("fn", [groups, tees, getters], ids=lambda fn: fn.__name__)
def test_callables_and_iterators_made_in_c(fn):
    check(fn, fj.randn(3))


def test_stand_ins_do_not_leave_the_trace():
    def fn(x):
        get = operator.itemgetter(1)
        (copy,) = itertools.tee([1, 2], 1)
        return x + 1, get, type(operator.attrgetter("a")), next(copy), copy

    total, get, kind, first, rest = fj.compile(fn)(fj.ones(2))
    assert total.tolist() == [2.0, 2.0]
    assert isinstance(get, operator.itemgetter)
    assert get([3, 4]) == 4
    assert kind is operator.attrgetter
    assert (first, list(rest)) == (1, [2])
    assert type(rest).__name__ == "_tee"
