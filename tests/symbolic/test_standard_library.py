"""What real programs take from the standard library and NumPy: plain against compiled, in one trace."""

import collections
import enum
import functools

import numpy as np
import pytest

import framejit as fj
from tests.symbolic.support import check


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(str, enum.Enum):
    SUM = "sum"
    MEAN = "mean"


class Activation(enum.Enum):
    RELU = "relu"
    GELU = "gelu"


FACTORS = {Activation.RELU: lambda x: x * 5, Activation.GELU: lambda x: x * 7}


class Scaled:
    def __init__(self):
        self.temperature = np.power(64, 0.5)
        self.weights = np.float32(0.5)


SCALED = Scaled()


def default_dict(x):
    lists, counts = collections.defaultdict(list), collections.defaultdict(int, a=2)
    for i, name in enumerate("abca"):
        lists[name].append(x + i)
        counts[name] += 1
    return lists, counts, counts.get("z"), "z" in counts, dict(counts), len(lists), lists["new"]


def default_dicts_that_exist(x, lists, counts, plain):
    for i, name in enumerate("abca"):
        lists[name].append(i)
        counts[name] += 1
    try:
        plain["missing"]
    except KeyError as error:
        return x, sorted(lists), list(counts.items()), counts.get("z"), error.args, "q" in plain
    return x


def default_dict_without_factory(x):
    try:
        return collections.defaultdict(None, a=1)["b"]
    except KeyError as error:
        return x, error.args


def default_dict_of_lambda(x):
    found = collections.defaultdict(lambda: x * 2)
    return found["a"] + found["b"], len(found)


def ordered_dicts(x):
    a, b = collections.OrderedDict(a=1, b=2), collections.OrderedDict(b=2, a=1)
    c = {"a": 1}
    c |= b
    return x, a == b, a == {"b": 2, "a": 1}, a != b, c


def dicts_from_keys(x):
    made = dict.fromkeys(["b", "a", "b"], x)
    made["a"] = x + 1
    return made, dict.fromkeys(range(2)), dict.fromkeys(key for key in "xyx"), dict.fromkeys((), 3)


def order_of_ordered_dicts(x):
    made = collections.OrderedDict([("a", x), ("b", x + 1), ("c", x + 2), ("d", 3)])
    made.move_to_end("a")
    made.move_to_end("c", last=False)
    first, last = made.popitem(last=False), made.popitem()
    made["c"] = 1
    try:
        made.move_to_end("z")
    except KeyError as error:
        return made, first, last, error.args, list(made)


def sets_in_place(x):
    a = {1, 2, 3}
    b = a
    a |= {4}
    a -= {1}
    a &= {2, 4, 5}
    a ^= {5}
    frozen = other = frozenset({1})
    frozen |= {2}
    return x, sorted(a), a is b, sorted(frozen), sorted(other)


def wrapped(x):
    def adds(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            """Another text."""
            return fn(*args, **kwargs) + 1

        return wrapper

    @adds
    def double(x):
        """Doubles."""
        return x * 2

    return double(x), double.__name__, double.__doc__, double.__wrapped__(x), double.__module__


def int_enums(x):
    return x + Level.HIGH, x * Level.LOW, Level.HIGH + 1, Level(2) is Level.HIGH, Level.LOW < 2, [3, 4, 5][Level.HIGH], {2: "a"}[Level(2)]


def str_enums(x, mode=Mode.MEAN):
    return getattr(x, mode.value)(), mode == "mean", mode in ("sum", "mean"), {"mean": 1}[mode]


def numpy_numbers(x):
    scale = np.sqrt(4.0)
    return x / SCALED.temperature, x * SCALED.weights, x * scale, x * np.pi, float(np.exp(1)), int(np.ceil(2.5)), scale > 1, scale * 2


def tensors_of_data(x):
    return fj.as_tensor([1.0, 2.0, 3.0]) + x[0], fj.as_tensor(x), fj.as_tensor(x, dtype=fj.float64), fj.as_tensor(3)


def devices_and_dtypes(x, device=fj.device("cpu")):
    kind = x.device.type
    return x if kind == "cpu" else -x, kind, x.device.index, device.type, x.dtype.itemsize, x.dtype.is_floating_point, SCALED.weights.itemsize


FUNCTIONS = [
    devices_and_dtypes,
    default_dict,
    default_dict_without_factory,
    default_dict_of_lambda,
    ordered_dicts,
    dicts_from_keys,
    order_of_ordered_dicts,
    sets_in_place,
    wrapped,
    int_enums,
    str_enums,
    numpy_numbers,
    tensors_of_data,
]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_library(fn):
    check(fn, fj.ones(2, 3))


def test_a_number_of_numpy_that_changes():
    holder = Scaled()
    fn = fj.compile(lambda x: x * holder.weights)
    assert fn(fj.ones(2)).tolist() == [0.5, 0.5]
    holder.weights = np.float32(0.25)
    assert fn(fj.ones(2)).tolist() == [0.25, 0.25]


def test_as_tensor_gives_a_tensor_back():
    x = fj.ones(2)
    assert fj.compile(lambda x: fj.as_tensor(x))(x) is x


def test_unions_of_ordered_dicts():
    def fn(x):
        return x + 1, collections.OrderedDict(a=1) | {"b": 2}, {"b": 2} | collections.OrderedDict(a=1)

    _, left, right = fj.compile(fn)(fj.ones(2))
    assert left == collections.OrderedDict(a=1, b=2)
    assert type(left) is type(right) is collections.OrderedDict


def test_a_wrapper_that_leaves_the_trace():
    def fn(x):
        """Gives functions."""

        @functools.wraps(fn)
        def wrapper(y: int = 2):
            return x + y

        @functools.wraps(wrapper)
        def again():
            return wrapper()

        again.calls = 3
        return x * 2, wrapper, again

    total, wrapper, again = fj.compile(fn)(fj.ones(2))
    assert total.tolist() == [2.0, 2.0]
    assert wrapper.__name__ == again.__name__ == "fn"
    assert wrapper.__doc__ == again.__doc__ == "Gives functions."
    assert wrapper.__wrapped__ is fn
    assert again.__wrapped__ is wrapper
    assert again.__dict__ == {"__wrapped__": wrapper, "calls": 3}
    assert again().tolist() == [3.0, 3.0]


def test_attributes_of_a_wrapped_function_that_change_later():
    def fn(x):
        def inner():
            return x

        @functools.wraps(inner)
        def wrapper():
            return inner() + 1

        inner.calls = 1
        return wrapper(), hasattr(wrapper, "calls"), wrapper

    total, has, wrapper = fj.compile(fn)(fj.ones(2))
    assert total.tolist() == [2.0, 2.0]
    assert not has
    assert not hasattr(wrapper, "calls")


def test_default_dicts_that_exist():
    given = collections.defaultdict(list, b=[7]), collections.defaultdict(int), collections.defaultdict(None, q=1)
    check(default_dicts_that_exist, fj.ones(2), *given, calls=3)


def test_a_factory_that_changes():
    found = collections.defaultdict(int)
    fn = fj.compile(lambda x, key: x + found[key])
    assert fn(fj.ones(2), "a").tolist() == [1.0, 1.0]
    found.default_factory = lambda: 5
    assert fn(fj.ones(2), "b").tolist() == [6.0, 6.0]
    assert fn(fj.ones(2), "a").tolist() == [1.0, 1.0]
    found.default_factory = None
    with pytest.raises(KeyError):
        fn(fj.ones(2), "c")
    assert found == {"a": 0, "b": 5}


def test_ranges_are_arguments():
    def fn(x, places):
        doubled = [x * i for i in places]
        return doubled, list(map(str, places)), len(places), places.stop, 3 in places, places[-1], list(places[1:])

    compiled = fj.compile(fn, fullgraph=True)
    x = fj.ones(2)
    for places in (range(1, 4), range(1, 4), range(0, 6, 2), range(0, 5, 2), range(4, 0, -1)):
        got, expected = compiled(x, places), fn(x, places)
        assert [tensor.tolist() for tensor in got[0]] == [tensor.tolist() for tensor in expected[0]]
        assert got[1:] == expected[1:]
    assert fj.compiler.stats(compiled).compilations == 4, "equal ranges share a trace, those that stop elsewhere do not"


def test_a_subclass_keeps_its_own_fromkeys():
    class Own(dict):
        pass

    check(lambda x: (type(Own.fromkeys("ab", x)).__name__, x), fj.ones(2), whole=False)


def test_members_of_enums_are_keys():
    def fn(x, kind):
        return FACTORS[kind](x), kind in FACTORS, kind.value, {kind: 1}[kind], {Activation.GELU, kind} == {kind}, getattr(kind, "extra", None)

    compiled, x = fj.compile(fn, fullgraph=True), fj.ones(1)
    for kind in (Activation.RELU, Activation.GELU, Activation.RELU):
        assert str(compiled(x, kind)) == str(fn(x, kind))
    Activation.RELU.extra = 3
    try:
        assert compiled(x, Activation.RELU)[-1] == 3
    finally:
        del Activation.RELU.extra

