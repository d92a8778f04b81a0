"""The object that compile returns: calls, binding, attributes, lifetime."""

import copy
import gc
import inspect
import pickle
import weakref

import pytest

from framejit._C import compiler
from tests.frame.support import break_everywhere, outcome


def every(a, b=2, /, c=3, *rest, d, e=5, **others):
    """doc"""
    return a, b, c, rest, d, e, others


compiled_every = break_everywhere(every)


def test_attributes_are_the_functions():
    assert compiled_every.__name__ == "every"
    assert compiled_every.__doc__ == "doc"
    assert compiled_every.__module__ == __name__
    assert compiled_every.__wrapped__ is every
    assert compiled_every.__kwdefaults__ == {"e": 5}
    assert inspect.signature(compiled_every) == inspect.signature(every)
    assert repr(compiled_every) == f"<compiled {every!r}>"
    with pytest.raises(AttributeError):
        compiled_every.nothing_like_it
    compiled_every.mark = 1
    assert compiled_every.mark == 1 and not hasattr(every, "mark")
    del compiled_every.mark


@pytest.mark.parametrize(
    "args, kwargs",
    [
        ((), {}),
        ((1,), {}),
        ((1,), {"d": 4}),
        ((1, 2, 3, 4, 5), {"d": 6, "z": 7}),
        ((1,), {"a": 9, "d": 1}),
        ((1,), {"c": 1, "d": 2, "e": 3}),
        ((1, 2, 3), {"c": 4, "d": 5}),
    ],
)
def test_arguments_bind_as_in_python(args, kwargs):
    want = outcome(lambda: every(*args, **kwargs))
    for _ in range(2):
        got = outcome(lambda: compiled_every(*args, **kwargs))
        assert (got.value, got.error) == (want.value, want.error)


class Account:
    rate = 2

    def __init__(self, start):
        self.start = start

    @break_everywhere
    def scaled(self, k):
        return self.start * k * self.rate

    plain = break_everywhere(lambda self: self.start)


def test_methods_bind():
    account = Account(3)
    assert account.scaled(2) == 12
    assert account.scaled.__self__ is account
    assert Account.scaled(account, 1) == 6
    assert account.plain() == 3
    assert break_everywhere(account.scaled)(4) == 24


def test_bound_method_builtin_and_callable_object():
    class Adder:
        def __call__(self, x):
            return x + 1

    assert break_everywhere([3, 1, 2].index)(1) == 1
    assert break_everywhere(Adder())(1) == 2
    assert break_everywhere(len)("abc") == 3


@break_everywhere
def decorated(x):
    return x


def test_copy_and_pickle_go_by_name():
    assert copy.copy(decorated) is decorated and copy.deepcopy([decorated])[0] is decorated
    assert pickle.loads(pickle.dumps(decorated)) is decorated


@pytest.mark.parametrize("bad", [3, None, "text"])
def test_not_callable(bad):
    with pytest.raises(TypeError, match=f"compile: got an object of type {type(bad).__name__}, expected a callable"):
        compiler.CompiledFunction(bad)


def test_bad_backend():
    with pytest.raises(TypeError, match="compile: got a backend of type int, expected a name or a callable"):
        compiler.CompiledFunction(every, backend=3)


def test_keeps_no_argument_alive():
    class Thing:
        pass

    compiled = break_everywhere(lambda thing: [thing, thing])
    thing = Thing()
    compiled(thing)
    ref = weakref.ref(thing)
    del thing
    assert ref() is None


def test_collected_in_a_cycle():
    def make():
        holder = []
        compiled = break_everywhere(lambda: holder)
        holder.append(compiled)
        assert compiled() is holder
        return weakref.ref(compiled)

    ref = make()
    gc.collect()
    assert ref() is None


def test_code_of_the_function_may_change():
    def first(x):
        return "first", x

    def second(x):
        return "second", x

    compiled = break_everywhere(first)
    assert compiled(1) == ("first", 1)
    first.__code__ = second.__code__
    assert compiled(1) == ("second", 1)


def test_reentrant():
    def outer(n):
        return n if n == 0 else compiled(n - 1) + 1

    compiled = break_everywhere(outer)
    assert compiled(20) == 20


def test_stats_and_reset():
    compiled = break_everywhere(lambda x: x)
    compiled(1)
    made = compiled.stats()["traces"]
    assert made > 0 and compiled.stats()["compilations"] == made
    compiled(2)
    assert compiled.stats()["traces"] == made, "the second call hits"
    compiler.reset()
    assert compiled.stats()["traces"] == 0
    compiled(3)
    assert compiled.stats()["traces"] == made
