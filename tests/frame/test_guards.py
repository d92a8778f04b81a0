"""Every kind of source and guard: what it accepts, how it prints, what it says when it fails."""

import gc
import math
import sys
import types
import weakref

import pytest

from framejit._C import compiler

module_number = 5


def subject(x, y=None):
    return x


class Plain:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Slotted:
    __slots__ = ("value",)


def run(add, *locals_, function=subject):
    """The index of the failing guard (-1: all hold) of a program that ``add(builder)`` fills."""
    builder = compiler.GuardBuilder()
    add(builder)
    return builder.finish().run(function, list(locals_))


def program(add):
    builder = compiler.GuardBuilder()
    add(builder)
    return builder.finish()


def check(add, text, good, bad, message):
    """A one-guard program over local ``x``: its printed form, values it takes and refuses, and what it says of a refusal."""
    made = program(lambda b: add(b, b.local(0, "x")))
    assert str(made).strip() == text
    for value in good:
        assert made.run(subject, [value]) == -1, value
    for value in bad:
        assert made.run(subject, [value]) == 0, value
    assert made.explain(0, subject, [bad[0]])["message"] == message


def test_type():
    check(lambda b, x: b.type(x, int), "type(x) is int", [1, 10**30], [True, 1.0], "x: got bool, expected int")


def test_identity():
    check(
        lambda b, x: b.identity(x, len),
        "x is <built-in function len>",
        [len],
        [abs],
        "x: got <built-in function abs> (another object), expected <built-in function len>",
    )


def test_expected_object_lives_while_it_is_described():
    """The collector may run in the middle, and identity guards hold what they can weakly."""
    thresholds = gc.get_threshold()
    told = set()
    try:
        for allocations in range(100):
            gc.set_threshold(0)
            expected = type("Expected", (), {})  # garbage in a cycle of its own once its name is gone
            name = repr(expected)
            made = program(lambda b: b.identity(b.local(0, "x"), expected))
            del expected
            gc.set_threshold(gc.get_count()[0] + allocations)  # a collection falls due after so many
            told.add(made.explain(0, subject, [abs])["message"])
    finally:
        gc.set_threshold(*thresholds)
    got = "x: got <built-in function abs> (another object), expected "
    assert told <= {got + name, got + "<an object that died>"}


@pytest.mark.parametrize(
    "value, other",
    [
        (3, 4),
        (3, 3.0),
        (1, True),
        (10**30, 10**30 + 1),
        (0.0, -0.0),
        (0.1, 0.1000001),
        (math.nan, 1.0),
        (1j, 1 + 1j),
        (complex(0.0, -0.0), 0j),
        ("a", "b"),
        (b"a", "a"),
        (None, 0),
        (True, 1),
        (..., None),
        ((1, (2.0, "x")), (1, (2, "x"))),
        ((0.0,), (-0.0,)),
        (frozenset({"a"}), frozenset({"b"})),
    ],
)
def test_constants_are_compared_by_type_and_bits(value, other):
    assert run(lambda b: b.constant(b.local(0, "x"), value), value) == -1
    assert run(lambda b: b.constant(b.local(0, "x"), value), other) == 0


def test_constants_made_anew_are_equal():
    for text in ("10**20", "'ab' * 3", "(1, (2.5, 'q'))", "float('nan')", "b'x' * 5"):
        assert run(lambda b: b.constant(b.local(0, "x"), eval(text)), eval(text)) == -1


def test_constant_messages():
    check(lambda b, x: b.constant(x, 3), "x == 3", [3], [4], "x: got 4, expected 3")
    check(lambda b, x: b.constant(x, None), "x is None", [None], [Plain()], "x: got a Plain, expected None")
    made = program(lambda b: b.constant(b.local(0, "x"), 3.5))
    assert made.explain(0, subject, [4.5])["is_number"] and not made.explain(0, subject, [4])["is_number"]


def test_absent():
    made = program(lambda b: b.absent(b.attribute(b.local(0, "x"), "a")))
    assert str(made).strip() == "x.a is not set"
    assert made.run(subject, [Plain()]) == -1
    assert made.run(subject, [Plain(a=1)]) == 0
    assert made.explain(0, subject, [Plain(a=1)])["message"] == "x.a: got 1, expected nothing"


def test_length():
    good = [[1, 2], (1, 2), {1: 2, 3: 4}, {1, 2}]
    check(lambda b, x: b.length(x, 2), "len(x) == 2", good, [[1], 5], "x: got 1 elements, expected 2 elements")


def test_dict_keys():
    d = {"a": 1, "b": 2}
    check(
        lambda b, x: b.keys(x, d),
        "tuple(x) == ('a', 'b')",
        [{"a": 9, "b": 9}],
        [{"b": 1, "a": 2}, {"a": 1}, [1]],
        "x: got other keys, or in another order, expected the keys ('a', 'b')",
    )


def test_keys_of_a_set():
    s = {"a", "b"}
    check(
        lambda b, x: b.keys(x, s),
        f"tuple(x) == {tuple(s)!r}",
        [{*s}, frozenset(s)],
        [{"a"}, {"a", "b", "c"}, {"a", "c"}, ["a", "b"], set()],
        f"x: got other keys, or in another order, expected the keys {tuple(s)!r}",
    )


def test_int64():
    check(
        lambda b, x: b.int64(x),
        "-2**63 <= x < 2**63",
        [0, -(2**63), 2**63 - 1],
        [2**63, True, 1.0],
        f"x: got {2**63}, expected an int of 64 bits",
    )
    check(
        lambda b, x: b.int64(x, 0),
        "-2**63 <= x < 2**63  # s0",
        [2, 1, 0, -5],
        [2**63, True, 1.0],
        f"x: got {2**63}, expected an int of 64 bits",
    )


def test_same_and_distinct():
    a, b_, c = Plain(), Plain(), Plain()
    same = program(lambda b: b.same(b.local(0, "x"), b.local(1, "y")))
    assert str(same).strip() == "x is y"
    assert same.run(subject, [a, a]) == -1 and same.run(subject, [a, b_]) == 0
    assert same.explain(0, subject, [a, b_])["message"] == "x and y: got two objects, expected one"
    distinct = program(lambda b: b.distinct([b.local(i, name) for i, name in enumerate("xyz")]))
    assert str(distinct).strip() == "distinct(x, y, z)"
    assert distinct.run(subject, [a, b_, c]) == -1
    assert distinct.run(subject, [a, b_, a]) == 0
    assert "sharing memory" in distinct.explain(0, subject, [a, b_, a])["message"]


def test_distinct_of_many():
    objects = [Plain() for _ in range(300)]
    made = program(lambda b: b.distinct([b.local(i, f"x{i}") for i in range(300)]))
    assert made.run(subject, objects) == -1
    assert made.run(subject, objects[:-1] + [objects[17]]) == 0


def test_all_kinds_are_in_the_table():
    kinds = {row["kind"] for row in compiler.guard_kinds()}
    assert kinds == {
        "type", "identity", "constant", "absent", "length", "keys", "int64", "tensor", "size_relation", "same",
        "distinct", "global_state",
    }  # fmt: skip


# --- sources ----------------------------------------------------------------------------------------------------------


def holds(source_of, value, *locals_, function=subject):
    return run(lambda b: b.constant(source_of(b), value), *locals_, function=function) == -1


def test_globals_and_builtins():
    global module_number
    assert holds(lambda b: b.global_("module_number"), 5)
    assert run(lambda b: b.absent(b.global_("len")), function=subject) == -1
    assert run(lambda b: b.identity(b.builtin("len"), len)) == -1
    assert run(lambda b: b.identity(b.globals(), globals())) == -1
    made = program(lambda b: b.constant(b.global_("module_number"), 5))
    module_number = 6
    try:
        assert made.run(subject, []) == 0
        assert made.explain(0, subject, [])["message"] == "module_number: got 6, expected 5"
    finally:
        module_number = 5


def test_closure_and_function_parts():
    def make(n):
        def inner(a=7):
            return n

        return inner

    inner = make(3)
    assert holds(lambda b: b.free(0, "n"), 3, function=inner)
    assert not holds(lambda b: b.free(0, "n"), 3, function=make(4))
    assert holds(lambda b: b.item(b.defaults(b.function("inner")), 0), 7, function=inner)
    assert run(lambda b: b.identity(b.code(b.local(0, "f")), inner.__code__), make(9)) == -1
    closure = types.FunctionType.__closure__
    assert holds(lambda b: b.cell_contents(b.item(b.member(b.local(0, "f"), closure), 0)), 3, inner)
    assert run(lambda b: b.absent(b.member(b.local(0, "f"), closure)), subject) == -1
    assert holds(lambda b: b.cell(0, "n"), 3, inner.__closure__[0])


def test_attributes_of_instances_classes_and_slots():
    x = Plain(a=1)
    Plain.shared = 2
    try:
        assert holds(lambda b: b.attribute(b.local(0, "x"), "a"), 1, x)
        assert run(lambda b: b.absent(b.attribute(b.local(0, "x"), "shared")), x) == -1
        assert holds(lambda b: b.class_attribute(b.local(0, "x"), "shared"), 2, x)
        assert holds(lambda b: b.type_attribute(b.local(0, "C"), "shared"), 2, Plain)
        assert run(lambda b: b.identity(b.type_of(b.local(0, "x")), Plain), x) == -1
    finally:
        del Plain.shared
    slotted = Slotted()
    assert run(lambda b: b.absent(b.member(b.local(0, "x"), Slotted.value)), slotted) == -1
    slotted.value = 4
    assert holds(lambda b: b.member(b.local(0, "x"), Slotted.value), 4, slotted)
    assert not holds(lambda b: b.member(b.local(0, "x"), Slotted.value), 4, x), "another class has no such member"
    assert holds(lambda b: b.attribute(b.local(0, "m"), "pi"), math.pi, math)
    builder = compiler.GuardBuilder()
    assert not builder.member(builder.local(0, "x"), Plain.__dict__["__dict__"])


def test_items_and_keys():
    assert holds(lambda b: b.item(b.local(0, "x"), 1), 2, [1, 2])
    assert holds(lambda b: b.item(b.local(0, "x"), 1), 2, (1, 2))
    assert not holds(lambda b: b.item(b.local(0, "x"), 5), 2, [1, 2])
    assert holds(lambda b: b.key(b.local(0, "x"), "k"), 2, {"k": 2})
    assert holds(lambda b: b.key(b.local(0, "x"), (1, 2)), 3, {(1, 2): 3})
    assert not holds(lambda b: b.key(b.local(0, "x"), "k"), 2, [1])
    assert holds(lambda b: b.fixed(7, "seven"), 7)


def test_printed_paths_and_interning():
    b = compiler.GuardBuilder()
    cfg = b.local(0, "cfg")
    path = b.attribute(b.item(b.key(cfg, "lr"), 2), "weight")
    assert str(path) == "cfg['lr'][2].weight"
    assert b.key(cfg, "lr") == b.key(b.local(0, "cfg"), "l" + "r")
    assert not b.key(cfg, 1) == b.key(cfg, True)
    assert str(b.class_attribute(cfg, "n")) == "type(cfg).n"


def test_each_load_is_done_once():
    def add(b):
        x = b.local(0, "x")
        for _ in range(3):
            b.type(x, list)
            b.constant(b.item(x, 0), 1)
            b.constant(b.item(x, 1), 2)

    made = program(add)
    assert made.slot_count == 3
    assert len(str(made).splitlines()) == 3
    assert made.run(subject, [[1, 2]]) == -1
    assert made.run(subject, [[1, 3]]) == 2


# --- lifetime ---------------------------------------------------------------------------------------------------------


def test_guarded_objects_are_held_weakly():
    def make():
        local_function = lambda: 0  # noqa: E731
        cls = type("Local", (), {})

        def add(b):
            b.identity(b.local(0, "f"), local_function)
            b.type(b.local(1, "x"), cls)

        made = program(add)
        assert made.run(subject, [local_function, cls()]) == -1 and not made.is_dead()
        return made, weakref.ref(local_function), weakref.ref(cls)

    made, function, cls = make()
    gc.collect()
    assert function() is None and cls() is None
    assert made.is_dead()
    assert made.run(subject, [lambda: 0, 1]) == 0
    assert "an object that died" in str(made)


def test_running_leaves_no_references():
    values = [Plain(a=[1.5, {"k": "v"}]), (1, 2)]

    def add(b):
        x = b.local(0, "x")
        a = b.attribute(x, "a")
        b.type(x, Plain)
        b.length(a, 2)
        b.constant(b.item(a, 0), 1.5)
        b.constant(b.key(b.item(a, 1), "k"), "v")
        b.constant(b.local(1, "y"), (1, 2))
        b.identity(b.builtin("len"), len)

    made = program(add)
    inner = values[0].a
    before = [sys.getrefcount(o) for o in (values[0], inner, inner[1], values[1], len)]
    assert made.run_often(subject, values, 100_000) == -1
    assert [sys.getrefcount(o) for o in (values[0], inner, inner[1], values[1], len)] == before


def test_failing_leaves_no_references():
    value = Plain(a=1)
    made = program(lambda b: b.constant(b.attribute(b.local(0, "x"), "a"), 2))
    before = sys.getrefcount(value)
    for _ in range(1000):
        assert made.run(subject, [value]) == 0
        made.explain(0, subject, [value])
    assert sys.getrefcount(value) == before
