"""framejit.autograd.forward_ad against torch's."""

import numpy as np
import pytest

import framejit as fj
from framejit.autograd import forward_ad

torch = pytest.importorskip("torch")
their_forward_ad = pytest.importorskip("torch.autograd.forward_ad")

BOTH = ((fj, forward_ad), (torch, their_forward_ad))
X = np.random.default_rng(0).standard_normal((3, 4))
V = np.random.default_rng(1).standard_normal((3, 4))


def in_place(t, x):
    y = x * 2
    y[1] = x[0].sin()
    y.mul_(x.exp())
    return y


FUNCTIONS = {
    "pointwise": lambda t, x: x.sin() * x.exp() / (1 + x * x),
    "products": lambda t, x: x @ x.T.tanh(),
    "reductions": lambda t, x: t.logsumexp(x, 1) + x.var(1) + x.norm(),
    "views": lambda t, x: x.T.reshape(2, 6)[:, ::2].unsqueeze(0),
    "in place": in_place,
    "linear": lambda t, x: 3 * x + 1,
    "to another": lambda t, x: t.ones_like(x).copy_(x * x),
    "norms": lambda t, x: t.nn.functional.layer_norm(x, (4,)).softmax(-1),
    "complex": lambda t, x: (x * (1 + 2j)).exp().abs(),
    "linalg": lambda t, x: t.linalg.inv(x @ x.T + t.eye(3, dtype=x.dtype)),
    "branches": lambda t, x: t.where(x > 0, x.sqrt().nan_to_num(), x * x).cumsum(0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tangents(name):
    results = []
    for t, ad in BOTH:
        x, v = t.tensor(X), t.tensor(V)
        with ad.dual_level():
            y = FUNCTIONS[name](t, ad.make_dual(x, v))
            primal, tangent = ad.unpack_dual(y)
            assert not primal.requires_grad and not tangent.requires_grad
            results.append((primal, tangent))
        assert ad.unpack_dual(y).tangent is None  # the level has ended
    for ours, theirs in zip(*results):
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-9, atol=1e-12)


def test_several_duals_and_what_depends_on_none():
    results = []
    for t, ad in BOTH:
        with ad.dual_level():
            a, b = ad.make_dual(t.tensor(X), t.tensor(V)), ad.make_dual(t.tensor(V), t.tensor(X))
            c = t.tensor(X)
            results.append([ad.unpack_dual(y).tangent for y in (a * b, a, b + c, (a + b).sum(0))])
            assert ad.unpack_dual(c).tangent is None and ad.unpack_dual((c * 2).requires_grad_()).tangent is None
            assert ad.unpack_dual(a).primal.tolist() == X.tolist()
    for ours, theirs in zip(*results):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy())


def test_tangents_are_differentiable_by_parameters():
    results = []
    for t, ad in BOTH:
        w = t.tensor(V, requires_grad=True)
        with ad.dual_level():
            tangent = ad.unpack_dual(ad.make_dual(t.tensor(X), t.tensor(V)) * w.sin()).tangent
        tangent.sum().backward()
        results.append(w.grad.numpy())
    np.testing.assert_allclose(*results)


def test_parameters_of_a_module_as_duals():
    results = []
    for t, ad in BOTH:
        model = t.nn.Linear(4, 2, dtype=t.float64)
        with t.no_grad():
            model.weight.copy_(t.tensor(X[:2]))
            model.bias.zero_()
        with ad.dual_level():
            for name, parameter in list(model.named_parameters()):
                delattr(model, name)
                setattr(model, name, ad.make_dual(parameter, t.ones_like(parameter)))
            results.append(ad.unpack_dual(model(t.tensor(V)).tanh()).tangent.detach().numpy())
    np.testing.assert_allclose(*results, rtol=1e-9)


def test_grad_mode_around_a_level():
    x = fj.tensor(X)
    with fj.no_grad():
        with forward_ad.dual_level():
            tangent = forward_ad.unpack_dual(forward_ad.make_dual(x, x) ** 2).tangent
        assert not fj.is_grad_enabled()
    np.testing.assert_allclose(tangent.numpy(), 2 * X * X)
    with forward_ad.dual_level(), fj.no_grad(), pytest.raises(RuntimeError, match="under no_grad"):
        forward_ad.make_dual(x, x)


@pytest.mark.parametrize(
    "use, error, message",
    [
        (lambda t, ad, x: ad.make_dual(x.long(), x), ValueError, "Expected primal to be floating point or complex"),
        (lambda t, ad, x: ad.make_dual(x, x.long()), ValueError, "Expected tangent to be floating point or complex"),
        (lambda t, ad, x: ad.make_dual(x, x[0]), RuntimeError, "different size than that of the original Tensor"),
        (lambda t, ad, x: ad.make_dual(ad.make_dual(x, x), x), RuntimeError, "already has a forward gradient"),
        (lambda t, ad, x: ad.enter_dual_level(), RuntimeError, "Nested forward mode AD is not supported"),
    ],
)
def test_errors(use, error, message):
    for t, ad in BOTH:
        x = t.tensor(X)
        with ad.dual_level(), pytest.raises(error, match=message):
            use(t, ad, x)
        with pytest.raises(RuntimeError, match="no level exists"):
            ad.make_dual(x, x)
        assert ad.unpack_dual(x).tangent is None
        with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
            ad.exit_dual_level()
