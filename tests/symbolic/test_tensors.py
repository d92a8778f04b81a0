"""Tensors in traces: what becomes the graph, what stays Python, what breaks."""

import numpy as np
import pytest

import framejit as fj
from framejit import _C, nn
from tests.symbolic.support import break_ids


def same(got, want):
    if isinstance(want, fj.Tensor):
        assert isinstance(got, fj.Tensor) and got.dtype == want.dtype and got.shape == want.shape
        assert got.requires_grad == want.requires_grad
        np.testing.assert_array_equal(got.detach().numpy(), want.detach().numpy())
    elif isinstance(want, (list, tuple)):
        assert type(got) is type(want) and len(got) == len(want)
        for g, w in zip(got, want):
            same(g, w)
    elif isinstance(want, dict):
        assert list(got) == list(want)
        for key in want:
            same(got[key], want[key])
    else:
        assert got == want


def run(fn, *args, calls=2, whole=True):
    """Compares with eager; returns the traces. ``whole``: there must be one, and it must return."""
    events = []
    previous = _C.compiler.set_listener(events.append)
    try:
        compiled = fj.compile(fn, backend="eager")
        for _ in range(calls):
            same(compiled(*args), fn(*args))
    finally:
        _C.compiler.set_listener(previous)
    assert not [event for event in events if event["kind"] == "internal_error"]
    traces = [event for event in events if event["kind"] == "trace"]
    if whole:
        assert [event["end"] for event in traces] == ["returns"], [event["break"] for event in traces]
    return traces


X = fj.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


@pytest.mark.parametrize(
    "body",
    [
        lambda x: (x + 1).relu() * 2 - x / 3,
        lambda x: (2 * x, 1 - x, x**2, -x, x > 0, x == x, ~(x > 1), x @ x.t()),
        lambda x: (x.sum(), x.mean(0), x.sum(-1, keepdim=True), x.max(dim=1)),
        lambda x: (x[0], x[:, 1:], x[..., None], x[[1, 0]], x[0, 1]),
        lambda x: (x.view(-1), x.reshape(3, 2), x.t(), x.unsqueeze(0), x.permute(1, 0), x.flatten()),
        lambda x: fj.cat([x, x * 2], dim=0) + fj.stack((x[0], x[1])).sum(),
        lambda x: [row * i for i, row in enumerate(x)],
        lambda x: {"a": x + 1, "b": [x * 2, (x,)]},
        lambda x: x.shape[0] * x + x.dim() + len(x) + x.size(1) + x.numel(),
        lambda x: (x.dtype, x.shape, x.ndim, x.device, x.requires_grad, x.is_floating_point()),
        lambda x: fj.zeros(2, 3) + fj.ones(x.shape) * x + fj.arange(3),
        lambda x: fj.where(x > 0, x, fj.tensor(0.0)).clamp(min=0, max=2),
        lambda x: sum([x, x, x]),
        lambda x: x if isinstance(x, fj.Tensor) and x.dim() == 2 else None,
        lambda x: nn.functional.softmax(x, dim=-1),
        lambda x: (lambda y: y.float() + y.to(fj.float64).sum())(x),
    ],
)
def test_ops(body):
    run(body, X)


def test_results_are_new_objects_and_inputs_are_themselves():
    compiled = fj.compile(lambda x: (x, x * 2, x * 2, [x]), backend="eager")
    same_x, a, b, (inner,) = compiled(X)
    assert same_x is X and inner is X and a is not b and a.data_ptr() != b.data_ptr()


def test_in_place():
    def body(x):
        y = x * 1
        y += 1
        y[0] = 7
        y.mul_(2)
        return y

    run(body, X)


def test_in_place_on_an_input():
    def body(x, log):
        log.append(x.sum())
        x += 1
        x[:, 0] = 0
        log.append(x.sum())
        return x

    compiled = fj.compile(body, backend="eager")
    for _ in range(2):
        a, b = X.clone(), X.clone()
        log_a, log_b = [], []
        assert compiled(a, log_a) is a
        body(b, log_b)
        same(a, b)
        same(log_a, log_b)


def test_numbers_are_inputs():
    compiled = fj.compile(lambda x, n, s: x * n + s / (n + 1), backend="eager")
    for n in range(8):
        same(compiled(X, n, n * 0.5), X * n + n * 0.5 / (n + 1))
    assert compiled.stats()["compilations"] == 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (lambda x: x + 1 if x.sum() > 0 else x - 1, "tensor_branch"),
        (lambda x: x * x.sum().item(), "tensor_value"),
        (lambda x: x * float(x.sum()), "tensor_value"),
        (lambda x: x.tolist()[0][0] + x, "tensor_value"),
        (lambda x: (x.nonzero(), x + 1), "data_dependent_shape"),
        (lambda x: (print(end=""), x + 1)[1], "output_call"),
    ],
)
def test_breaks(body, reason):
    for sign in (1.0, -1.0):
        assert reason in break_ids(run(body, X * sign, whole=False))


def test_both_sides_of_a_branch():
    def body(x):
        y = x * 2
        if y.sum() > 0:
            y = y + 1
        else:
            y = y - 1
        return y.relu()

    compiled = fj.compile(body, backend="eager")
    for sign in (1, -1, 1, -1):
        same(compiled(X * sign), body(X * sign))
    assert compiled.stats()["compilations"] == 3


def test_an_op_that_fails_raises_what_eager_raises():
    def body(x, log):
        log.append("before")
        y = x @ x
        log.append("after")
        return y

    compiled = fj.compile(body, backend="eager")
    with pytest.raises(RuntimeError) as want:
        body(X, [])
    for _ in range(2):
        log = []
        with pytest.raises(RuntimeError) as got:
            compiled(X, log)
        assert str(got.value) == str(want.value) and log == ["before"]


def test_an_op_that_fails_inside_try():
    def body(x):
        try:
            return x.sum(5)
        except IndexError:
            return x.sum(0)

    assert "op_failed" in break_ids(run(body, X, whole=False))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.layers = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
        self.scale = 2.0
        self.calls = 0
        self.register_buffer("offset", fj.ones(width))

    def forward(self, x, *, flag=True):
        self.calls += 1
        y = self.layers(self.norm(x)) * self.scale + self.offset
        return x + y if flag else y


def test_modules():
    model = Block(3)
    with fj.no_grad():
        run(lambda x: model(x, flag=True), X)
        run(model.forward, X)
    calls = model.calls
    fj.compile(lambda x: model(x), backend="eager")(X)
    assert model.calls == calls + 1
    run(lambda x: model(x).sum(), X)


def test_a_module_that_changes():
    model = Block(3)
    compiled = fj.compile(lambda x: model(x), backend="eager")
    same(compiled(X), model(X))
    model.scale = 5.0
    same(compiled(X), model(X))
    model.norm = nn.ReLU()
    same(compiled(X), model(X))
    model.offset = fj.zeros(3)
    same(compiled(X), model(X))


def test_grad_mode():
    def body(x):
        with fj.no_grad():
            y = x * 2
        z = x * 3
        return y, z, fj.is_grad_enabled()

    x = X.clone().requires_grad_()
    run(body, x)
    with fj.no_grad():
        run(body, x)
    assert fj.is_grad_enabled()


def test_grad_mode_across_a_break():
    def body(x):
        with fj.no_grad():
            y = x * 2
            print(end="")
            z = x * 3
        return y, z, x * 4

    run(body, X.clone().requires_grad_(), whole=False)
    assert fj.is_grad_enabled()


def test_gradients_flow_through_a_compiled_function():
    model = Block(3)
    compiled = fj.compile(model, backend="aot_eager")
    want = fj.autograd.grad(model(X).sum(), list(model.parameters()))
    got = fj.autograd.grad(compiled(X).sum(), list(model.parameters()))
    for g, w in zip(got, want):
        np.testing.assert_allclose(g.numpy(), w.numpy(), rtol=1e-6)


@pytest.mark.parametrize("dynamic", [None, True])
def test_sizes(dynamic):
    def body(x):
        n = x.shape[0]
        return x.view(n * x.size(1)) + n, n // 2, x.reshape(-1, n) if n % 2 == 0 else x, x.shape

    compiled = fj.compile(body, dynamic=dynamic, backend="eager")
    for n in (4, 6, 8, 10, 5, 7):
        x = fj.ones(n, 3)
        same(compiled(x), body(x))
    assert compiled.stats()["compilations"] <= 4


def test_the_graph_as_text():
    events = []
    previous = _C.compiler.set_listener(events.append)
    try:
        fj.compile(lambda x: (x * 2 + 1).sum(), backend="eager")(X)
    finally:
        _C.compiler.set_listener(previous)
    assert events[0]["graph"] == (
        "graph {\n  %x = input float32[2, 3]\n  %mul = mul(%x, 2) : float32[2, 3]\n"
        "  %add = add(%mul, 1, 1) : float32[2, 3]\n  %sum = sum(%add, None, False, None) : float32[]\n  return %sum\n}\n"
    )


def test_formats_dtypes_and_classes_are_constants():
    def fn(x):
        rows = x.contiguous(memory_format=fj.contiguous_format)
        kept = fj.empty_like(x, memory_format=fj.preserve_format).zero_()
        return rows + fj.finfo(x.dtype).eps, kept, x.is_contiguous(memory_format=fj.contiguous_format), x.__class__.__name__

    run(fn, fj.ones(2, 3))


def test_named_results():
    def fn(x, given):
        largest, order = fj.max(x, 1, keepdim=True), x.sort(-1)
        top = x.topk(2)
        return largest.values + top.values, largest.indices, order.values[given.indices[0]], given.values, top

    x = fj.tensor([[1.0, 3.0, 2.0], [5.0, 4.0, 6.0]])
    run(fn, x, x.min(0))


def test_views_in_place():
    def own(x):
        y = x * 2
        row = y[0]
        same = y.unsqueeze_(0)
        same.add_(1)
        y.transpose_(0, 2).squeeze_()
        return y, row, same is y, y.shape

    def grown(x):
        empty = x.data.new().resize_((x.size(0), 3)).fill_(2)
        return empty, x + empty, x.new_empty(0).resize_(2, 1).zero_() + x

    for fn in (own, grown):
        run(fn, X)
    x = X.clone().requires_grad_()
    fj.compile(lambda x: (x + 1).t_().mul_(x.t()))(x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), (2 * X + 1).numpy())


def test_views_in_place_of_inputs():
    def fn(x):
        x.unsqueeze_(0)
        return x + 1

    compiled, x, y = fj.compile(fn), X.clone(), X.clone()
    same(compiled(x), fn(y))
    assert x.shape == y.shape == (1, 2, 3)


def test_instances_by_a_metaclass():
    run(lambda x: (isinstance(x, fj.autograd.Variable), isinstance(3, (int, fj.autograd.Variable)), isinstance(x, fj.FloatTensor)), X)

