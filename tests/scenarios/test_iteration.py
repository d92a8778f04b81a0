"""Iteration, generators, comprehensions (scenarios 5 to 7)."""

import framejit as fj
from tests.scenarios.support import check, check_calls


def test_append_while_iterating():
    def fn(x):
        items = [1, 2]
        for item in items:
            if len(items) < 6:
                items.append(item + 2)
            x = x + item
        return x, items

    check(lambda: (fn, (fj.zeros(2),)))


def test_exhausted_iterator_raises_stop_iteration():
    def fn(x):
        iterator = iter([1])
        x = x + next(iterator)
        return x + next(iterator)

    check(lambda: (fn, (fj.zeros(2),)))


def test_callers_zip_and_enumerate_advance():
    def case():
        pairs = zip([1, 2, 3], [4, 5, 6])
        numbered = enumerate("abc")

        def fn(x):
            a, b = next(pairs)
            i, letter = next(numbered)
            return x + a * b + i, letter

        return fn, (fj.zeros(2),)

    check(case, calls=3)


def test_comprehension_with_a_break_and_a_walrus():
    def fn(x):
        x = x + 1

        def element(i):
            print("element", i)
            return i * 2

        values = [last := element(i) for i in range(3)]
        return x + last, values

    check(lambda: (fn, (fj.zeros(2),)))


def test_comprehension_variable_does_not_leak():
    def fn(x):
        i = 10
        ys = [x + i for i in range(3)]
        d = {i: i * i for i in range(2)}
        s = {i % 2 for i in range(4)}
        return ys, i, d, sorted(s)

    check(lambda: (fn, (fj.zeros(2),)))


def test_generator_stays_lazy():
    def case():
        log = []

        def numbers():
            for i in range(5):
                log.append(i)
                yield i

        def fn(x):
            for i in numbers():
                x = x + i
                if i == 2:
                    break
            return x

        return fn, (fj.zeros(2),), log

    check(case)


def test_generator_expression_and_any():
    def fn(x):
        return x + sum(i * i for i in range(4)) if any(i == 2 for i in range(3)) else x

    check(lambda: (fn, (fj.zeros(2),)))


def test_long_loop_compiles_in_constant_time():
    def fn(x):
        for i in range(10_000):
            x = x + 1
        return x

    compiled = check(lambda: (fn, (fj.zeros(2),)))
    del compiled
    report = fj.explain(fn)(fj.zeros(2))
    assert report.op_count < 1_000, report


def test_break_in_a_loop_body_keeps_the_frame():
    def fn(x, n):
        for i in range(n):
            x = x * 2 + i
            print(x.sum().item())
        return x

    check_calls(lambda: fn, (fj.ones(2), 3), (fj.ones(2), 5), (fj.ones(2), 0))
    report = fj.explain(fn)(fj.ones(2), 20)
    assert report.graph_count <= 6, "each piece of the loop is compiled once, not once an iteration"
    assert sorted(b.id for b in report.breaks) == ["output_call", "tensor_value"]


def test_while_loop_on_a_tensor():
    def fn(x):
        steps = 0
        while x.sum() < 100:
            x = x * 2
            steps += 1
        return x, steps

    check_calls(lambda: fn, (fj.ones(3),), (fj.full((3,), 50.0),), (fj.full((3,), 0.25),))


def test_for_else_and_continue():
    def make():
        def fn(x, stop):
            for i in range(6):
                if i % 2:
                    continue
                if i == stop:
                    break
                x = x + i
            else:
                x = -x
            return x

        return fn

    check_calls(make, (fj.zeros(2), 4), (fj.zeros(2), 9), (fj.zeros(2), 4))


def test_iterating_a_tensor_and_a_dict():
    def fn(x, table):
        total = fj.zeros(2)
        for row in x:
            total = total + row
        for key, value in table.items():
            total = total * len(key) + value
        return total

    check(lambda: (fn, (fj.ones(3, 2), {"a": 1, "bb": 2.5})))


def test_dict_changed_while_iterating_raises():
    def fn(x):
        d = {1: 2}
        for key in d:
            d[key + 1] = 0
        return x

    check(lambda: (fn, (fj.ones(2),)))
