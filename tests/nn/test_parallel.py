"""nn.parallel without GPUs; futures; jit.fork."""

import threading

import pytest

import framejit as fj
from framejit import nn
from framejit.nn.parallel import parallel_apply


def test_parallel_apply():
    modules = [nn.Linear(2, 2) for _ in range(3)]
    xs = [fj.full((1, 2), float(i), requires_grad=True) for i in range(3)]
    outputs = parallel_apply(modules, xs)
    assert all(fj.equal(module(x), y) for module, x, y in zip(modules, xs, outputs))
    assert outputs[0].requires_grad
    with fj.no_grad():
        assert not parallel_apply(modules, xs)[0].requires_grad


def test_parallel_apply_passes_tuples_and_keywords():
    class Scale(nn.Module):
        def forward(self, x, y, z=0):
            return x * y + z

    assert parallel_apply([Scale()] * 2, [(2, 3), (4, 5)], [{}, {"z": 1}]) == [6, 21]
    with pytest.raises(ValueError, match="2 modules, 1 inputs"):
        parallel_apply([Scale()] * 2, [(2, 3)])


def test_errors_of_replicas_name_them():
    def fails(x):
        raise KeyError("here")

    with pytest.raises(KeyError) as caught:
        parallel_apply([nn.Identity(), fails], [fj.ones(1)] * 2)
    assert str(caught.value).startswith("Caught KeyError in replica 1.\nOriginal Traceback")


def test_futures():
    future = fj.futures.Future()
    doubled = future.then(lambda f: f.wait() * 2)
    threading.Timer(0.01, future.set_result, [21]).start()
    assert doubled.wait() == 42 and future.done()
    assert fj.futures.wait_all([future, doubled]) == [21, 42]
    assert [f.value() for f in fj.futures.collect_all([future, doubled]).wait()] == [21, 42]
    failed = fj.jit.fork(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        fj.jit.wait(failed)
    assert fj.jit.wait(fj.jit.fork(max, 1, 2)) == 2


def test_jit_isinstance_looks_inside():
    assert fj.jit.isinstance([1, 2], list[int]) and not fj.jit.isinstance([1, "a"], list[int])
    assert fj.jit.isinstance({"a": [1.0]}, dict[str, list[float]])
    assert not fj.jit.isinstance({"a": 1}, dict[str, str])
    assert fj.jit.isinstance((1, "a"), tuple[int, str]) and not fj.jit.isinstance((1,), tuple[int, str])
    assert fj.jit.isinstance((1, 2), tuple[int, ...])
    assert fj.jit.isinstance(None, int | None) and fj.jit.isinstance(fj.ones(1), (str, fj.Tensor))
