"""Objects that live on between calls. Each function is a program: a value, a tensor and a State to anything."""

import dataclasses
import functools
import operator
from tests.language.classes import Dynamic
from tests.language.subjects import State, IntSub, StrSub, ListSub, DictSub, BadEq, DC, FDC, NT, TNT, Col, Fl, IE, Slots

nan = float("nan")


def broken_prop(n, x, st):
    t = Dynamic()
    try:
        r = t.broken
    except AttributeError as e:
        r = str(e)
    return r, hasattr(t, "broken"), getattr(t, "broken", 5)


def identity_keys(n, x, st):
    d = {True: "t"}
    d[1] = "one"
    d[1.0] = "f"
    return (
        list(d.items()),
        nan in [nan],
        nan == nan,
        [nan].index(nan),
        (nan,) == (nan,),
        0.0 == -0.0,
        str({zero: 1 for zero in (0.0, -0.0)}),
        {1, True, 1.0},
    )


def default_mut(n, x, st):
    def f(a=[]):
        a.append(n)
        return list(a)

    return f(), f()


def gdef(a, acc=[]):
    acc.append(a)
    return list(acc)


def default_global(n, x, st):
    return len(gdef(n)) > 0, x + n if isinstance(n, int) else x


def state1(n, x, st):
    st.items.append(n)
    st.items[0] = x
    st.table["b"] = n
    del st.table["a"]
    st.table["a"] = 2
    st.child = st
    st.child.n += 1
    r = st.child is st
    st.child = None
    return st.noisy, st.noisy, st.bump(), st.cached, st.cached, list(st.table), r


def state2(n, x, st):
    for i in st.items:
        if len(st.items) < 6:
            st.items.append(i)
    st.items.sort(key=str)
    st.items.reverse()
    st.items.insert(1, n)
    st.items.extend(range(2))
    st.items[1:3] = []
    st.items *= 2
    return st.items.pop(), st.items.pop(0), st.items.count(1), st.items.index(1)


def state3(n, x, st):
    State.shared.append(n)
    r = len(State.shared)
    State.shared.clear()
    st.limit = 5
    return r, st.limit, State.limit, "limit" in vars(st)


def aliasing(n, x, st):
    a = st.items
    b = a
    c = a[:]
    b.append(7)
    c.append(8)
    st.table["self"] = a
    st.table["self"].append(9)
    return a is st.items, a == b, c, st.table["self"] is a


def subclasses(n, x, st):
    i = IntSub(3)
    s = StrSub("q")
    seq = ListSub([1])
    seq.append(2)
    d = DictSub(a=1)
    return (
        i + 1,
        i == 4,
        s.upper(),
        s + "x",
        type(s + "x").__name__,
        list(seq),
        len(seq),
        d["a"],
        d["zz"],
        d.get("zz"),
        5 + i,
    )


def badeq(n, x, st):
    try:
        return BadEq() in [BadEq()]
    except ValueError as e:
        r = str(e)
    b = BadEq()
    return r, b in [b], [b].index(b)


def dcs(n, x, st):
    d = DC(1)
    e = DC(1)
    d.b.append(x)
    f = dataclasses.replace(e, a=5)
    g = FDC(1)
    try:
        g.a = 2
    except dataclasses.FrozenInstanceError as err:
        r = str(err)
    return (
        d,
        d.total(),
        DC(1) == e,
        f,
        g < FDC(2),
        hash(g) == hash(FDC(1)),
        repr(e),
        dataclasses.asdict(e),
        r,
        dataclasses.astuple(g),
    )


def nts(n, x, st):
    a = NT(1, x)
    b = a._replace(p=n)
    c = TNT(n)
    p_, q = a
    return a, b, c.both(), c.b, a._fields, p_, a[1] is x, c == (n, "x"), repr(c), a._asdict()["p"]


def enums(n, x, st):
    return (
        Col.R,
        Col(2).name,
        Col["G"] is Col.G,
        {Col.R: 1}[Col.R],
        Col.R == 1,
        IE.X == 1,
        IE.X + 1,
        IE.Y > IE.X,
        Fl.A | Fl.B,
        Fl.A in (Fl.A | Fl.B),
        [c.value for c in Col],
        isinstance(IE.X, int),
        f"{IE.X}",
        str(Col.R),
    )


def slots(n, x, st):
    s = Slots(n)
    try:
        s.b
    except AttributeError as e:
        r = str(e)
    try:
        s.zz = 1
    except AttributeError as e:
        r2 = str(e)
    s.b = x
    s.a += 1
    return r, r2, s.a, s.b


def gen_state(n, x, st):
    def g():
        for i in st.items:
            yield i

    it = g()
    a = next(it)
    st.items.append("later")
    return a, list(it)


def tensor_mut(n, x, st):
    y = x
    y += 1
    z = x[0]
    z *= 5
    v = x.view(3)
    v.zero_()
    w = x.clone()
    w[1] = 7
    return x, y is x, z, v, w


def tensor_list(n, x, st):
    seq = [x, x * 2]
    seq[0] += 1
    a, b = seq
    t = tuple(seq)
    seq.append(x)
    return seq, t[0] is x, a is x, len(seq), x in seq[:1], [q.sum().item() for q in seq]


def setattr_(n, x, st):
    setattr(st, "dyn", n)
    r = getattr(st, "dyn")
    delattr(st, "dyn")
    try:
        st.dyn
    except AttributeError as e:
        m = str(e)
    return (
        r,
        m,
        hasattr(st, "n"),
        st.__class__.__name__,
        type(st) is State,
        st.__dict__["n"],
        sorted(vars(st)),
    )


def super_(n, x, st):
    class A:
        def f(self):
            return ["A"]

    class B(A):
        def f(self):
            return ["B"] + super().f()

    class C(B):
        def f(self):
            return ["C"] + super(B, self).f()

    return B().f(), C().f()


def raise_types(n, x, st):
    r = []
    for e in (
        ValueError,
        ValueError("a"),
        ValueError("a", "b"),
        KeyError("k"),
        StopIteration(3),
        SystemExit(2),
        OSError(1, "m", "f"),
    ):
        try:
            raise e
        except (Exception, SystemExit) as q:
            r.append((type(q).__name__, str(q), q.args, repr(q)))
    try:
        raise 5
    except TypeError as q:
        r.append(str(q))
    try:
        raise ValueError from 5
    except TypeError as q:
        r.append(str(q))
    return r


def partials(n, x, st):
    f = functools.partial(operator.add, 1)
    g = functools.partial(lambda a, b, *, c: (a, b, c), 1, c=n)
    return f(2), g(3), g(3, c=0), functools.reduce(lambda a, b: a * b, [1, 2, 3], n)


def attr_order(n, x, st):
    st.za = 1
    st.zb = 2
    st.za = 3
    del st.zb
    st.zb = 5
    st.zc = 1
    del st.zc
    st.zc = 2
    del st.zc
    st.n = 7
    return list(vars(st)), vars(st)["za"]


def order_effects(n, x, st):
    log = []

    class L:
        def __set_name__(s, o, nm):
            s.nm = "_" + nm

        def __get__(s, i, o=None):
            log.append("get")
            return 5

        def __set__(s, i, v):
            log.append(("set", v))

    class Q:
        a = L()

    q = Q()
    q.a = q.a + 1
    q.a += 1
    return log
