"""Operators and conversions to Python numbers, against PyTorch."""

import copy

import numpy as np
import pytest

import framejit as fj

from .support import needs_torch, same_outcome, torch_module

CODE = [
    *(f"x {op} y" for op in ("+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", ">", ">=")),
    *(f"x {op} 2" for op in ("+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", ">", ">=")),
    *(f"2 {op} x" for op in ("+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", ">", ">=")),
    *(f"2.5 {op} i" for op in ("+", "-", "*", "/", "//", "%", "**", "<")),
    *(f"i {op} True" for op in ("+", "*", "/", "//", "==")),
    *(f"i {op} 3" for op in ("&", "|", "^", "<<", ">>", "+", "*", "//", "%", "**")),
    *(f"3 {op} i" for op in ("&", "|", "^", "+", "*")),
    *(f"b {op} b" for op in ("&", "|", "^", "+", "*", "==", "-")),
    "x @ y",
    "x @ 2",
    "2 @ x",
    "-x",
    "+x",
    "abs(-x)",
    "~i",
    "~b",
    "~x",
    "-b",
    "x & y",
    "x == None",
    "x != None",
    "x == 'a'",
    "x + None",
    "x + 'a'",
    "[1] + x",
    "i.__iadd__(2)",
    "x.__isub__(y)",
    "x.__imul__(2)",
    "x.__itruediv__(2)",
    "i.__itruediv__(2)",
    "i.__ifloordiv__(2)",
    "x.__ipow__(2)",
    "i.__iand__(1)",
    "i.__ilshift__(1)",
    "i.__iadd__(1.5)",
    "pow(x, 2)",
    "pow(x, 2, 3)",
    "divmod(x, 2)",
    "bool(lib.tensor(1))",
    "bool(lib.tensor([0.0]))",
    "bool(lib.tensor(float('nan')))",
    "bool(x)",
    "bool(lib.ones(0))",
    "int(lib.tensor(2.7))",
    "int(lib.tensor([[3]]))",
    "int(x)",
    "float(lib.tensor(2))",
    "float(x)",
    "float(lib.ones(0))",
    "list(range(lib.tensor(3)))",
    "[10, 20, 30][lib.tensor(1)]",
    "[10][lib.tensor(0.0)]",
    "[10][i]",
    "x.item()",
    "lib.tensor(2.5).item()",
    "format(lib.tensor(1.2345), '.2f')",
    "format(x, '.2f')",
    "f'{lib.tensor(3)}'",
    "f'{lib.tensor([1, 2])}'",
    "hash(x) == hash(x)",
    "not lib.tensor(0)",
    "x if lib.tensor(True) else y",
    "max(lib.tensor(1), lib.tensor(2))",
    "sum([x, y])",
    "x.numel() + x.dim() + x.ndim + x.element_size() + x.nelement()",
    "(x.is_contiguous(), x.T.is_floating_point(), i.is_signed(), b.is_signed(), x.get_device())",
    "tuple(lib.ones(2, 3).T.stride())",
    "lib.ones(2, 3).size(1)",
    "lib.ones(2, 3).size(-2)",
    "lib.ones(2, 3).size(5)",
    "lib.ones(2, 3).stride(0)",
    "lib.tensor(1).size(0)",
    "lib.ones(2, 3)[1:].storage_offset()",
    "x.float().double().int().long()",
    "i.bool()",
    "x.byte()",
    "lib.ones(2, 3).mT.shape == (3, 2)",
    "x.mT",
    "x.new_tensor([1, 2])",
    "x.new_zeros(2)",
    "x.type() == lib.__name__ + '.FloatTensor'",
]


def names(lib):
    return {
        "lib": lib,
        "x": lib.tensor([1.5, 2.0, 3.5]),
        "y": lib.tensor([2.0, 0.5, 3.0]),
        "i": lib.tensor([1, 5, 7]),
        "b": lib.tensor([True, False, True]),
    }


@needs_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", CODE)
def test_means_what_it_means_in_pytorch(code):
    same_outcome(code, names(fj), names(torch_module()))


def test_in_place_operators_keep_the_object():
    x = before = fj.ones(2)
    x += 1
    x *= 3
    assert x is before and x.tolist() == [6, 6]
    with pytest.raises(RuntimeError, match="can't be cast"):
        i = fj.ones(2, dtype=fj.int64)
        i += 1.5


def test_integer_results_are_exact():
    big = 2**53 + 1
    assert (fj.tensor(big) + 1).item() == big + 1
    assert fj.tensor(big).item() == big
    assert (fj.tensor([1], dtype=fj.uint8) + 255).tolist() == [0]


def test_numpy_scalars():
    x = fj.ones(2)
    assert (x * np.float64(2)).dtype == fj.float32
    assert (x + np.int64(1)).dtype == fj.float32
    assert (fj.ones(2, dtype=fj.int64) + np.bool_(True)).tolist() == [2, 2]


def test_sizes():
    size = fj.ones(2, 3).shape
    assert isinstance(size, fj.Size) and isinstance(size, tuple)
    assert size == (2, 3) and repr(size) == "framejit.Size([2, 3])"
    assert isinstance(size[1:], fj.Size) and size[0] == 2 and size[1:] == (3,)
    assert isinstance(size + (1,), fj.Size) and size + (1,) == (2, 3, 1)
    assert isinstance(size * 2, fj.Size)
    assert size.numel() == 6 and fj.Size([]).numel() == 1
    assert copy.deepcopy(size) == size and type(copy.deepcopy(size)) is fj.Size
    assert fj.zeros(size).shape == size
    with pytest.raises(TypeError, match=r"Size\(\) takes an iterable of 'int' \(item 0 is 'float'\)"):
        fj.Size([1.5])
