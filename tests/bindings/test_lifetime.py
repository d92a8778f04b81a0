"""Reference counts and leaks over many calls; threads."""

import gc
import sys
import threading

import numpy as np
import pytest

import framejit as fj

from .support import allocated_blocks

CALLS = 30_000


def raises(function, *args):
    try:
        function(*args)
    except (TypeError, RuntimeError, IndexError):
        return
    raise AssertionError("no exception")


X, Y = fj.ones(4), fj.ones(4)
LEAF = fj.ones(4, requires_grad=True)
ARRAY = np.ones(4, dtype=np.float32)


def step():
    LEAF.grad = None
    (LEAF * 2 + 1).sum().backward()


def without_grad():
    with fj.no_grad():
        LEAF * 2


def tagged():
    y = X + 1
    y.tag = y


WORK = {
    "add": lambda: X + Y,
    "number": lambda: X + 1,
    "function": lambda: fj.add(X, Y, alpha=2),
    "out": lambda: fj.add(X, Y, out=Y),
    "inplace": lambda: Y.mul_(1),
    "index": lambda: X[1:3],
    "assign": lambda: Y.__setitem__(slice(1, 3), 1.0),
    "advanced index": lambda: X[[0, 1]],
    "iterate": lambda: list(X),
    "shape": lambda: (X.shape, X.dtype, X.device, X.size(0)),
    "item": lambda: X[0].item(),
    "tolist": lambda: X.tolist(),
    "tensor": lambda: fj.tensor([[1.0, 2.0], [3.0, 4.0]]),
    "from_numpy": lambda: fj.from_numpy(ARRAY),
    "numpy": lambda: X.numpy(),
    "dlpack": lambda: fj.from_dlpack(X),
    "named result": lambda: X.max(0),
    "type error": lambda: raises(fj.add, X, "a"),
    "shape error": lambda: raises(fj.add, X, fj.ones(3)),
    "index error": lambda: raises(X.__getitem__, 9),
    "backward": step,
    "grad": lambda: fj.autograd.grad((LEAF * 2).sum(), LEAF),
    "no_grad": without_grad,
    "hook": lambda: LEAF.register_hook(lambda g: g).remove(),
    "attribute cycle": tagged,
}


@pytest.mark.parametrize("name", WORK)
def test_no_leaks(name):
    calls = CALLS if name in ("add", "number") else 1_000
    grown = allocated_blocks(WORK[name], calls)
    assert grown < 100, f"{grown} blocks more after {calls} calls"


def test_reference_counts_stay():
    watched = [None, True, X, fj.float32, fj.add, fj.Tensor, ARRAY]
    for work in WORK.values():
        work()
    gc.collect()
    before = [sys.getrefcount(o) for o in watched]
    for _ in range(500):
        for work in WORK.values():
            work()
    gc.collect()
    after = [sys.getrefcount(o) for o in watched]
    assert all(abs(a - b) < 50 for a, b in zip(after, before)), list(zip(watched, before, after))


def test_threads_share_tensors():
    failures = []

    def run(seed):
        try:
            x = fj.full((64,), float(seed))
            for i in range(300):
                y = (x + X.sum()) * 2
                y.note = i
                z = fj.ones(64, requires_grad=True)
                (z * y).sum().backward()
                assert z.grad.tolist()[0] == (seed + 4) * 2
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_long_kernels_run_without_the_gil():
    x = fj.ones(4_000_000)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            done.wait(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    for _ in range(20):
        x.exp()
    during = len(ticks) - before
    done.set()
    thread.join()
    assert during > 5
