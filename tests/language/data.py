"""Containers, numbers, text. Each function is a program: a number and a tensor to anything."""

import builtins

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
