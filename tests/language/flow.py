"""Branches, loops, comprehensions, pattern matching. Each function is a program: a number and a tensor to anything."""


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


def tensors_in_control(n, x):
    total = x.sum()
    if total > 0:
        y = x * 2
    else:
        y = -x
    while y.sum() < 50:
        y = y + 10
    return y, bool(total > 0), [float(v) for v in x], "big" if y.max() > 20 else "small"
