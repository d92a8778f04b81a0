"""Names, closures, classes (scenarios 8 to 13)."""

import dataclasses
import enum
import functools
import importlib
import sys
import types
from collections import namedtuple

import pytest

import framejit as fj
from tests.scenarios.support import assert_same, check, check_calls, run

X = (fj.ones(3),)


def test_lambdas_bind_late_and_defaults_bind_early():
    def fn(x):
        late = [lambda: i for i in range(3)]
        early = [lambda i=i: i for i in range(3)]
        return x + sum(f() for f in late), [f() for f in late], [f() for f in early]

    check(lambda: (fn, X))


def test_same_code_with_different_defaults_and_closures():
    def make(k):
        def fn(x, factor=k):
            return x * factor + k

        return fn

    compiled = [fj.compile(make(k)) for k in range(4)]
    for _ in range(2):
        for k, fn in enumerate(compiled):
            assert_same(fn(fj.ones(2)), make(k)(fj.ones(2)))


def test_inlined_functions_with_one_code_and_different_closures():
    def scale_by(k):
        return lambda x: x * k

    def fn(x, scale):
        return scale(x) + 1

    check_calls(lambda: fn, (fj.ones(2), scale_by(2)), (fj.ones(2), scale_by(3)), (fj.ones(2), scale_by(2)))


SCALE = 2.0
OFFSET = fj.ones(3)


def helper(x):
    return x + 1


def test_rebound_globals(monkeypatch):
    def fn(x):
        return helper(x) * SCALE + OFFSET

    compiled = fj.compile(fn)
    assert_same(compiled(*X), fn(*X))
    for name, value in (
        ("SCALE", 3.0),
        ("SCALE", 5),
        ("OFFSET", fj.zeros(3)),
        ("OFFSET", fj.zeros(1)),
        ("helper", lambda x: x - 7),
        ("helper", lambda x: x - 8),
    ):
        monkeypatch.setitem(globals(), name, value)
        for _ in range(2):
            assert_same(compiled(*X), fn(*X))
    monkeypatch.delitem(globals(), "helper")
    assert isinstance(run(lambda: compiled(*X)).error, NameError)


def test_global_store():
    def fn(x):
        global SCALE
        SCALE = SCALE + 1
        return x * SCALE

    global SCALE
    start = SCALE
    compiled = fj.compile(fn)
    assert_same(compiled(*X), fj.ones(3) * (start + 1))
    assert_same(compiled(*X), fj.ones(3) * (start + 2))
    assert SCALE == start + 2
    SCALE = start


def test_method_of_a_local_class_appends():
    def case():
        seen = []

        def fn(x):
            class Recorder:
                def add(self, value):
                    seen.append(value)

            Recorder().add(len(seen))
            return x + len(seen)

        return fn, X, seen

    check(case, calls=3)


class Items:
    items: list = []


def test_class_attribute_append_twice():
    def fn(x):
        Items.items.append(1)
        Items.items.append(2)
        return x + len(Items.items)

    Items.items = []
    compiled = fj.compile(fn)
    assert_same(compiled(*X), fj.ones(3) + 2)
    assert_same(compiled(*X), fj.ones(3) + 4)
    assert Items.items == [1, 2, 1, 2]


class Config:
    factor = 2

    def __init__(self):
        self.cache = fj.ones(3)
        self.calls = 0

    @property
    def doubled(self):
        return self.factor * 2

    @doubled.setter
    def doubled(self, value):
        self.factor = value // 2

    @functools.cached_property
    def expensive(self):
        self.calls += 1
        return 10

    def __getattr__(self, name):
        if name.startswith("dynamic_"):
            return len(name)
        raise AttributeError(name)


def test_class_attribute_changed_between_calls(monkeypatch):
    config = Config()

    def fn(x):
        return x * config.factor

    compiled = fj.compile(fn)
    assert_same(compiled(*X), fj.ones(3) * 2)
    monkeypatch.setattr(Config, "factor", 5)
    assert_same(compiled(*X), fj.ones(3) * 5)
    config.factor = 7
    assert_same(compiled(*X), fj.ones(3) * 7)


def test_rebound_tensor_attribute():
    config = Config()

    def fn(x):
        y = x + config.cache
        config.cache = config.cache * 2
        return y

    compiled = fj.compile(fn)
    for power in range(4):
        assert_same(compiled(*X), fj.ones(3) + 2.0**power)


def test_properties_getattr_cached_property():
    def case():
        config = Config()

        def fn(x):
            config.doubled = 10
            x = x + config.doubled + config.dynamic_thing
            return x + config.expensive + config.expensive

        return fn, X, config

    check(case, calls=3)


def test_missing_attribute_raises_as_eager():
    def fn(x):
        return x + Config().no_such_thing

    check(lambda: (fn, X))


class Slotted:
    __slots__ = ("a", "b")


def test_slots_and_unset_slot():
    def fn(x):
        s = Slotted()
        s.a = x + 1
        try:
            s.b
        except AttributeError:
            s.b = 2
        return s.a * s.b

    check(lambda: (fn, X))


def test_partial_and_bound_methods():
    def fn(x):
        add = functools.partial(fj.add, alpha=2)
        method = x.mul
        return add(x, method(3)), functools.reduce(lambda a, b: a + b, [x, x, x])

    check(lambda: (fn, X))


@dataclasses.dataclass
class Pair:
    first: object
    second: int = 2

    def total(self):
        return self.first + self.second


@dataclasses.dataclass(frozen=True)
class FrozenPair:
    first: object
    second: int = 3


Point = namedtuple("Point", ["x", "y"])


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def test_types_are_preserved_on_return():
    def fn(x, colour):
        pair = Pair(x + 1)
        frozen = FrozenPair(x * 2, second=7)
        point = Point(x, y=pair.total())
        scale = 2 if colour is Colour.RED else 3
        return pair, frozen, point._replace(x=x * scale), {colour: x}

    check_calls(lambda: fn, (fj.ones(2), Colour.RED), (fj.ones(2), Colour.BLUE))


def test_partials_and_frozen_dataclasses_as_keys():
    double = functools.partial(fj.mul, other=2)
    key = FrozenPair("a", 1)

    def fn(x):
        table = {double: "double", key: "pair", Colour.RED: "red"}
        return x * len(table), table[double], table[FrozenPair("a", 1)], FrozenPair("a", 2) in table, list(table)[0] is double

    check(lambda: (fn, X))


def test_frozen_dataclass_refuses():
    def fn(x):
        FrozenPair(x).first = 1

    compiled = fj.compile(fn)
    for _ in range(2):
        with pytest.raises(dataclasses.FrozenInstanceError):
            compiled(*X)


def test_argument_kinds():
    def callee(a, /, b, *rest, c=3, d, **named):
        return [a, b, rest, c, d, list(named.items())]

    def fn(x):
        args = (1, 2)
        kwargs = {"z": 1, "a": 2}
        return callee(x, *args, 5, d=4, y=0, **kwargs), callee(1, b=2, d=x)

    check(lambda: (fn, X))


def test_wrong_arguments_raise_as_eager():
    def callee(a, /, b, *, c):
        return a

    def missing(x):
        return callee(x)

    def positional_only(x):
        return callee(a=x, b=1, c=2)

    for fn in (missing, positional_only):
        check(lambda fn=fn: (fn, X))


def test_zip_strict_raises():
    def fn(x):
        return [a * b for a, b in zip([x, x], [1], strict=True)]

    check(lambda: (fn, X))


def test_match_every_pattern_kind():
    def describe(value):
        match value:
            case 0 | None:
                return "nothing"
            case int(n) if n > 10:
                return f"big {n}"
            case [first, *rest]:
                return f"list {first} {rest}"
            case {"key": item, **others}:
                return f"dict {item} {others}"
            case Pair(first=1, second=s):
                return f"pair {s}"
            case Point(x, y):
                return f"point {x} {y}"
            case str() as text:
                return text.upper()
            case Colour.RED:
                return "red"
            case _:
                return "other"

    def fn(x, value):
        return x + 1, describe(value)

    values = [0, None, 11, 5, [1, 2, 3], [], {"key": 1, "z": 2}, Pair(1), Pair(2), Point(1, 2), "text", Colour.RED]
    check_calls(lambda: fn, *((fj.ones(2), value) for value in values))


def test_f_strings():
    def fn(x, n, s):
        return f"{n:>5}|{s!r:10}|{n + 0.5:.3e}|{x.shape}|{n=}", x * n

    check_calls(lambda: fn, (fj.ones(2), 3, "a"), (fj.ones(2), -4, "b"))


def test_chained_comparison_calls_the_middle_once():
    def case():
        calls = []

        def middle():
            calls.append(1)
            return 5

        def fn(x, low, high):
            return x + 1 if low < middle() < high else x - 1

        return fn, (fj.ones(2), 3, 8), calls

    check(case)


def test_super_and_mro():
    class Base:
        def value(self, x):
            return x + 1

    class Left(Base):
        def value(self, x):
            return super().value(x) * 2

    class Right(Base):
        def value(self, x):
            return super().value(x) - 3

    class Both(Left, Right):
        def value(self, x):
            return super().value(x)

    def fn(x):
        return Both().value(x)

    check(lambda: (fn, X))


def test_nonlocal_counter():
    def case():
        count = 0

        def fn(x):
            nonlocal count
            count += 1
            return x + count, count

        return fn, X

    check(case, calls=4)


def test_star_unpacking_and_swaps():
    def fn(x):
        a, *b, c = [x, x + 1, x + 2, 4]
        a, c = c, a
        (d, e), f = (1, 2), b
        return a, b, c, d + e, f

    check(lambda: (fn, X))


def test_del_and_unbound_local():
    def fn(x, drop):
        y = x + 1
        if drop:
            del y
        return y

    check_calls(lambda: fn, (fj.ones(2), False), (fj.ones(2), True), (fj.ones(2), False))


def test_imports_see_changes_of_sys_modules(monkeypatch):
    first, second = types.ModuleType("replaced_module"), types.ModuleType("replaced_module")
    first.scale, second.scale = 2, 3
    monkeypatch.setitem(sys.modules, "replaced_module", first)

    @fj.compile
    def fn(x):
        import replaced_module

        return x * replaced_module.scale

    assert_same(fn(fj.ones(2)), fj.ones(2) * 2)
    monkeypatch.setitem(sys.modules, "replaced_module", second)
    assert_same(fn(fj.ones(2)), fj.ones(2) * 3)

    @fj.compile
    def replaces(x):
        sys.modules["replaced_module"] = first
        import replaced_module

        return x * replaced_module.scale

    for _ in range(2):
        assert_same(replaces(fj.ones(2)), fj.ones(2) * 2)
        sys.modules["replaced_module"] = second

    @fj.compile
    def removes(x):
        old = sys.modules.pop("colorsys", None)
        import colorsys

        return x + 1, colorsys is old, sys.modules["colorsys"] is colorsys

    for _ in range(2):
        importlib.import_module("colorsys")
        assert removes(fj.ones(2))[1:] == (False, True)
