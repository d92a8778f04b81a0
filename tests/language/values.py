"""Values of many kinds. Each function is a program: a value, a tensor and a State to anything."""

import collections
import math
from tests.language.classes import Vector
from tests.language.subjects import IntSub, IE

nan = float("nan")


def nums(n, x, st):
    return (
        n + 1,
        n * 2,
        -n,
        n == 1,
        n < 2,
        n is True,
        type(n).__name__,
        str(n),
        bool(n),
        [n] * 2,
        (n, n),
        n // 1 if n == n else 0,
        n**2 if abs(n) < 1e6 else 0,
        x * n if abs(n) < 1e6 or n != n else x,
        abs(n),
        max(n, 1),
        min(n, 1),
        sum([n, 1]),
        f"{n}",
    )


def num_branch(n, x, st):
    r = []
    if n > 0:
        r.append("pos")
    elif n < 0:
        r.append("neg")
    else:
        r.append("zero/nan")
    if n:
        r.append("truthy")
    while n > 3 and len(r) < 5:
        n = n - 1
        r.append(n)
    return r, x + len(r)


def intfloat(n, x, st):
    try:
        i = int(n)
    except (ValueError, OverflowError) as e:
        i = str(e)
    try:
        f = float(n)
    except OverflowError as e:
        f = str(e)
    try:
        rr = range(n)
    except TypeError as e:
        rr = str(e)
    try:
        b = [1, 2, 3][n]
    except (IndexError, TypeError) as e:
        b = str(e)
    try:
        h = hash(n)
    except Exception as e:
        h = str(e)
    return (
        i,
        f,
        str(rr)[:40],
        b,
        round(n) if n == n else 0,
        divmod(n, 2) if n == n else 0,
        math.floor(n) if n == n else 0,
        {n: 1}.get(n),
        n in (1, 2),
        isinstance(n, bool),
    )


def bits(n, x, st):
    try:
        return n & 1, n | 2, n ^ 3, ~n, n << 2, n >> 1
    except TypeError as e:
        return str(e)


def iters(n, x, st):
    it = iter(st.items)
    a = next(it)
    r = [a]
    r += [k for k in it]
    z = zip(st.items, "abc")
    next(z, None)
    m = map(lambda q: (q, n), st.items)
    next(m, None)
    e = enumerate(st.items, 5)
    next(e, None)
    return (
        r,
        list(z),
        list(m),
        list(e),
        next(it, "end"),
        list(reversed(st.items)),
        list(filter(None, [0, 1, n])),
    )


def kw(n, x, st):
    def f(**k):
        k["z"] = n
        return k

    d = {"a": 1}
    r = f(**d)

    def g(*a):
        return a

    seq = [1, 2]
    t = g(*seq)
    seq.append(3)
    return d, r, t, dict(**d, **{"b": 2}), (lambda a, *, b=n: (a, b))(1)


def strs(n, x, st):
    s = "abc"
    return (
        s[1],
        s * 2,
        "b" in s,
        s.join(["1", "2"]),
        s.upper() is s.upper(),
        "%s" % n,
        "{:>5}".format(str(n)),
        s < "abd",
        [*s],
        s.__len__(),
        str(st.items[:1]),
        repr(s),
        f"{x.shape[0]:>4}",
        f"{n!r:>8}",
    )


def lists(n, x, st):
    seq = [3, 1, 2]
    m = sorted(seq, reverse=True)
    seq.sort(key=lambda v: -v)
    l2 = [[0] * 2 for _ in range(2)]
    l2[0][0] = n
    l3 = [[0] * 2] * 2
    l3[0][0] = n
    t = (1, 2) + (3,)
    try:
        seq.remove(99)
    except ValueError as e:
        r = str(e)
    try:
        [].pop()
    except IndexError as e:
        r2 = str(e)
    del seq[::2]
    return (
        seq,
        m,
        l2,
        l3,
        t,
        t * 2,
        r,
        r2,
        seq == [2],
        [1, 2] < [1, 3],
        (1,) == [1],
        seq.copy() is seq,
        [].__class__.__name__,
        list("ab") + ["c"],
        [x] == [x],
    )


def dicts(n, x, st):
    d = {}
    for w in "abca":
        d[w] = d.get(w, 0) + 1
    d.update([("z", 1)], y=2)
    a = d.popitem()
    v = d.values()
    k = d.keys()
    d["new"] = 0
    try:
        for q in d:
            d.pop(q)
    except RuntimeError as e:
        r = str(e)
    c = collections.OrderedDict(a=1, b=2)
    c.move_to_end("a")
    dd = collections.defaultdict(list)
    dd["q"].append(n)
    cn = collections.Counter("abca")
    return (
        d,
        a,
        list(v),
        "new" in k,
        len(v),
        r,
        list(c),
        dict(dd),
        cn.most_common(1),
        {**d},
        d | {"z": 9},
        dict.fromkeys("ab", n),
    )


def nested_fn(n, x, st):
    fs = []
    for i in range(3):

        def f(k, i=i, *, j=i * 2):
            return k + i + j + len(st.items)

        fs.append(f)
    st.items.append(1)
    return [f(1) for f in fs], [g(2, j=0) for g in fs], fs[0] is not fs[1]


def nonlocals(n, x, st):
    c = 0

    def inc():
        nonlocal c
        c += 1
        return c

    a = [inc() for _ in range(3)]
    c += 10
    return a, inc(), c


def tryloop(n, x, st):
    out = []
    for i in range(4):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            out.append(10 // (i - 2))
        except ZeroDivisionError as e:
            out.append(str(e))
        else:
            out.append("ok")
        finally:
            out.append(i)
    return out


def ternary(n, x, st):
    return (
        (1 if n else 2),
        (n or "d"),
        (n and "e"),
        not n,
        (n if n == n else "nan"),
        [a if a else "z" for a in (0, n)],
    )


def walrus(n, x, st):
    if (m := len(st.items)) > 1 and (q := m * 2):
        return m, q, [y := k for k in range(3)], y


def boolops(n, x, st):
    return (
        any([]),
        all([]),
        any([0, n]),
        all(v for v in [1, n]),
        bool([]),
        bool({}),
        bool(""),
        bool(st),
        bool(()),
        not None,
    )


def comps(n, x, st):
    return (
        [i for i in st.items if i],
        {i: j for i, j in zip("ab", st.items)},
        {str(i) for i in st.items},
        [[j for j in range(i)] for i in range(3)],
        [(i, j) for i in range(2) for j in range(2) if i != j],
        [f() for f in [lambda i=i: i for i in range(2)]],
        [i for i, *r in [(1, 2), (3, 4)]],
    )


def seqidx(n, x, st):
    r = []
    for i in (0, -1, 5, slice(0, 2), True):
        for s in ([1, 2], (1, 2), "ab", range(3), x):
            try:
                r.append(s[i])
            except (IndexError, TypeError) as e:
                r.append(str(e))
    return r


def existing_slice(n, x, st):
    s = st.sl
    return (
        [1, 2, 3][s],
        (1, 2, 3)[s],
        "abc"[s],
        x[s],
        s.start,
        s.stop,
        s == slice(0, 2),
        [q for q in [1, 2, 3][s]],
    )


def idx(n, x, st):
    r = []
    for i in (IE.X, IntSub(1), Vector(1), 2**70):
        try:
            r.append([1, 2, 3][i])
        except (TypeError, IndexError) as e:
            r.append(str(e))
        try:
            r.append({1: "one"}[i])
        except (TypeError, KeyError) as e:
            r.append(str(e))
    return r
