"""Functions: scopes, arguments, decorators, recursion, generators, coroutines. Each function is a program: a number and a tensor to anything."""

import asyncio
import functools

GLOBAL = 1


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
