"""The argument binder: what it accepts, and the TypeErrors for the rest."""

import numpy as np
import pytest

import framejit as fj

from .support import needs_torch, same_outcome, torch_module

ACCEPTED = [
    "lib.add(x, y)",
    "lib.add(x, 2)",
    "lib.add(x, y, alpha=2)",
    "lib.add(input=x, other=y)",
    "x.add(other=y)",
    "lib.sum(x)",
    "lib.sum(x, 0)",
    "lib.sum(x, dim=0)",
    "lib.sum(x, axis=0)",
    "lib.sum(x, (0, 1))",
    "lib.sum(x, [0], True)",
    "lib.sum(x, dim=0, keepdims=True)",
    "x.sum(dim=-1, keepdim=True)",
    "x.sum(dtype=lib.float64)",
    "x.view(3, 2)",
    "x.view((3, 2))",
    "x.view([3, 2])",
    "x.view(-1)",
    "x.reshape(3, -1)",
    "x.permute(1, 0)",
    "x.permute((1, 0))",
    "x.permute(dims=(1, 0))",
    "x.transpose(0, 1)",
    "x.expand(4, 2, 3)",
    "lib.zeros(2, 3)",
    "lib.zeros((2, 3))",
    "lib.zeros(size=(2, 3))",
    "lib.zeros(2, dtype=lib.int64)",
    "lib.zeros(2, dtype=int)",
    "lib.zeros(())",
    "lib.ones(2, device='cpu')",
    "lib.full((2,), 3)",
    "lib.arange(5)",
    "lib.arange(1, 5)",
    "lib.arange(1, 5, 2)",
    "lib.arange(0.0, 1.0, 0.25)",
    "lib.clamp(x, 1)",
    "lib.clamp(x, max=2)",
    "lib.clamp(x, min=y)",
    "lib.max(x)",
    "x.max(0)",
    "x.max(dim=1, keepdim=True)",
    "lib.cat([x, y])",
    "lib.cat((x, y), dim=1)",
    "lib.stack([x, y], 0)",
    "x.flatten()",
    "x.unbind()",
    "x.split(1)",
    "x.to(lib.float64)",
    "x.to('cpu')",
    "x.to(y)",
    "x.to(device='cpu', dtype=lib.int64)",
    "lib.where(x > 2, x, y)",
    "lib.where(x > 2, x, 0.0)",
    "x.sum(np.int64(0))",
    "x + np.float64(1.5)",
    "x * np.float32(1.5)",
    "x.view(np.int64(3), 2)",
    "lib.sum(x, lib.tensor(0))",
    "x.add(lib.tensor(2), alpha=lib.tensor(3))",
    "lib.softmax(x, dim=0)",
    "lib.var(x, correction=0, dim=0)",
    "lib.norm(x)",
]


@needs_torch
@pytest.mark.parametrize("code", ACCEPTED)
def test_accepted_calls_mean_what_they_mean_in_pytorch(code):
    torch = torch_module()
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    ours = {"lib": fj, "x": fj.tensor(data), "y": fj.tensor(data + 1), "np": np}
    theirs = {"lib": torch, "x": torch.tensor(data), "y": torch.tensor(data + 1), "np": np}
    same_outcome(code, ours, theirs)


REJECTED = [
    "lib.add(x, 'a')",
    "lib.add(x)",
    "lib.add()",
    "lib.relu(1)",
    "lib.relu(x, x)",
    "lib.relu(x, foo=1)",
    "lib.relu(x, input=x)",
    "lib.sum(x, dim='a')",
    "lib.sum(x, 1.5)",
    "lib.sum(x, True)",
    "lib.zeros('a')",
    "lib.zeros(2, 'a')",
    "lib.zeros(2, dtype='f')",
    "lib.zeros(2, requires_grad=1)",
    "lib.zeros(2, device='foo')",
    "x.view('a')",
    "x.view(3.0)",
    "x.permute(1.0)",
    "lib.cat(x)",
    "lib.cat([1, 2])",
    "lib.softmax(x)",
    "x.sum(5)",
    "x.add()",
    "lib.Tensor.add(1, 2)",
    "x.view(5)",
    "x @ 2",
    "x + 'a'",
    "x + None",
    "x + [1]",
    "x < 'a'",
    "lib.tensor(1, dtype='a')",
    "lib.full(2, 3)",
]


@needs_torch
@pytest.mark.parametrize("code", REJECTED)
def test_rejected_calls_raise_the_type_that_pytorch_raises(code):
    torch = torch_module()
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    same_outcome(code, {"lib": fj, "x": fj.tensor(data)}, {"lib": torch, "x": torch.tensor(data)})


MESSAGES = [
    ("fj.relu(1)", "relu(): argument 'input' (position 1) must be Tensor, not int"),
    ("fj.relu()", 'relu() missing 1 required positional arguments: "input"'),
    ("fj.relu(x, x)", "relu() takes 1 positional argument but 2 were given"),
    ("fj.relu(x, foo=1)", "relu() got an unexpected keyword argument 'foo'"),
    ("fj.relu(x, input=x)", "relu() got multiple values for argument 'input'"),
    ("fj.relu(input=[x, 1])", "relu(): argument 'input' must be Tensor, not list of (Tensor, int)"),
    ("fj.zeros('a')", "zeros(): argument 'size' (position 1) must be tuple of ints, not str"),
    ("fj.zeros(2, dtype='f')", "zeros(): argument 'dtype' must be framejit.dtype, not str"),
    ("x.permute(1.0)", "permute(): argument 'dims' (position 1) must be tuple of ints, not float"),
    ("fj.add(x, 'a')", "add(): argument 'other' (position 2) must be Tensor, not str"),
    (
        "fj.max(x, 'a')",
        "max() received an invalid combination of arguments - got (Tensor, str), but expected one of:\n"
        " * (Tensor input, *, Tensor out = None)\n"
        " * (Tensor input, Tensor other, *, Tensor out = None)\n"
        " * (Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)\n",
    ),
    ("x + 'a'", "unsupported operand type(s) for +: 'Tensor' and 'str'"),
    ("x < 'a'", "'<' not supported between instances of 'Tensor' and 'str'"),
    ("fj.Tensor.add(1, 2)", "Tensor.add: got int, expected a Tensor as self"),
]


@pytest.mark.parametrize("code, message", MESSAGES)
def test_type_errors(code, message):
    with pytest.raises(TypeError) as error:
        eval(code, {"fj": fj, "x": fj.ones(2)})
    assert str(error.value) == message


def test_out_receives_the_result_and_is_returned():
    x, out = fj.tensor([1.0, 2.0]), fj.empty(2)
    assert fj.add(x, 1, out=out) is out
    assert out.tolist() == [2, 3]
    assert fj.exp(fj.zeros(2), out=out).tolist() == [1, 1]
    assert fj.add(x, x, out=None).tolist() == [2, 4]
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'|must be Tensor|invalid combination"):
        fj.relu(x, out=3)


def test_factory_keywords():
    assert fj.zeros(2, requires_grad=True).requires_grad
    assert fj.ones(2, layout=fj.strided, pin_memory=False).tolist() == [1, 1]
    assert fj.zeros_like(fj.ones(2), memory_format=fj.preserve_format).tolist() == [0, 0]
    with pytest.raises(TypeError, match="requires_grad"):
        fj.add(fj.ones(1), 1, requires_grad=True)


def test_generators_are_arguments():
    first, second = fj.Generator().manual_seed(3), fj.Generator().manual_seed(3)
    assert fj.rand(4, generator=first).tolist() == fj.rand(4, generator=second).tolist()
    with pytest.raises(TypeError, match="generator"):
        fj.rand(4, generator=3)


def test_numbers_beyond_64_bits():
    with pytest.raises(RuntimeError, match="beyond 64 bits"):
        fj.ones(2) + 10**30


def test_named_results():
    values, indices = result = fj.tensor([1.0, 3.0, 2.0]).max(0)
    assert (values.item(), indices.item()) == (3.0, 1)
    assert result.values is values and result.indices is indices


def test_out_of_functions_made_of_others():
    x, out = fj.tensor([[1.0, 2.0], [3.0, 4.0]]), fj.zeros(4).view(2, 2).t()
    assert fj.matmul(x, x, out=out) is out
    assert out.tolist() == [[7.0, 10.0], [15.0, 22.0]] and out.stride() == (1, 2)
    resized = fj.empty(0)
    assert fj.softmax(x, 0, out=resized) is resized and resized.shape == (2, 2)
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Long"):
        fj.matmul(x, x, out=fj.zeros(2, 2, dtype=fj.int64))
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        fj.matmul(x.requires_grad_(), x, out=out)


def test_out_of_several_results():
    x, values, indices = fj.tensor([[1.0, 5.0], [3.0, 4.0]]), fj.empty(0), fj.zeros(2, dtype=fj.int64)
    result = fj.max(x, 1, out=(values, indices))
    assert result.values is values and result.indices is indices
    assert values.tolist() == [5.0, 4.0] and indices.tolist() == [1, 1]
    with pytest.raises(TypeError, match="invalid combination"):
        fj.max(x, 1, out=(values,))


def test_out_says_the_dtype_of_factories():
    out = fj.empty(3, dtype=fj.int32)
    assert fj.arange(3.0, out=out) is out and out.tolist() == [0, 1, 2] and out.dtype == fj.int32


def test_out_in_a_trace():
    @fj.compile
    def f(x, out):
        return fj.matmul(x, x, out=out) + 1

    x, out = fj.tensor([[1.0, 2.0], [3.0, 4.0]]), fj.zeros(2, 2)
    assert f(x, out).tolist() == [[8.0, 11.0], [16.0, 23.0]] and out.tolist() == [[7.0, 10.0], [15.0, 22.0]]
    resized = fj.empty(0)
    f(x, resized)
    assert resized.tolist() == out.tolist()
