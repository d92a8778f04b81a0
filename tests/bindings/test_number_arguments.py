"""Numbers for tensors, and tensors for numbers, where PyTorch takes them."""

import pytest

import framejit as fj
from framejit.nn import functional as F


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "true_divide", "floor_divide"])
@pytest.mark.parametrize("numbers", [(7, 2), (7.5, 2), (-7, 2.0), (3, 2j), (True, 3)])
def test_two_numbers(name, numbers):
    torch = pytest.importorskip("torch")
    try:
        expected = getattr(torch, name)(*numbers)
    except (RuntimeError, NotImplementedError):
        with pytest.raises((RuntimeError, NotImplementedError)):
            getattr(fj, name)(*numbers)
        return
    got = getattr(fj, name)(*numbers)
    assert str(got.dtype).split(".")[1] == str(expected.dtype).split(".")[1]
    assert got.shape == () and got.item() == expected.item()


def test_two_numbers_in_a_trace():
    def rounded(n, x):
        return fj.div(n, 2, rounding_mode="floor") + x

    compiled = fj.compile(rounded)
    for n in (7, 8, 10, 11):
        assert compiled(n, fj.ones(1)).item() == n // 2 + 1


def test_tensors_as_sizes():
    x = fj.ones(2, 3)
    assert fj.zeros(fj.tensor([3]), 2).shape == (3, 2) and x.view(fj.tensor([[3]]), fj.tensor(2)).shape == (3, 2)

    def padded(x, n):
        return F.pad(x, [n, n + 1]) * 2

    for pad in (padded, fj.compile(padded)):
        for n in (1, 2, 2):
            assert pad(x, fj.tensor([n])).shape == (2, 4 + 2 * n)
    for bad in (fj.tensor([1.0]), fj.tensor([1, 2])):
        with pytest.raises(TypeError, match="must be tuple of ints"):
            F.pad(x, [bad, bad])


def test_names_of_split():
    x = fj.arange(4)
    assert [len(part) for part in fj.split(tensor=x, split_size_or_sections=[1, 3])] == [1, 3]
    assert [len(part) for part in fj.split(x, split_size_or_sections=2, dim=0)] == [2, 2]
