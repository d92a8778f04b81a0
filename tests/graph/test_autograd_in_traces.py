"""Autograd inside compiled functions: what a trace cannot hold ends it, with eager's results."""

import pytest

import framejit as fj


class Tenfold(fj.autograd.Function):
    """x squared, with ten times its derivative: whoever differentiates forward instead is found out."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 20 * x


def step(x):
    w = fj.ones(3, requires_grad=True)
    (x * w).sum().backward()
    return w.grad


def leaf_of_data(x):
    w = fj.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x * w).sum().backward()
    return w.grad


def both_orders(x):
    x = x.detach().requires_grad_()
    (g,) = fj.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = fj.autograd.grad(g.sum(), x)
    return g.detach(), h


def hook(x):
    x = x.detach().requires_grad_()
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.retain_grad()
    (y * y).sum().backward()
    return x.grad, y.grad, seen


def custom(x):
    return Tenfold.apply(x * 2) + 1


def modes(x):
    with fj.no_grad():
        y = x * 2
    return x * y, y.requires_grad


def saved(x):
    with fj.autograd.graph.save_on_cpu():
        return (x * x).exp()


def places(x):
    y = x * 2
    return y, y.grad_fn is not None, y.is_leaf, x.is_leaf


def derivative(x):
    return fj.func.grad(lambda x: (x * x * x).sum())(x)


def inference(x):
    with fj.inference_mode():
        y = x.detach() * 2
    return y, y.is_inference()


def outcome(function, x):
    x = x.detach().requires_grad_()
    results = function(x)
    first = results[0] if isinstance(results, tuple) else results
    if first.requires_grad:
        first.sum().backward()
    values = results if isinstance(results, tuple) else (results,)
    shown = [v.tolist() if isinstance(v, fj.Tensor) else v for v in values]
    return shown, first.requires_grad, None if x.grad is None else x.grad.tolist()


@pytest.mark.parametrize(
    "function",
    [step, leaf_of_data, both_orders, hook, custom, modes, saved, places, derivative, inference],
    ids=lambda f: f.__name__,
)
def test_results_are_those_of_eager(function):
    x = fj.tensor([1.0, 2.0, 3.0])
    expected = outcome(function, x)
    compiled = fj.compile(function)
    assert outcome(compiled, x) == expected
    assert outcome(compiled, x) == expected


def test_hooks_of_results_and_inputs_of_compiled_functions():
    compiled = fj.compile(lambda x: (x * x).sin())
    x = fj.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    seen = []
    y.register_hook(lambda g: seen.append("input"))
    z = compiled(y)
    z.register_hook(lambda g: seen.append("result") or g * 2)
    z.grad_fn.register_hook(lambda grads, outs: seen.append("node"))
    z.sum().backward()
    assert seen == ["result", "node", "input"]
    assert fj.allclose(x.grad, 2 * (x * x).cos() * 2 * x)


def test_module_hooks_under_compile():
    module = fj.nn.Sequential(fj.nn.Linear(2, 2), fj.nn.ReLU())
    seen = []
    module[0].register_full_backward_hook(lambda m, gi, go: seen.append(tuple(go[0].shape)))
    x = fj.ones(3, 2, requires_grad=True)
    fj.compile(module)(x).sum().backward()
    got, x.grad = x.grad, None
    assert seen == [(3, 2)]
    module(x).sum().backward()
    assert fj.allclose(got, x.grad)
