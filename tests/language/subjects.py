"""Classes of values that the programs of objects.py and values.py use: subclasses of builtins, enums, dataclasses."""

import collections
import dataclasses
import enum
import functools
import typing


class State:
    shared = []
    limit = 3

    def __init__(s):
        s.items = [1, 2]
        s.table = {"a": 1}
        s.n = 0
        s.child = None
        s.sl = slice(0, 2)

    def bump(s):
        s.n += 1
        return s.n

    @property
    def noisy(s):
        s.items.append("read")
        return len(s.items)

    @functools.cached_property
    def cached(s):
        s.n += 10
        return s.n


class IntSub(int):
    def __add__(s, o):
        return IntSub(int(s) + int(o) + 1)

    def __eq__(s, o):
        return "eq"

    __hash__ = int.__hash__


class StrSub(str):
    def upper(s):
        return "sub"


class ListSub(list):
    def append(s, v):
        super().append((v, "sub"))

    def __len__(s):
        return 99


class DictSub(dict):
    def __missing__(s, k):
        return ("missing", k)

    def __getitem__(s, k):
        r = super().__getitem__(k)
        return r


class BadEq:
    def __eq__(s, o):
        raise ValueError("eq")

    __hash__ = None


@dataclasses.dataclass
class DC:
    a: int
    b: list = dataclasses.field(default_factory=list)

    def total(s):
        return s.a + len(s.b)


@dataclasses.dataclass(frozen=True, order=True)
class FDC:
    a: int
    b: float = 2.0


NT = collections.namedtuple("NT", "p q")


class TNT(typing.NamedTuple):
    a: int
    b: str = "x"

    def both(self):
        return (self.a, self.b)


class Col(enum.Enum):
    R = 1
    G = 2


class Fl(enum.Flag):
    A = 1
    B = 2


class IE(enum.IntEnum):
    X = 1
    Y = 2


class Slots:
    __slots__ = ("a", "b")

    def __init__(s, a):
        s.a = a
