"""The language, construct by construct: each program plain and traced must agree in results, exceptions and their chains,
tracebacks, output and what they leave in their arguments."""

import asyncio
import builtins
import contextlib
import copy
import functools
import io
import sys
import traceback

import pytest

import framejit as fj

GLOBAL = 1


def chain_of(error, depth=0):
    """All that a handler can see of an exception, but for frames outside the program."""
    if error is None or depth > 6:
        return None
    frames = [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__) if f.filename == __file__]
    own = frames[next((i for i, (name, _) in enumerate(frames) if name not in ("outcome", "<lambda>")), 0) :]
    return (
        type(error).__name__,
        str(error),
        own,
        error.__suppress_context__,
        chain_of(error.__cause__, depth + 1),
        chain_of(error.__context__, depth + 1),
        getattr(error, "__notes__", None),
    )


def shown(value):
    if isinstance(value, fj.Tensor):
        return ("tensor", str(value.dtype), value.tolist())
    if isinstance(value, BaseException):
        return chain_of(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value).__name__, [shown(item) for item in value]
    if isinstance(value, dict):
        return type(value).__name__, [(shown(key), shown(item)) for key, item in value.items()]
    if hasattr(value, "__dict__") and not callable(value):
        return type(value).__name__, shown(vars(value))
    if callable(value) or hasattr(value, "__next__"):
        return type(value).__name__
    return value


def outcome(call, args):
    out = io.StringIO()
    result = error = None
    with contextlib.redirect_stdout(out):
        try:
            result = call(*args)
        except BaseException as raised:  # compared by the caller
            error = raised
    return shown(result), chain_of(error), out.getvalue(), shown(args)


# ---- programs: each takes a number and a tensor


def returns_in_try(n, x):
    log = []

    def inner(k):
        for i in range(5):
            try:
                if i == k:
                    return "returned", x + i
                if i == k - 1:
                    continue
                if k == 7 and i == 2:
                    break
                if k == 8 and i == 1:
                    raise ValueError(i)
            except ValueError as error:
                log.append(("except", error.args))
                if n:
                    return "from handler"
            else:
                log.append(("else", i))
            finally:
                log.append(("finally", i))
        else:
            log.append("loop ended")
        return "fell through"

    return [inner(k) for k in (0, 3, 7, 8, 9)], log


def finally_overrides(n, x):
    def returns():
        try:
            raise KeyError(n)
        finally:
            return x + 1  # noqa: B012

    def swallowed_in_loop():
        seen = []
        for i in range(3):
            try:
                seen.append(1 // (i - n))
            finally:
                if i < 2:
                    continue  # noqa: B012
                break  # noqa: B012
        return seen

    return returns(), swallowed_in_loop()


def nested_handlers(n, x):
    log = []
    try:
        try:
            x.nothing_of_that_name if n else {}["missing"]  # noqa: B018
        except KeyError as error:
            log.append(repr(error))
            raise ValueError("second") from error
        except AttributeError:
            log.append("attribute")
            raise
        finally:
            log.append("inner finally")
    except (ValueError, AttributeError) as error:
        log.append((type(error).__name__, type(error.__cause__).__name__, type(error.__context__).__name__))
        kept = error
    return log, type(kept).__name__


def handler_name_is_deleted(n, x):
    error = "before"
    try:
        raise ValueError(n)
    except ValueError as error:
        pass
    try:
        return error
    except UnboundLocalError as unbound:
        return x + n, str(unbound)


def raises_with_chain(n, x):
    try:
        try:
            [][n]
        except IndexError as error:
            error.add_note("a note")
            raise RuntimeError("outer") from (None if n else error)
    except RuntimeError as error:
        raise TypeError("outermost") from error


def raises_implicit_chain(n, x):
    try:
        raise ValueError(n)
    except ValueError:
        {}[n]


def raise_in_finally(n, x):
    try:
        if n:
            raise ValueError("first")
    finally:
        x.sum(7)


def reraised(n, x):
    def again():
        raise

    try:
        try:
            raise OSError(n, "text")
        except OSError:
            if n:
                again()
            raise
    except OSError as error:
        return error.errno, error.strerror, error.args, x * 2


def exception_state(n, x):
    before = sys.exc_info()[0]
    try:
        raise LookupError(n)
    except LookupError:
        inside = sys.exc_info()[0].__name__
        try:
            raise KeyError
        except KeyError:
            nested = sys.exc_info()[0].__name__
        after_nested = sys.exc_info()[0].__name__
    return before, inside, nested, after_nested, sys.exc_info()[0], x + 1


def traceback_is_seen(n, x):
    def fails():
        return x.sum(9)

    try:
        fails()
    except IndexError as error:
        trace, lines = error.__traceback__, []
        while trace:
            lines.append(trace.tb_lineno - trace.tb_frame.f_code.co_firstlineno)
            trace = trace.tb_next
        return lines, error.__context__


def exception_groups(n, x):
    log = []
    try:
        raise ExceptionGroup("group", [ValueError(n), KeyError("k"), ExceptionGroup("inner", [OSError(1)])])
    except* (ValueError, KeyError) as group:
        log.append(("first", [type(e).__name__ for e in group.exceptions]))
    except* OSError as group:
        log.append(("second", group.message))
    try:
        try:
            raise TypeError("bare")
        except* ValueError:
            log.append("no")
    except TypeError as error:
        log.append(str(error))
    return x + len(log), log


def custom_exceptions(n, x):
    class Problem(Exception):
        def __init__(self, code, *, detail="none"):
            super().__init__(f"problem {code}")
            self.code, self.detail = code, detail

        def __str__(self):
            return f"{self.code}/{self.detail}"

    class Worse(Problem):
        pass

    results = []
    for kind in (Problem, Worse):
        try:
            raise kind(n, detail="d")
        except Worse as error:
            results.append(("worse", str(error), error.args))
        except Problem as error:
            results.append(("problem", str(error), error.args, error.code, vars(error)))
    return results, x + n


def asserts(n, x):
    assert x.ndim == 1, "never shown"
    try:
        assert n > 100, f"{n} is small"
    except AssertionError as error:
        text = str(error)
    try:
        assert not n or n
        assert n == -1
    except AssertionError as error:
        return text, error.args, x


class Manager:
    def __init__(self, log, name, swallow=False, fail=None):
        self.log, self.name, self.swallow, self.fail = log, name, swallow, fail

    def __enter__(self):
        self.log.append(f"enter {self.name}")
        if self.fail == "enter":
            raise RuntimeError("in enter")
        return self.name

    def __exit__(self, kind, value, trace):
        self.log.append((f"exit {self.name}", kind and kind.__name__, str(value), trace is None))
        if self.fail == "exit":
            raise RuntimeError("in exit")
        return self.swallow


def with_statements(n, x):
    log = []
    with Manager(log, "a"), Manager(log, "b", swallow=True) as b:
        log.append(b)
        raise ValueError("swallowed")
    for i in range(3):
        with Manager(log, "loop"):
            if i == n:
                continue
            if i == 1:
                break
    with contextlib.suppress(ZeroDivisionError):
        n // 0
        log.append("not reached")

    def returns():
        with Manager(log, "r"):
            return x + 1

    return returns(), log


def with_failures(n, x):
    log = []
    try:
        with Manager(log, "a"), Manager(log, "b", fail="enter" if n else "exit"):
            log.append("body")
            raise KeyError("body")
    except (RuntimeError, KeyError) as error:
        return log, str(error), repr(error.__context__), x


def with_target_unpacked(n, x):
    class Pair:
        def __enter__(self):
            return [1, (2, 3)]

        def __exit__(self, *args):
            return None

    holder = {}
    with Pair() as (a, (b, holder["c"])):
        pass
    return a, b, holder, x


def closures(n, x):
    total = 0

    def add(k):
        nonlocal total
        total += k

        def deeper():
            nonlocal total, k
            k += 1
            total = total * k
            return total

        return deeper

    first, second = add(n), add(3)
    late = [lambda: i for i in range(3)]
    early = [lambda i=i: i for i in range(3)]
    return first(), second(), first(), total, [f() for f in late], [f() for f in early], x + total


def closure_cell_states(n, x):
    def reads():
        return value

    results = []
    try:
        results.append(reads())
    except NameError as error:
        results.append(str(error))
    value = n
    results.append(reads())
    del value
    try:
        reads()
    except NameError as error:
        results.append(type(error).__name__)
    value = x
    results.append(reads())
    return results


def comprehensions(n, x):
    i = "outer"
    squares = [i * i for i in range(4) if i % 2 or i == n]
    nested = [(a, b) for a in range(3) for b in range(a) if a + b != 2]
    table = {key: [key] * key for key in range(3)}
    kept = [last := k for k in range(3)]
    matrix = [[row * column + n for column in range(2)] for row in range(2)]
    chosen = {len(word): word for word in ("a", "bb", "cc")}
    if any((found := k) > 1 for k in range(5)):
        last = found
    return (
        i,
        squares,
        nested,
        table,
        kept,
        last,
        matrix,
        chosen,
        {k % 2 for k in range(4)},
        [x + k for k in range(2)],
    )


def comprehension_in_class(n, x):
    class Holder:
        items = [k * 2 for k in range(3)]
        names = {k: v for k, v in zip("ab", items)}  # noqa: C416

    return Holder.items, Holder.names, x


def comprehension_raises(n, x):
    i = 5
    try:
        [1 // (i - 1) for i in range(3)]
    except ZeroDivisionError:
        return i, x + i


def matching(n, x):
    def one(value):
        match value:
            case 0 | 1 as small:
                return "small", small
            case int(big) if big > 10:
                return "big", big
            case [a, [b, *rest], *_]:
                return "nested", a, b, rest
            case (a,):
                return "single", a
            case {"k": k, **others}:
                return "mapping", k, others
            case str() | bytes():
                return "text"
            case Point(x=0, y=y):
                return "axis", y
            case Point(x, y):
                return "point", x, y
            case None | True | False:
                return "singleton", value
            case float():
                return "float"
            case _:
                return "other", type(value).__name__

    values = [
        0,
        1,
        11,
        5,
        [1, [2, 3, 4], 5],
        [9],
        (1, 2),
        {"k": n, "z": 1},
        {},
        "s",
        b"",
        Point(0, 2),
        Point(1, 2),
        None,
        True,
        2.5,
        x,
    ]
    return [one(value) for value in values]


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def star_calls(n, x):
    def target(a, /, b, *rest, key, other=4, **extra):
        return a, b, rest, key, other, extra

    results = [
        target(*[1, 2], key=3),
        target(1, *(2, 3), *[4], key=n, **{"z": 1}, y=2),
        target(*"ab", **{"key": 1, "other": x}),
        target(1, b=2, key=0, a=9),
    ]
    for bad in (
        lambda: target(1),
        lambda: target(1, 2),
        lambda: target(1, 2, key=1, **{"key": 2}),
        lambda: target(a=1, b=2, key=3),
        lambda: target(*5, key=1),
        lambda: target(1, 2, 3, key=1, **7),
        lambda: target(1, 2, key=1, **{1: 2}),
    ):
        try:
            results.append(bad())
        except TypeError as error:
            results.append(str(error).replace("<locals>.", ""))
    return results


def f_strings(n, x):
    value, width, name = 3.14159, 10, "text"
    return (
        f"{value:.2f}|{value:{width}.{n + 1}f}|{name!r:>8}|{name:^{width}}|{n:05d}|{n:#x}|{n:,}|{-n:+}|{{}}|{n=}|{name!a}",
        f"{x.shape}" + f"{x.ndim:>3}",
        f"{[n, name]!s:>20}",
        f"{'nested ' + f'{n:02}'}",
        "%s %05.1f %r %d%%" % (name, value, name, n),
        "{0} {k:>{w}} {1!r} {0.real}".format(n, name, k=name, w=6),
    )


def decorators(n, x):
    def times(k):
        def decorate(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return [function(*args, **kwargs) for _ in range(k)]

            wrapper.calls = k
            return wrapper

        return decorate

    @times(2)
    @times(1)
    def base(a, b=1):
        """Documented."""
        return a + b + x

    return base(n), base.__name__, base.__doc__, base.calls, base.__wrapped__.calls


class Base:
    counter = 0
    __slots__ = ()

    def __init_subclass__(cls, **options):
        super().__init_subclass__()
        cls.options = options

    def greet(self, n):
        return ["base", n]

    @classmethod
    def make(cls, *args):
        cls.counter += 1
        return cls(*args)

    @staticmethod
    def helper(n):
        return n * 2


class Left(Base, tag="left"):
    def greet(self, n):
        return ["left", *super().greet(n)]


class Right(Base):
    def greet(self, n):
        return ["right", *super().greet(n + 1)]


class Both(Left, Right):
    def __init__(self, value=0):
        self._value = value

    def greet(self, n):
        return ["both", *super(Both, self).greet(n)]

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        if new < 0:
            raise ValueError("negative")
        self._value = new

    @value.deleter
    def value(self):
        self._value = None


def inheritance(n, x):
    both = Both.make(n)
    results = [
        both.greet(1),
        Both.helper(n),
        both.helper(3),
        Left.options,
        Both.__mro__[1].__name__,
        both.value,
    ]
    both.value = 7
    both.value += 1
    results.append(both.value)
    try:
        both.value = -1
    except ValueError as error:
        results.append(str(error))
    del both.value
    results.append(both.value)
    return results, isinstance(both, Right), issubclass(Both, Left), x


class Dynamic:
    """Attributes by __getattr__, __getattribute__-free."""

    def __init__(self, **known):
        self.__dict__.update(known)

    def __getattr__(self, name):
        if name.startswith("no_"):
            raise AttributeError(f"{name} is not here")
        return name.upper()

    @property
    def broken(self):
        raise AttributeError("in the property")

    def __setattr__(self, name, value):
        object.__setattr__(self, name, (name, value))

    def __delattr__(self, name):
        if name == "kept":
            raise AttributeError("kept")
        super().__delattr__(name)


def dynamic_attributes(n, x):
    thing = Dynamic(known=n)
    thing.stored = x
    results = [
        thing.known,
        thing.anything,
        thing.stored,
        thing.broken,
        getattr(thing, "no_x", "default"),
        hasattr(thing, "no_y"),
    ]
    try:
        thing.no_z  # noqa: B018
    except AttributeError as error:
        results.append(str(error))
    del thing.stored
    results.append(thing.stored)
    try:
        del thing.kept
    except AttributeError as error:
        results.append(str(error))
    return results, vars(thing)


class Typed:
    def __init__(self, kind):
        self.kind = kind

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return getattr(instance, self.name, None)

    def __set__(self, instance, value):
        if not isinstance(value, self.kind):
            raise TypeError(f"{self.name}: {type(value).__name__}")
        setattr(instance, self.name, value)


class Lazy:
    """A descriptor without __set__: the instance's own attribute comes first."""

    def __init__(self, make):
        self.make = make

    def __get__(self, instance, owner=None):
        return self.make(instance) if instance is not None else self


class Described:
    number = Typed(int)
    lazy = Lazy(lambda self: (self.number or 0) + 100)


def descriptors(n, x):
    thing = Described()
    results = [thing.number, thing.lazy]
    thing.number = n
    results += [thing.number, thing.lazy]
    thing.lazy = "own"
    results.append(thing.lazy)
    try:
        thing.number = "text"
    except TypeError as error:
        results.append(str(error))
    return results, type(Described.number).__name__, vars(thing), x


class Vector:
    def __init__(self, *parts):
        self.parts = list(parts)

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(*[a + b for a, b in zip(self.parts, other.parts)])

    def __radd__(self, other):
        return Vector(*[other + a for a in self.parts])

    def __iadd__(self, other):
        self.parts = [a + 1 for a in self.parts]
        return self

    def __neg__(self):
        return Vector(*[-a for a in self.parts])

    def __eq__(self, other):
        return isinstance(other, Vector) and self.parts == other.parts

    def __lt__(self, other):
        return len(self.parts) < len(other.parts)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return "slice", index.start, index.stop, index.step
        return self.parts[index]

    def __setitem__(self, index, value):
        self.parts[index] = value

    def __delitem__(self, index):
        del self.parts[index]

    def __len__(self):
        return len(self.parts)

    def __contains__(self, item):
        return item == "magic" or item in self.parts

    def __call__(self, *args, **kwargs):
        return args, kwargs

    def __bool__(self):
        return len(self.parts) > 1

    def __iter__(self):
        return iter(self.parts)

    def __reversed__(self):
        return "reversed"

    def __matmul__(self, other):
        return "matmul"

    def __format__(self, spec):
        return f"<{spec}>"

    def __repr__(self):
        return f"Vector({self.parts})"

    def __hash__(self):
        return 7

    def __index__(self):
        return 1


def special_methods(n, x):
    a, b = Vector(1, n), Vector(3, 4)
    results = [
        (a + b).parts,
        (1 + a).parts,
        (-a).parts,
        a == b,
        a != b,
        a == Vector(1, n),
        a < Vector(1),
        a > Vector(1),
    ]
    c = a
    c += b
    results += [
        a is c,
        a.parts,
        a[0],
        a[1:5:2],
        a[:],
        len(a),
        "magic" in a,
        9 in a,
        a(1, k=2),
        bool(a),
        not Vector(1),
        list(a),
    ]
    a[0] = x
    del a[1]
    results += [
        a.parts,
        reversed(a),
        a @ b,
        f"{b:spec}",
        f"{b}",
        f"{b!r}",
        str(b),
        [10, 20, 30][b],
        hash(b),
        [*b],
        max(b, Vector(1), key=len).parts,
    ]
    first, *rest = b
    results += [first, rest, {**{"k": 1}}, sorted([b, Vector(1)]) == [Vector(1), b]]
    try:
        a + 3
    except TypeError as error:
        results.append(str(error))
    try:
        b[9]
    except IndexError as error:
        results.append(str(error))
    return results


def class_bodies(n, x):
    class Meta(type):
        def __new__(mcls, name, bases, space, **options):
            space["added"] = sorted(k for k in space if not k.startswith("__"))
            return super().__new__(mcls, name, bases, space)

        def __call__(cls, *args):
            made = super().__call__(*args)
            made.via_meta = True
            return made

        def __len__(cls):
            return 42

    class Made(metaclass=Meta):
        a = n
        b = a + 1
        if n:
            c = "conditional"

        def method(self):
            return __class__.__name__, self.b

    made = Made()
    return made.method(), Made.added, made.via_meta, len(Made), x


def asynchronous(n, x):
    class Source:
        def __init__(self, k):
            self.k = k

        def __aiter__(self):
            return self

        async def __anext__(self):
            if self.k == 0:
                raise StopAsyncIteration
            self.k -= 1
            return self.k

        async def __aenter__(self):
            return "entered"

        async def __aexit__(self, *args):
            return True

    async def one(k):
        await asyncio.sleep(0)
        return x + k

    async def numbers():
        for i in range(2):
            yield i

    async def run():
        found = [k async for k in Source(2)]
        async with Source(1) as entered:
            raise ValueError("swallowed")
        both = await asyncio.gather(one(1), one(2))
        return found, entered, both, [k async for k in numbers()]

    return asyncio.run(run())


def generators(n, x):
    log = []

    def numbers():
        try:
            got = yield 1
            log.append(got)
            yield from range(2)
        except ValueError as error:
            log.append(str(error))
            yield "recovered"
        finally:
            log.append("done")

    generator = numbers()
    results = [next(generator), generator.send("sent"), generator.throw(ValueError("thrown"))]
    results.append(next(generator, "end"))
    lazy = (log.append(k) or k for k in range(3))
    results.append(next(lazy))
    return results, log, x


def deletions(n, x):
    a, b = [1, 2, 3, 4], {"k": 1, "l": 2}
    del a[0], a[-1:], b["k"]
    c = d = n
    del c
    results = []
    try:
        c  # noqa: B018
    except UnboundLocalError as error:
        results.append(str(error))
    thing = Point(1, 2)
    del thing.x
    try:
        thing.x  # noqa: B018
    except AttributeError as error:
        results.append(str(error))
    try:
        del b["absent"]
    except KeyError as error:
        results.append(error.args)
    return a, b, d, results, x


def global_statements(n, x):
    global GLOBAL, FRESH
    GLOBAL += n
    FRESH = GLOBAL * 2
    seen = GLOBAL, FRESH, "FRESH" in globals()
    del FRESH
    try:
        FRESH  # noqa: B018
    except NameError as error:
        text = str(error)
    GLOBAL -= n
    return seen, text, x


def comparisons(n, x):
    calls = []

    def note(value):
        calls.append(value)
        return value

    chained = note(1) < note(n) < note(5), note(9) > note(8) > note(10) > note(0), 1 < 2 <= 2 != 3 == 3
    members = n in (1, 2), n not in [1], "a" in "abc", None is None, (n is None) == False  # noqa: E712
    logic = note(0) or note(n) or note(4), note(1) and note(0) and note(3), not note(0)
    return chained, members, logic, calls, (1, 2) < (1, 3), [1] == [1.0], 1 == True, "a" < "b", x


def unpackings(n, x):
    a, (b, *c), d = 1, (2, 3, 4), n
    *e, f = "xyz"
    (g, h), i = [5, 6], 7
    g, h = h, g
    j = k = [0]
    j[0], m = 1, j[0]
    results = []
    for bad in ((1,), (1, 2, 3), 5, x):
        try:
            p, q = bad
            results.append("unpacked")
        except (ValueError, TypeError) as error:
            results.append(str(error))
    for index, (left, right) in enumerate({"a": 1, "b": 2}.items()):
        results.append((index, left, right))
    return a, b, c, d, e, f, g, h, i, k, m, results, [*range(2), *"ab"], {**{"a": 1}, "a": 2}, (*[], n)


def slices(n, x):
    items = list(range(10))
    items[2:4] = ["two"]
    items[::3] = ["x"] * len(items[::3])
    items[1:1] = [n, n]
    text = "abcdefgh"
    results = [
        items,
        items[-3:],
        items[::-1],
        text[1:-1:2],
        (1, 2, 3)[:2],
        items[slice(1, 3)],
        text[100:],
        x[1:],
        x[::2],
        x[-1],
    ]
    for bad in (
        lambda: items[99],
        lambda: items["a"],
        lambda: items.__setitem__(slice(0, 4, 2), [1]),
        lambda: text[1.5],
    ):
        try:
            results.append(bad())
        except (IndexError, TypeError, ValueError) as error:
            results.append(str(error))
    return results


def dicts_and_sets(n, x):
    d = {"a": 1, n: x, (1, 2): "tuple"}
    d |= {"a": 2, "z": 3}
    e = d | {"b": 0}
    popped = d.pop("z"), d.pop("none", None), d.setdefault("new", []), d.get("new")
    d["new"].append(n)
    keys = (
        list(d),
        list(e.keys()),
        list(d.items())[-1],
        "a" in d,
        len(d),
        dict(zip("ab", range(2))),
        dict(a=1, **{"c": 2}),
    )
    s, t = {1, 2, n}, {2, 3}
    s.add(4)
    s.discard(99)
    sets = s & t, s | t, s - t, s ^ t, s <= (s | t), s.isdisjoint({77}), frozenset(t) == t, {*s, *t}
    results = []
    for bad in (
        lambda: d["absent"],
        lambda: {[]: 1},
        lambda: s.remove(99),
        lambda: {}.popitem(),
        lambda: {1: 2}.fromkeys(3),
    ):
        try:
            results.append(bad())
        except (KeyError, TypeError) as error:
            results.append((type(error).__name__, str(error)))
    for key in list(d):
        if key == "a":
            del d[key]
    try:
        for key in d:
            d[key, 1] = 0
    except RuntimeError as error:
        results.append(str(error))
    return popped, keys, sets, results, d.keys() & {"a", n}, d == dict(d), list(reversed(d))


def numbers(n, x):
    results = [
        7 // 2,
        -7 // 2,
        7 % -3,
        divmod(-7, 2),
        2**-1,
        2**70,
        7 / 2,
        0.1 + 0.2,
        1e400,
        -0.0,
        5 & 3 | 8 ^ 1,
        ~n,
        n << 3,
        n >> 1,
    ]
    results += [
        round(2.5),
        round(-1.5),
        round(2.675, 2),
        int("0x1f", 16),
        int(-3.7),
        float("1e3"),
        complex(1, n) * 2j,
        abs(-n),
        pow(3, n, 5),
    ]
    results += [
        (n + 0.5).is_integer(),
        n.bit_length(),
        (3.0).hex(),
        min(3, n, key=lambda v: -v),
        sum([0.1] * 3),
        max("a", "b"),
        True + True,
    ]
    for bad in (
        lambda: n // 0,
        lambda: n % 0,
        lambda: 1 << -1,
        lambda: 0.0**-1,
        lambda: int("q"),
        lambda: float("nan") < n,
        lambda: "a" + n,
        lambda: 2.5 // 0,
    ):
        try:
            results.append(bad())
        except Exception as error:
            results.append((type(error).__name__, str(error)))
    return [str(value) for value in results], x * n


def strings(n, x):
    text = "Hello, World"
    return (
        text.lower().split(", "),
        text.replace("l", "L", n),
        "-".join(map(str, range(n + 2))),
        text.find("o"),
        text.partition(", "),
        text.encode().hex(),
        text.startswith(("He", "x")),
        text[::-1].title(),
        text.center(20, "*"),
        "a\tb".expandtabs(4),
        text.translate({72: "J"}),
        [ord(c) for c in text[:2]],
        b"bytes"[1],
        bytes([1, n]),
        text * 2,
        "%(a)s" % {"a": n},
        x.ndim,
    )


def locals_are_seen(n, x):
    a = 1
    names = sorted(locals())
    b = 2
    values = locals()["a"], "b" in locals(), eval("a + b"), sorted(vars())
    return names, values, [k for k in ("q",) if "n" not in dir()], x


def executed_code(n, x):
    space = {"n": n}
    exec("m = n + 1\ndef f(k): return k * m", space)
    return space["m"], space["f"](2), eval("[i for i in range(3)]"), x


def while_loops(n, x):
    i, seen = 0, []
    while True:
        i += 1
        if i == 2:
            continue
        if i > 4 + n:
            break
        seen.append(i)
    else:
        seen.append("never")
    while i:
        i -= 1
    else:
        seen.append("ended")
    while (i := i + 1) < 3:
        x = x + i
    return seen, i, x


def for_loops(n, x):
    items, seen = [1, 2, 3], []
    for i, item in enumerate(items):
        seen.append(item)
        if len(items) < 5:
            items.append(i * 10)
    for a, b in zip(items, "abc"):
        if b == "b":
            break
    else:
        seen.append("no break")
    for (c,) in [(1,), (2,)]:
        pass
    for seen_too in []:  # noqa: B007
        pass
    for k in range(5, 0, -2):
        x = x + k
    try:
        seen_too  # noqa: B018
    except UnboundLocalError:
        seen.append("unbound")
    return seen, a, b, c, k, x


def function_objects(n, x):
    def outer(a, b=n, *args, c=3, **kwargs) -> int:
        """doc"""
        return a

    outer.extra = 1
    method = Both(2).greet
    part = functools.partial(outer, 1, c=4)
    return (
        outer.__name__,
        outer.__defaults__,
        outer.__kwdefaults__,
        outer.__doc__,
        outer.__annotations__,
        outer.__code__.co_argcount,
        outer.extra,
        method.__name__,
        method.__self__.value,
        part(),
        part.keywords,
        (lambda *a, **k: (a, k))(1, z=2),
        callable(outer),
        x,
    )


def recursion(n, x):
    def fact(k):
        return 1 if k < 2 else k * fact(k - 1)

    def even(k):
        return k == 0 or odd(k - 1)

    def odd(k):
        return k != 0 and even(k - 1)

    def flat(items):
        for item in items:
            if isinstance(item, list):
                yield from flat(item)
            else:
                yield item

    return fact(10), even(7), list(flat([1, [2, [3, []], 4]])), x


def augmented(n, x):
    items = alias = [1]
    items += (2,)
    items *= 2
    holder = {"k": [n]}
    holder["k"] += [1]
    holder["k"][0] -= 5
    t = (1, [2])
    try:
        t[1] += [3]
    except TypeError as error:
        text = str(error)
    y = x
    y += 1
    z = x.clone()
    z = z - 1
    z //= 2
    return alias, items is alias, holder, t, text, x is y, x, z


def shared_and_cyclic(n, x):
    row = [0]
    grid = [row] * 2
    grid[0][0] = n
    loop = [1]
    loop.append(loop)
    tree = {"self": None}
    tree["self"] = tree
    return grid, grid[0] is grid[1], len(loop), loop[1] is loop, tree["self"]["self"] is tree, x


def names_of_builtins(n, x):
    len = lambda items: "shadowed"  # noqa: E731, A001
    values = len([1]), builtins.len([1]), isinstance(n, int | str), type(x).__name__, type(n) is int
    return values, id(x) == id(x), callable(len), print("printed", n, sep="-", end="!\n"), x


def enum_like(n, x):
    import enum

    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    return Color(1).name, Color["BLUE"].value, [c.name for c in Color], Color.RED is Color(1), x


def tensors_in_control(n, x):
    total = x.sum()
    if total > 0:
        y = x * 2
    else:
        y = -x
    while y.sum() < 50:
        y = y + 10
    return y, bool(total > 0), [float(v) for v in x], "big" if y.max() > 20 else "small"


PROGRAMS = [
    value
    for name, value in list(globals().items())
    if getattr(value, "__module__", "") == __name__
    and getattr(value, "__code__", None)
    and value.__code__.co_varnames[:2] == ("n", "x")
    and value.__code__.co_argcount == 2
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_cpython(program):
    compiled = fj.compile(program)
    internal_errors = []
    previous = fj._C.compiler.set_listener(
        lambda event: event["kind"] == "internal_error" and internal_errors.append(event)
    )
    try:
        for n in (0, 2, 2, 3, 1):
            arguments = n, fj.arange(3.0)
            want = outcome(program, copy.deepcopy(arguments))
            got = outcome(compiled, copy.deepcopy(arguments))
            assert got == want, f"n = {n}"
    finally:
        fj._C.compiler.set_listener(previous)
    assert not internal_errors


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
