"""x[...] and x[...] = y against PyTorch."""

import numpy as np
import pytest

import framejit as fj

from .support import needs_torch, outcome, same, same_outcome, torch_module

INDICES = [
    "0",
    "-1",
    "1, 2",
    "1, 2, 3",
    "...",
    "..., 0",
    "0, ...",
    "None",
    "None, ..., None",
    ":",
    "1:",
    ":-1",
    "::2",
    ":, 1:3, ::2",
    "0, 1:1",
    "5:9",
    "True",
    "False",
    "True, 0",
    "mask",
    "mask3",
    "mask, 0",
    ":, mask1, 0",
    "mask1d",
    "..., mask4",
    "[0, 1]",
    "[1, 0, 1]",
    "[]",
    "[True, False]",
    "[0, 1], [1, 2]",
    ":, [0, 1], [1, 2]",
    "[0, 1], :, [1, 2]",
    "..., [0, 1], [1, 2]",
    "..., [0, 1], :, [1, 2]",
    "None, [0, 1]",
    "0, :, [0, 1]",
    "lib.tensor([1, 0])",
    "lib.tensor([[1, 0], [0, 1]])",
    "lib.tensor([-1])",
    "lib.tensor(1)",
    "lib.tensor(1), [0, 2]",
    "lib.tensor(True)",
    "np.array([0, 1])",
    "np.array([True, False])",
    "np.int64(1)",
    "np.int64(1), np.int32(2)",
    "range(2)",
    "(0, slice(None))",
    "lib.tensor(1):",
    ":np.int64(2)",
]
BAD = [
    "2",
    "-3",
    "0, 0, 0, 0",
    "1.5",
    "::-1",
    "::0",
    "lib.tensor([2.0])",
    "lib.tensor([5])",
    "mask[:1]",
    "{}",
    "..., 7",
]


def names(lib, torch_like):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    mask = np.arange(6).reshape(2, 3) % 2 == 0
    make = torch_like.tensor
    return {
        "lib": lib,
        "np": np,
        "x": make(x),
        "mask": make(mask),
        "mask3": make(x > 7),
        "mask1d": make(np.array([False, True])),
        "mask1": make(mask[0]),
        "mask4": make(np.array([True, False, True, False])),
    }


@needs_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("index", INDICES + BAD)
def test_reading(index):
    torch = torch_module()
    same_outcome(f"x[{index}]", names(fj, fj), names(torch, torch))


# PyTorch refuses a value of another dtype here, and casts it for other masks.
LENIENT = ["lib.tensor(True)", "True, 0"]
VALUES = ["0", "1.5", "lib.tensor(3)", "lib.tensor(2.5)"]


@needs_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("index", [i for i in INDICES if i not in LENIENT] + BAD)
@pytest.mark.parametrize("value", VALUES)
def test_writing(index, value):
    torch = torch_module()
    results = []
    for scope in (names(fj, fj), names(torch, torch)):
        failed = outcome(f"x.__setitem__({index_object(index)}, {value})", **scope)
        results.append((scope["x"], failed))
    (ours, our_error), (theirs, their_error) = results
    assert type(our_error) is type(their_error), (our_error, their_error)
    same(ours, theirs)


def index_object(index: str) -> str:
    """An expression whose value is what x[index] passes."""
    return f"type('Get', (), {{'__getitem__': lambda self, i: i}})()[{index}]"


@needs_torch
@pytest.mark.parametrize(
    "statement",
    [
        "x[0, 0] = lib.ones(1, 1, 4)",
        "x[0] = lib.ones(4)",
        "x[0] = lib.ones(5)",
        "x[0] = 'a'",
        "x[0, 0] = [1, 2, 3, 4]",
        "x[0, 0] = None",
        "x[0, 0, 0] = True",
        "x[mask] = lib.ones(4)",
        "x[mask] = lib.ones(3, 4) * 2",
        "x[mask] = lib.ones(5, 4)",
        "x[[0, 1]] = lib.ones(2, 3, 4)",
        "x[[0, 1]] = lib.ones(2, 3, 4, dtype=lib.float64)",
        "x[..., 1] = lib.arange(6).view(2, 3).float()",
        "del x[0]",
    ],
)
def test_assignments(statement):
    torch = torch_module()
    results = []
    for scope in (names(fj, fj), names(torch, torch)):
        try:
            exec(statement, scope)
            results.append((scope["x"], None))
        except Exception as error:
            results.append((scope["x"], type(error)))
    assert results[0][1] == results[1][1]
    same(results[0][0], results[1][0])


def test_basic_indices_are_views_and_advanced_ones_are_copies():
    x = fj.zeros(3, 3)
    x[0][1] = 5
    x[1:][0, 0] = 7
    x[None][0, 2, 2] = 9
    assert x.tolist() == [[0, 5, 0], [7, 0, 0], [0, 0, 9]]
    x[[0]][0, 1] = 100
    assert x[0, 1].item() == 5
    assert x[...] is not x
    assert x[:]._base is x


def test_a_str_is_no_index():
    with pytest.raises(IndexError, match=r"are valid indices \(got str\)"):
        fj.ones(2)["a"]


def test_assignment_reaches_autograd():
    x = fj.ones(3, requires_grad=True)
    y = x * 2
    y[1] = 0
    y[fj.tensor([False, False, True])] = 5
    y.sum().backward()
    assert x.grad.tolist() == [2, 0, 0]


def test_gradients_of_reading():
    x = fj.arange(6).double().view(2, 3).requires_grad_()
    (x[0, 1:] * 2).sum().backward()
    x[[1, 1], [0, 0]].sum().backward()
    assert x.grad.tolist() == [[0, 2, 2], [2, 0, 0]]


def test_iteration_and_length():
    x = fj.arange(6).view(3, 2)
    assert len(x) == 3
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert [row.tolist() for row in reversed(x)] == [[4, 5], [2, 3], [0, 1]]
    first, second, third = x
    assert third.tolist() == [4, 5]
    assert 4 in x and 9 not in x
    with pytest.raises(TypeError, match=r"len\(\) of a 0-d tensor"):
        len(fj.tensor(1))
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(fj.tensor(1))
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar"):
        "a" in x
