"""Guards bind 64 symbols at most: what a trace meets beyond them is specialised, and stays right."""

import numpy as np
import pytest

import framejit as fj
from tests.symbolic.support import check


def test_many_ints():
    numbers = list(range(2, 102))

    def add(x, numbers):
        for number in numbers:
            x = x + number
        return x

    compiled = fj.compile(add)
    x = fj.ones(3)
    for _ in range(2):
        assert compiled(x, numbers).tolist() == add(x, numbers).tolist()
    for changed in (0, 99):  # one that is a symbol, one that is specialised
        numbers[changed] += 7
        assert compiled(x, numbers).tolist() == add(x, numbers).tolist()


@pytest.mark.parametrize("dynamic", [None, True])
def test_many_sizes(dynamic):
    def total(tensors):
        return sum([tensor.sum() for tensor in tensors])

    compiled = fj.compile(total, dynamic=dynamic)
    for extra in (0, 1, 2):
        tensors = [fj.ones(2 + i + extra, 3 + i) for i in range(50)]
        np.testing.assert_allclose(float(compiled(tensors)), float(total(tensors)))


def test_many_convolutions():
    module = fj.nn.Sequential(*[fj.nn.Conv2d(2, 2, 3, padding=1) for _ in range(24)]).eval()
    x = fj.ones(1, 2, 4, 4)
    compiled = fj.compile(module)
    for _ in range(2):
        np.testing.assert_allclose(compiled(x).detach().numpy(), module(x).detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize(
    "spread",
    [
        lambda x, n: fj.ones(2, 4) * x.view(n, 4),
        lambda x, n: fj.ones(2, 4) + fj.full((n, 4), 3.0) + fj.full((2, n), 2.0) * x.sum(),
        lambda x, n: fj.full((n, 4), 2.0).expand(2, 4) * x,
        lambda x, n: fj.where(fj.ones(2, 4) > 0, x.view(n, 4), 1.0).sum(0),
        lambda x, n: fj.ones(2, 4).mul_(x.view(n, -1)),
    ],
)
def test_a_number_that_is_a_size_of_one_broadcasts(spread, dynamic):
    """The number is an input of the graph: the size is 1 by a guard only."""
    compiled = fj.compile(spread, dynamic=dynamic)
    for _ in range(2):
        x, y = (fj.arange(4.0).requires_grad_() for _ in range(2))
        got, want = compiled(x, 1), spread(y, 1)
        assert got.tolist() == want.tolist()
        if want.requires_grad:
            got.sum().backward()
            want.sum().backward()
            assert x.grad.tolist() == y.grad.tolist()


@pytest.mark.parametrize("n", [3, 200])
def test_constants_of_traced_sizes(n):
    """Views of tensors made from Python numbers, by sizes that are inputs of the trace: a crash once."""

    def expanded(n):
        row = fj.tensor([1.0, 2.0, 3.0]).unsqueeze(0)
        return row.expand(n, 3).contiguous(), row.repeat(n, 2), row.expand(n, -1)

    def reshaped(n):
        return fj.tensor([1.0] * 6 * 200)[: 6 * n].reshape(n, 6), fj.tensor([0.0, 1.0]).expand(2, n, 2)[:, 0]

    for fn in (expanded, reshaped):
        check(fn, n, whole=False)
