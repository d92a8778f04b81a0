"""repr of tensors against PyTorch's."""

import numpy as np
import pytest

import framejit as fj

from .support import needs_torch, torch_module

CODE = [
    "lib.tensor(1)",
    "lib.tensor(1.0)",
    "lib.tensor(1.2345678)",
    "lib.tensor(True)",
    "lib.tensor(float('nan'))",
    "lib.tensor([])",
    "lib.tensor([], dtype=lib.int64)",
    "lib.zeros(2, 0)",
    "lib.zeros(2, 0, dtype=lib.int64)",
    "lib.tensor([1.0, 2.0])",
    "lib.tensor([1.0, 2.5])",
    "lib.tensor([1, -22, 333])",
    "lib.tensor([1.0, 1000.0, 100000.0])",
    "lib.tensor([1.0, 1001.5])",
    "lib.tensor([1e-5, 1.0])",
    "lib.tensor([1e9])",
    "lib.tensor([0.00001])",
    "lib.tensor([0.0, -0.0])",
    "lib.tensor([float('inf'), float('nan'), -1.0])",
    "lib.tensor([float('inf'), 1.5])",
    "lib.tensor([float('inf')])",
    "lib.tensor([True, False])",
    "lib.tensor([1.0], dtype=lib.float64)",
    "lib.tensor([1], dtype=lib.int32)",
    "lib.tensor([1], dtype=lib.uint8)",
    "lib.arange(12).view(3, 4)",
    "lib.arange(24).view(2, 3, 4)",
    "lib.arange(24).view(2, 3, 4).double() / 7",
    "lib.arange(2 * 2 * 2 * 2).view(2, 2, 2, 2)",
    "lib.arange(100)",
    "lib.arange(1000)",
    "lib.arange(1001)",
    "lib.arange(1001).double() / 3",
    "lib.arange(10000).view(100, 100)",
    "lib.arange(10000.0).view(10, 10, 100)",
    "lib.arange(4096).view(4, 1024)",
    "lib.arange(40.0) / 10",
    "lib.ones(2, requires_grad=True)",
    "lib.ones(25, 1).T.float()",
    "lib.arange(1, 6).float() * 1e5",
    "lib.arange(-3, 3)",
    "lib.tensor([[1.5, 2], [3, 4]])[:, 0]",
]


@needs_torch
@pytest.mark.parametrize("code", CODE)
def test_prints_as_pytorch_does(code):
    torch = torch_module()
    expected = repr(eval(code, {"lib": torch})).replace("torch.", "framejit.")
    assert repr(eval(code, {"lib": fj})) == expected


def test_results_of_ops_show_their_function():
    y = fj.ones(2, requires_grad=True) * 2
    assert repr(y) == f"tensor([2., 2.], grad_fn=<{y.grad_fn.name()}>)"


def test_parameters_and_formatting():
    assert repr(fj.nn.Parameter(fj.ones(2))) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    assert str(fj.tensor([1])) == "tensor([1])"
    assert f"{fj.tensor(2.5)}" == "2.5"


OPTIONS = [
    {"precision": 2},
    {"linewidth": 40},
    {"threshold": 5, "edgeitems": 2},
    {"sci_mode": True},
    {"sci_mode": False},
    {"profile": "short"},
    {"profile": "full"},
]


@needs_torch
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_print_options(options):
    torch = torch_module()
    data = (np.arange(36) / 7).reshape(6, 6).astype(np.float32)
    try:
        for lib in (fj, torch):
            lib.set_printoptions(**options)
        assert repr(fj.tensor(data)) == repr(torch.tensor(data))
    finally:
        for lib in (fj, torch):
            lib.set_printoptions(profile="default")
    with pytest.raises(ValueError, match="expected one of default, short, full"):
        fj.set_printoptions(profile="long")


def test_printing_leaves_no_trace_on_autograd():
    x = fj.ones(2, requires_grad=True)
    repr(x)
    assert x.is_leaf and x.grad is None and x._version == 0
