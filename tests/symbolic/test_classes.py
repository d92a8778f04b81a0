"""Instances: attributes, methods, properties, descriptors, slots, construction, inheritance."""

import collections
import dataclasses
import enum
import functools
from typing import NamedTuple

import pytest

import framejit as fj
from tests.symbolic.support import check


class Counter:
    total = 0
    shared: list = []

    def __init__(self, start, step=1):
        self.count = start
        self.step = step
        self._cache = None

    def bump(self, times=1):
        self.count += self.step * times
        return self

    @property
    def double(self):
        return self.count * 2

    @double.setter
    def double(self, value):
        self.count = value // 2

    @staticmethod
    def plus(a, b):
        return a + b

    @classmethod
    def make(cls, n):
        return cls(n, step=2)

    def __call__(self, x):
        return self.count + x

    def __add__(self, other):
        return Counter(self.count + getattr(other, "count", other))

    def __radd__(self, other):
        return self.count + other

    def __eq__(self, other):
        return isinstance(other, Counter) and self.count == other.count

    def __hash__(self):
        return hash(self.count)

    def __len__(self):
        return self.count

    def __getitem__(self, key):
        return key, self.count

    def __setitem__(self, key, value):
        self.step = (key, value)

    def __contains__(self, item):
        return item == self.count

    def __iter__(self):
        return iter(range(self.count))


class Child(Counter):
    def __init__(self, start):
        super().__init__(start, 5)
        self.child = True

    def bump(self, times=1):
        super().bump(times + 1)
        return self.double

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return f"computed {name}"


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a

    def swap(self):
        self.a, self.b = getattr(self, "b", 0), self.a


@dataclasses.dataclass
class Point:
    x: int
    y: int = 2
    tags: list = dataclasses.field(default_factory=list)

    def moved(self, by):
        return dataclasses.replace(self, x=self.x + by) if by < 0 else Point(self.x + by, self.y, self.tags + [by])


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: int
    y: int = 1


class Pair(NamedTuple):
    left: int
    right: int = 3

    def total(self):
        return self.left + self.right


Named = collections.namedtuple("Named", "p q")


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def other(self):
        return Color.BLUE if self is Color.RED else Color.RED


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.name, 0)

    def __set__(self, instance, value):
        if value < 0:
            raise ValueError("negative")
        setattr(instance, self.name, value)


class Described:
    size = Positive()

    @functools.cached_property
    def expensive(self):
        return self.size * 10


class Guarded:
    def __init__(self):
        object.__setattr__(self, "log", [])

    def __setattr__(self, name, value):
        self.log.append(name)
        super().__setattr__(name, value)


def use_existing(c, n):
    c.bump().bump(n)
    c.double = c.double + 4
    c.extra = [n]
    return c.count, c.double, c.plus(1, n), c(n), c + 1, 2 + c, c == c, len(c), c[n], n in c, list(c), hasattr(c, "nope")


def make_new(n):
    c = Counter.make(n)
    c.bump(3)
    c[1] = 2
    d = Child(n)
    return c, d, d.bump(), d.anything, getattr(d, "_missing", None), isinstance(d, Counter), type(d) is Child, d.child


def slots(s, n):
    s.swap()
    t = Slotted(n)
    t.swap()
    return s.b, t, hasattr(t, "a"), hasattr(Slotted(1), "b")


def data(p, n):
    q = p.moved(n)
    f = Frozen(n)
    return q, Point(n), q.tags, f, f.x + f.y, p == Point(1)


def tuples(n):
    p = Pair(n)
    left, right = p
    return p, p.total(), p.left + right, p._replace(right=9), Named(n, q=2), Named(1, 2).q, p[0], len(p), isinstance(p, tuple)


def enums(n):
    c = Color.RED
    table = {Color.RED: n, Color.BLUE: 2}
    return c.other(), c is Color.RED, c.value + n, c.name, table[Color.RED], Color.BLUE in table


def descriptors(n):
    d = Described()
    d.size = n
    return d.size, d, Described.__dict__ is not None if False else 1


def guarded(n):
    g = Guarded()
    g.a = n
    g.b = 2
    return g.log, g.a + g.b


def use_child(c, n):
    return c.bump(n), c.double, c.anything, getattr(c, "_missing", None), hasattr(c, "_nope"), len(c), c == Counter(c.count)


def test_existing_instances():
    check(use_existing, Counter(3), 2)
    check(use_existing, Counter(3), 2, calls=4)
    check(use_child, Child(3), 2, calls=4)


@pytest.mark.parametrize("body", [make_new, tuples, descriptors, guarded])
def test_new_instances(body):
    check(body, 2)


def test_slots():
    check(slots, Slotted(7), 3)


def test_dataclasses():
    check(data, Point(1), 3)


def test_enums():
    check(enums, 3)


def test_instances_keep_identity():
    def body(c):
        d = Counter(1)
        c.friend = d
        d.friend = c
        return c, d, [d]

    c = Counter(2)
    got, d, (same,) = fj.compile(body)(c)
    assert got is c and d.friend is c and c.friend is d and same is d


def test_a_class_attribute_that_changes_is_seen():
    class Config:
        scale = 2

        def get(self):
            return self.scale

    compiled = fj.compile(lambda c, x: c.get() * x + Config.scale)
    c = Config()
    assert compiled(c, 3) == 8
    Config.scale = 5
    assert compiled(c, 3) == 20
    c.scale = 1
    assert compiled(c, 3) == 8
    Config.get = lambda self: 100
    assert compiled(c, 1) == 105


def test_shared_class_state():
    Counter.shared.clear()
    compiled = fj.compile(lambda x: (Counter.shared.append(x), len(Counter.shared))[1])
    assert [compiled(1), compiled(2)] == [1, 2]
    assert Counter.shared == [1, 2]


def test_errors_of_attributes():
    check(lambda c: c.nope, Counter(1), whole=False)
    check(lambda c: (setattr(c, "double", 4), delattr(c, "count"), c.count), Counter(1), whole=False)
    check(lambda f: setattr(f, "x", 2), Frozen(1), whole=False)
    check(lambda: Slotted(1).b, whole=False)
    check(lambda n: setattr(Described(), "size", -n), 1, whole=False)


def test_an_attribute_is_read_again_after_it_changed():
    def body(c, n):
        c.count = n
        before = c.count
        del c.step
        c.step = before + 1
        return vars_of(c), before

    def vars_of(c):
        return c.count, c.step

    check(body, Counter(1), 9)


def test_methods_as_values():
    def body(c, n):
        bump, add = c.bump, c.__add__
        bump(n)
        log = []
        push = log.append
        push(n)
        return add(1).count, log, bump.__name__, push

    got = fj.compile(body)(Counter(1), 2)
    got[3](7)
    assert got[:3] == (4, [2, 7], "bump")


def test_metaclass_that_decides_what_a_class_makes():
    class Meta(type):
        def __call__(cls, value, times=1):
            return value * times + cls.extra

    class Sum(metaclass=Meta):
        extra = 2

    def f(x):
        return Sum(x, times=3) + fj.autograd.Variable(x)

    x = fj.ones(2)
    assert fj.compile(f, fullgraph=True)(x).tolist() == f(x).tolist() == [6.0, 6.0]
    filled = fj.compile(lambda x: fj.FloatTensor(2, 3).fill_(1) + x, fullgraph=True)
    assert filled(fj.ones(3)).tolist() == [[2.0] * 3] * 2
