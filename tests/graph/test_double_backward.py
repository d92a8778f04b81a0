"""Derivatives of derivatives through compiled functions: the call is made again, op by op."""

import gc
import weakref

import pytest

import framejit as fj


def second_derivatives(function, *inputs):
    """The gradients of the squares of the gradients."""
    results = function(*inputs)
    total = sum(r.sin().sum() for r in (results if isinstance(results, tuple) else (results,)))
    first = fj.autograd.grad(total, inputs, create_graph=True, allow_unused=True)
    penalty = sum((g * g).sum() for g in first if g is not None)
    return (*first, *fj.autograd.grad(penalty, inputs, allow_unused=True))


def same(a, b):
    return all((x is None and y is None) or fj.allclose(x, y, rtol=1e-4, atol=1e-6) for x, y in zip(a, b, strict=True))


def leaf(*shape):
    return fj.randn(*shape, requires_grad=True)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x * y).exp() + x,
        lambda x, y: (x @ y.t(), y.sum(0)),
        lambda x, y: (x.relu() * y.tanh()).softmax(-1),
        lambda x, y: ((x * y).detach() * x, x * 2),
    ],
)
def test_against_eager(function, backend):
    x, y = leaf(3, 4), leaf(3, 4)
    assert same(second_derivatives(fj.compile(function, backend=backend), x, y), second_derivatives(function, x, y))


def test_symbolic_sizes():
    compiled = fj.compile(lambda x: (x * x.shape[0]).tanh().sum(0), dynamic=True)
    for n in (3, 5):
        x = leaf(n, 2)
        assert same(second_derivatives(compiled, x), second_derivatives(lambda x: (x * x.shape[0]).tanh().sum(0), x))


def test_inputs_that_depend_on_each_other():
    compiled = fj.compile(lambda a, b: (a * b).sin())
    x = leaf(4)
    for f in (compiled, lambda a, b: (a * b).sin()):
        y = x * 2
        (g,) = fj.autograd.grad(f(x, y).sum(), x, create_graph=True)
        (h,) = fj.autograd.grad(g.sum(), x)
        if f is compiled:
            expected = g, h
    assert same(expected, (g, h))


def test_gradient_penalty_of_a_module():
    module = fj.nn.Sequential(fj.nn.Linear(3, 8), fj.nn.Tanh(), fj.nn.Linear(8, 1))
    found = []
    x = leaf(5, 3)
    for f in (module, fj.compile(module)):
        module.zero_grad()
        (g,) = fj.autograd.grad(f(x).sum(), x, create_graph=True)
        ((g.norm(dim=1) - 1) ** 2).mean().backward()
        found.append([p.grad if p.grad is None else p.grad.clone() for p in module.parameters()])
    assert same(*found)


def test_third_derivatives_and_graph_breaks():
    def f(x):
        y = x**4
        print(end="")
        return y * x

    x = fj.tensor([2.0], requires_grad=True)
    g = fj.compile(f)(x)
    for power in (5, 4, 3):
        (g,) = fj.autograd.grad(g.sum(), x, create_graph=True)
        assert g.requires_grad
    assert g.item() == pytest.approx(60 * 4)


def test_calls_that_cannot_be_made_again():
    x = leaf(4)
    dropout = fj.compile(lambda x: fj.nn.functional.dropout(x, 0.5) * x)
    with pytest.raises(RuntimeError, match="differentiated twice .*that draws random numbers"):
        fj.autograd.grad(dropout(x).sum(), x, create_graph=True)


def test_what_is_kept_dies_with_the_graph():
    compiled = fj.compile(lambda x: x + 1)
    x = leaf(4)
    y = x * 2
    gone = weakref.ref(y)
    z = compiled(y)
    del y
    z.sum().backward()
    del z
    gc.collect()
    assert gone() is None
