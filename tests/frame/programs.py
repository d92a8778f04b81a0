"""Python functions that between them use every construct of the language, each with its arguments.

A row is ``(function, *arguments)``. Mutable arguments are made anew for each run by calling the row's maker.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sys
from collections import OrderedDict, namedtuple
from dataclasses import dataclass

counter = 0
Point2 = namedtuple("Point2", "x y")


@dataclass
class Point:
    x: int
    y: int = 0


class Base:
    items: list = []

    def __init__(self, start=1):
        self.start = start

    def scale(self, k):
        return self.start * k

    @property
    def double(self):
        return self.start * 2

    @staticmethod
    def static(a):
        return a + 1

    @classmethod
    def make(cls, n):
        return cls(n)

    def __repr__(self):
        return f"{type(self).__name__}({self.start})"


class Derived(Base):
    def __init__(self, start=1):
        super().__init__(start + 1)

    def scale(self, k):
        return super().scale(k) + super(Derived, self).scale(1)


def arithmetic(a, b):
    c = a + b * 2 - a // 3 % 5
    c **= 2
    c += a @ Mat() if isinstance(a, Mat) else 0
    return c, -a, ~a, +b, not a, a << 1, a >> 1, a & b, a | b, a ^ b, a / (b or 1)


class Mat:
    def __rmatmul__(self, other):
        return "matmul"


def in_place(items):
    items += [1]
    items *= 2
    d = {"k": 1}
    d["k"] += 5
    d |= {"z": 2}
    text = "a"
    text += "b" * 3
    return items, d, text


def comparisons(a, b):
    return a < b, a <= b, a == b, a != b, a > b, a >= b, a is b, a is not b, a in [b], a not in (a, b), 0 < a < b < 100


def short_circuit(a, b, c):
    x = a and b or c
    y = a or b and c
    z = not (a and b) if c else (a or b)
    return x, y, z, a if b else c, bool(a) and bool(c)


def branches(n):
    if n < 0:
        kind = "negative"
    elif n == 0:
        kind = "zero"
    else:
        kind = "positive"
    if n is None:
        return None
    if n is not None and n > 3:
        return kind, "big"
    return kind


def loops(n):
    total = 0
    for i in range(n):
        if i == 3:
            continue
        if i == 8:
            break
        total += i
    else:
        total += 1000
    while total > 5:
        total -= 7
        if total == 2:
            break
    else:
        total = -total
    for i, (a, b) in enumerate(zip("xyz", [1, 2, 3])):
        total += i * b
    return total, a


def nested_loops(n):
    out = []
    for i in range(n):
        for j in range(i):
            if j % 2:
                continue
            out.append((i, j))
            if len(out) > 6:
                return out
    return out


def comprehensions(n):
    i = 100
    squares = [i * i for i in range(n) if i % 2]
    table = {k: v for k, v in zip("abc", squares)}
    unique = {x % 3 for x in squares}
    nested = [[x * y for x in range(2)] for y in range(3)]
    late = [lambda: i for i in range(3)]
    return squares, table, sorted(unique), nested, i, [f() for f in late], [y := 5, y**2]


def generator_expressions(n):
    return sum(x * x for x in range(n)), list(x for x in "abc"), any(x > 2 for x in range(n)), max((i for i in [3, 1]))


def generator_function(n):
    def numbers():
        received = yield "start"
        try:
            for i in range(n):
                received = yield (i, received)
        finally:
            yield from ["closing"]

    g = numbers()
    out = [next(g), g.send("a"), next(g)]
    return out + list(g)


def coroutine(n):
    async def child(k):
        await asyncio.sleep(0)
        return k * 2

    async def parent():
        return [await child(i) for i in range(n)]

    return asyncio.run(parent())


def closures(n):
    total = 0

    def add(k):
        nonlocal total
        total += k
        return total

    def reader():
        return total, n

    add(2)
    add(n)
    return reader(), add.__closure__[0].cell_contents


def cell_argument(a, b=2):
    def inner():
        return a + b

    a += 1
    return inner(), [inner() for a in [10]]


def functions(n):
    def every(a, b=2, /, c=3, *rest, d, e=5, **others):
        return a, b, c, rest, d, e, others

    return (
        every(1, d=4),
        every(1, 2, 3, 4, 5, d=6, z=7),
        every(*[1, 2], **{"d": 3, "q": 4}),
        every(*(n,), 9, *[8, 7], d=1, **{"x": 1}, **{"y": 2}),
        (lambda x, y=n: x * y)(3),
    )


def annotated(n: int) -> int:
    def inner(a: int, b: "str" = "x") -> None:
        pass

    value: int = n
    return value, inner.__annotations__, inner.__defaults__


def unpacking(items):
    a, b, c = items
    (d, e), f = (1, 2), 3
    first, *middle, last = range(6)
    *rest, tail = "ab"
    g, h = h_pair = [7, 8]
    a, b = b, a
    a, b, c = c, a, b
    return a, b, c, d, e, f, first, middle, last, rest, tail, g, h, h_pair


def build(n):
    return (
        (1, n),
        [n, *range(2), 3],
        {1, n, *[4]},
        {"a": n, **{"b": 2}, n: 4},
        (*[1], 2),
        {"one": 1, "two": n, "three": 3},
        slice(1, n, None),
        n if n else None,
    )


def subscripts(items):
    items[0] = 5
    items[1:3] = [7, 8, 9]
    del items[-1]
    del items[0:1]
    text = "abcdef"
    return items, items[1:], text[:2], text[1:4], text[::2], text[-1]


def strings(n):
    width = 8
    name = "x"
    return f"{n}", f"{n!r:>{width}}|{n:.2f}", f"{name}={n!s} {n!a}", f"{name:>5}{{}}", f"{n=}", "%s-%d" % (name, n)


def attributes(_):
    p = Point(1)
    p.x += 4
    p.y = p.x
    p.extra = "e"
    before = p.__dict__.copy()
    del p.extra
    return before, p, hasattr(p, "extra"), getattr(p, "nothing", 7), Point2(1, 2)._replace(x=5)


def methods(k):
    d = Derived(k)
    bound = d.scale
    return d.scale(3), bound(2), d.double, Base.static(1), d.static(2), Derived.make(5).start, repr(d), Base.scale(d, 4)


def class_statement(n):
    class Local(Base):
        kind = "local"
        tripled = n * 3

        def get(self):
            return __class__.__name__, self.tripled

    return Local(2).get(), Local.kind, Local(n).scale(2)


def globals_and_builtins(n):
    global counter
    counter = n
    counter += 1
    return counter, len([1, 2]), abs(-n)


def delete_names(n):
    a = n
    b = a
    del a
    return b, "a" in locals()


def imports(_):
    import math
    import os.path as path
    from collections import OrderedDict as Ordered
    from math import floor, pi

    return floor(pi), math.ceil(2.1), path.basename("a/b"), Ordered is OrderedDict


def handled(n):
    out = []
    for i in range(n):
        try:
            out.append(10 // (i - 1))
        except ZeroDivisionError as error:
            out.append(str(error))
        else:
            out.append("else")
        finally:
            out.append("finally")
    return out


def nested_handlers(n):
    try:
        try:
            raise ValueError("inner")
        except ValueError as error:
            raise KeyError("outer") from error
        finally:
            n += 1
    except (KeyError, TypeError) as error:
        return repr(error), repr(error.__cause__), n


def finally_overrides(_):
    try:
        return 1 / 0
    except ZeroDivisionError:
        return "except"
    finally:
        counter_list.append("finally")


counter_list: list = []


def return_in_finally(n):
    for i in range(n):
        try:
            continue
        finally:
            if i == 2:
                break
    return i


def context_managers(n):
    log = []

    @contextlib.contextmanager
    def manager(name):
        log.append("enter " + name)
        try:
            yield name
        finally:
            log.append("exit " + name)

    with manager("a") as a, manager("b"):
        log.append(a * n)
    with contextlib.suppress(KeyError):
        {}["missing"]
        log.append("not reached")
    with contextlib.ExitStack() as stack:
        stack.callback(log.append, "callback")
    return log


def reraise(_):
    try:
        try:
            [][1]
        except IndexError:
            raise
    except LookupError as error:
        return str(error)


def exception_groups(_):
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as group:
        first = repr(group)
    except* TypeError as group:
        second = repr(group)
    return first, second


def assertion(n):
    try:
        assert n > 100, f"n is {n}"
    except AssertionError as error:
        return str(error)


def matching(value):
    match value:
        case 0 | 1:
            return "small"
        case [a, b, *rest] if a == b:
            return "pair", rest
        case [first, *_]:
            return "list", first
        case {"key": inner, **others}:
            return "mapping", inner, others
        case Point(x=3, y=y):
            return "point", y
        case str() as text:
            return "text", text
        case None:
            return "none"
        case _:
            return "other"


class Odd:
    __match_args__ = ["a list is refused"]


class Twice:
    __match_args__ = ("x", "x")
    x = 1


class Wrong:
    __match_args__ = (1,)


class Whole(int):
    pass


class Gentle(dict):
    def __missing__(self, key):
        return "made"


def matching_classes(value):
    match value:
        case Whole(number):
            return "whole", number
        case bool(x) | int(x):
            return "number", x
        case Point(0, y) | Point(y=0, x=y):
            return "on an axis", y
        case Point(x=x, missing=_):
            return "never", x
        case Point(x, y):
            return "point", x, y
        case Point2(x, y):
            return "named", x, y
        case {"a": 1, "b": b}:
            return "keys", b
        case {"a": _, **rest}:
            return "rest", rest
        case {}:
            return "mapping"


def raises_not_a_class(_):
    Pattern = 3
    match 4:
        case Pattern():
            return 1


def raises_match_args_type(_):
    match Odd():
        case Odd(x):
            return x


def raises_match_args_name(_):
    match Wrong():
        case Wrong(x):
            return x


def raises_attribute_twice(_):
    match Twice():
        case Twice(x, y):
            return x, y


def raises_too_many_positions(_):
    match 3:
        case int(x, y):
            return x, y


def raises_duplicate_keys(_):
    key = "a"

    class Names:
        first = second = key

    match {"a": 1}:
        case {Names.first: 1, Names.second: 1}:
            return 1


def reraised_twice(n):
    log = []
    for i in range(n):
        try:
            try:
                try:
                    [][i]
                except KeyError:
                    log.append("not this one")
                except IndexError:
                    log.append(i)
                    raise
                finally:
                    log.append("finally")
            except (TypeError, ValueError):
                log.append("nor this one")
        except IndexError as error:
            frames = []
            trace = error.__traceback__
            while trace:
                frames.append(trace.tb_lineno - sys._getframe().f_code.co_firstlineno)
                trace = trace.tb_next
            log.append((str(error), frames))
    return log


def raises_again_from_helper(n):
    def again():
        raise

    try:
        n.missing
    except AttributeError:
        again()


def frames(_):
    def caller():
        frame = sys._getframe(1)
        return frame.f_code.co_name, frame.f_lineno - frame.f_code.co_firstlineno, sorted(frame.f_locals)

    a = 1
    b = caller()
    return a, b, sorted(locals()), [eval("a + 1"), sys._getframe().f_lineno - sys._getframe().f_code.co_firstlineno]


def recursion(n):
    return 1 if n <= 1 else n * recursion(n - 1)


def decorated(n):
    @functools.wraps(recursion)
    @functools.lru_cache(maxsize=None)
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n + 10), fib.__name__


def constants(_):
    return 1, 2.5, "text", b"bytes", None, True, ..., (1, (2, "x")), frozenset({1}), 1j, -0.0, 10**30


def returns_none(_):
    pass


def returns_constant(n):
    if n:
        return "a"
    return "b"


def many_locals(n):
    v0 = v1 = v2 = v3 = v4 = v5 = v6 = v7 = v8 = v9 = w0 = w1 = w2 = w3 = w4 = w5 = w6 = w7 = w8 = w9 = n
    x0 = x1 = x2 = x3 = x4 = x5 = x6 = x7 = x8 = x9 = v0 + w9
    return v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9


def callables(n):
    import operator

    partial = functools.partial(pow, 2)
    return partial(n), list(map(str, range(n))), sorted([3, 1, 2], key=lambda v: -v), operator.attrgetter("real")(n), int("7")


# --- programs that raise out of the function ---------------------------------------------------------------------------


def raises_plain(n):
    x = n
    raise ValueError(f"bad {x}")


def raises_from_call(n):
    value = raises_plain(n)
    return value


def raises_in_operator(n):
    a = [n]
    return (
        a
        + n
    )


def raises_unbound(n):
    if n > 1000:
        value = 1
    return value


def raises_unbound_deleted(n):
    value = n
    del value
    return value


def raises_unbound_cell(n):
    def inner():
        return late

    inner()
    late = 1


def raises_name(_):
    return undefined_name  # noqa: F821


def raises_attribute(n):
    return n.missing


def raises_unpack_short(_):
    a, b, c = [1, 2]


def raises_unpack_long(_):
    a, b = [1, 2, 3]


def raises_unpack_star(_):
    a, b, *c = [1]


def raises_unpack_type(n):
    a, b = n


def raises_arguments(n):
    return recursion(n, n)


def raises_star(n):
    return recursion(*n)


def raises_twice_given(_):
    return dict(**{"a": 1}, **{"a": 2})


def raises_with(n):
    with n as x:
        return x


def raises_inside_with(n):
    with contextlib.nullcontext():
        return n / 0


def raises_in_finally(n):
    try:
        return n
    finally:
        {}["key"]


def raises_in_handler(n):
    try:
        n / 0
    except ZeroDivisionError:
        n.missing


def raises_in_loop(n):
    for i in range(10):
        if i == n:
            raise StopIteration(i)


def raises_no_active(_):
    raise


def raises_import(_):
    from math import nothing_like_it  # noqa: F401


def raises_assert(n):
    assert n == -1, "text"


def raises_first_in_try(_):
    try: undefined_name  # noqa
    finally: pass  # noqa


ROWS = [
    lambda: (arithmetic, 7, 3),
    lambda: (arithmetic, 0, 0),
    lambda: (in_place, [2, 3]),
    lambda: (comparisons, 2, 5),
    lambda: (comparisons, 5, 5),
    lambda: (short_circuit, 1, 0, 2),
    lambda: (short_circuit, 0, [], ""),
    lambda: (short_circuit, "a", 3, None),
    *[lambda n=n: (branches, n) for n in (-1, 0, 2, 9)],
    *[lambda n=n: (loops, n) for n in (0, 2, 5, 20)],
    lambda: (nested_loops, 3),
    lambda: (nested_loops, 9),
    lambda: (comprehensions, 7),
    lambda: (generator_expressions, 5),
    lambda: (generator_function, 4),
    lambda: (coroutine, 3),
    lambda: (closures, 5),
    lambda: (cell_argument, 5),
    lambda: (functions, 3),
    lambda: (annotated, 3),
    lambda: (unpacking, (1, 2, 3)),
    lambda: (unpacking, iter("abc")),
    lambda: (unpacking, {1: 2, 3: 4, 5: 6}),
    lambda: (build, 6),
    lambda: (subscripts, [1, 2, 3, 4, 5]),
    lambda: (strings, 3),
    lambda: (attributes, None),
    lambda: (methods, 3),
    lambda: (class_statement, 3),
    lambda: (globals_and_builtins, 3),
    lambda: (delete_names, 3),
    lambda: (imports, None),
    lambda: (handled, 4),
    lambda: (nested_handlers, 1),
    lambda: (finally_overrides, 1),
    lambda: (return_in_finally, 5),
    lambda: (context_managers, 2),
    lambda: (reraise, None),
    lambda: (exception_groups, None),
    lambda: (assertion, 3),
    *[
        lambda v=v: (matching, v)
        for v in (0, [1, 1, 2], [3, 4], {"key": 1, "more": 2}, Point(3, 4), "text", None, 9.5, [], {})
    ],
    *[
        lambda v=v: (matching_classes, v)
        for v in (True, 7, Whole(2), Point(0, 5), Point(6, 0), Point(1, 2), Point2(1, 2), {"a": 1, "b": 2}, {"a": 3}, Gentle(), [], None)
    ],
    lambda: (reraised_twice, 3),
    lambda: (frames, None),
    lambda: (recursion, 9),
    lambda: (decorated, 3),
    lambda: (constants, None),
    lambda: (returns_none, None),
    lambda: (returns_constant, 0),
    lambda: (returns_constant, 1),
    lambda: (many_locals, 2),
    lambda: (callables, 3),
    *[
        lambda f=f: (f, 3)
        for name, f in sorted(globals().items())
        if name.startswith("raises_")
    ],
]
