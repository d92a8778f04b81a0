"""nn.utils against PyTorch's: norms of weights, parametrisations, fusion, clipping, calls with other parameters."""

import copy

import numpy as np
import pytest

import framejit as fj
from framejit import nn
from framejit.nn.utils import parametrize

torch = pytest.importorskip("torch")


def to_torch(tensor):
    return torch.from_numpy(tensor.detach().numpy().copy())


def compare(got, want, tolerance=1e-5):
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=tolerance, atol=tolerance)


def twins(make):
    ours, theirs = make(fj.nn), make(torch.nn)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    theirs.load_state_dict({k: to_torch(v) for k, v in ours.state_dict().items()})
    return ours, theirs


def train_step(ours, theirs, x):
    """One call and backward of both: the same output, gradients and buffers."""
    got, want = ours(x), theirs(to_torch(x))
    compare(got, want)
    (got * got).sum().backward()
    (want * want).sum().backward()
    for p, q in zip(ours.parameters(), theirs.parameters()):
        compare(p.grad, q.grad, 1e-4)
    for p, q in zip(ours.buffers(), theirs.buffers()):
        compare(p, q)


def new(norm):
    return lambda module, **options: lambda lib: getattr(lib.utils.parametrizations, norm)(module(lib), **options)


def old(norm):
    return lambda module, **options: lambda lib: getattr(lib.utils, norm)(module(lib), **options)


NORMS = {
    "weight_norm": old("weight_norm")(lambda lib: lib.Linear(4, 3)),
    "weight_norm of a convolution": old("weight_norm")(lambda lib: lib.Conv1d(4, 3, 2), dim=1),
    "weight_norm as a whole": old("weight_norm")(lambda lib: lib.Linear(4, 3), dim=None),
    "spectral_norm": old("spectral_norm")(lambda lib: lib.Linear(4, 3)),
    "spectral_norm of a transposed convolution": old("spectral_norm")(lambda lib: lib.ConvTranspose1d(4, 3, 2), n_power_iterations=2),
    "new weight_norm": new("weight_norm")(lambda lib: lib.Linear(4, 3)),
    "new spectral_norm": new("spectral_norm")(lambda lib: lib.Conv1d(4, 3, 2)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", NORMS)
def test_norms_of_weights(name):
    ours, theirs = twins(NORMS[name])
    x = fj.randn(2, 4, 5) if "convolution" in name or "new spectral" in name else fj.randn(2, 4)
    for _ in range(2):
        train_step(ours, theirs, x)
    ours.eval(), theirs.eval()
    compare(ours(x), theirs(to_torch(x)))


def test_norms_are_removed():
    x = fj.randn(2, 4)
    for apply, remove in (
        (nn.utils.weight_norm, nn.utils.remove_weight_norm),
        (nn.utils.spectral_norm, nn.utils.remove_spectral_norm),
    ):
        module = apply(nn.Linear(4, 3))
        module.eval()
        before = module(x)
        with pytest.raises(RuntimeError, match="Cannot register two"):
            apply(module)
        remove(module)
        compare(module(x), before)
        assert sorted(module.state_dict()) == ["bias", "weight"] and not module._forward_pre_hooks
        with pytest.raises(ValueError, match="not found"):
            remove(module)


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT

    def right_inverse(self, x):
        return x.triu()


class Double(nn.Module):
    calls = 0

    def forward(self, x):
        Double.calls += 1
        return x * 2

    def right_inverse(self, x):
        return x / 2


def test_parametrization():
    module = nn.Linear(3, 3)
    original = module.weight
    parametrize.register_parametrization(module, "weight", Symmetric())
    assert type(module).__name__ == "ParametrizedLinear" and isinstance(module, nn.Linear)
    assert parametrize.is_parametrized(module, "weight") and not parametrize.is_parametrized(module, "bias")
    assert [name for name, _ in module.named_parameters()] == ["bias", "parametrizations.weight.original"]
    assert module.parametrizations.weight.original is original
    weight = module.weight
    compare(weight, weight.mT)
    module(fj.ones(1, 3)).sum().backward()
    assert original.grad is not None and float(original.grad.tril(-1).abs().sum()) == 0
    parametrize.register_parametrization(module, "weight", Double())
    compare(module.weight, weight)
    module.weight = fj.eye(3)
    compare(module.weight, fj.eye(3))
    Double.calls = 0
    with parametrize.cached():
        assert module.weight is module.weight
    assert Double.calls == 1
    twin = copy.deepcopy(module)
    assert twin.parametrizations.weight.original is not original
    compare(twin.weight, module.weight)
    parametrize.remove_parametrizations(module, "weight")
    assert type(module) is nn.Linear and module.weight is original
    compare(module.weight, fj.eye(3))
    compare(fj.compile(twin)(fj.ones(2, 3)), twin(fj.ones(2, 3)))


def test_parametrization_errors():
    module = nn.Linear(3, 2)
    with pytest.raises(ValueError, match="may not change the dtype or shape"):
        parametrize.register_parametrization(module, "weight", nn.Flatten(0))
    assert isinstance(module.weight, nn.Parameter), "nothing has changed"
    with pytest.raises(ValueError, match="does not have a parameter, a buffer"):
        parametrize.register_parametrization(module, "missing", Double())
    with pytest.raises(ValueError, match="does not have a parametrization on weight"):
        parametrize.remove_parametrizations(module, "weight")


def test_fusion():
    for layer, norm, shape, fuse in (
        (nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), (2, 3, 5, 5), nn.utils.fuse_conv_bn_eval),
        (nn.Linear(3, 4), nn.BatchNorm1d(4), (5, 3), nn.utils.fuse_linear_bn_eval),
    ):
        norm(layer(fj.randn(*shape) * 2 + 1))
        with pytest.raises(AssertionError, match="Fusion only for eval"):
            fuse(layer, norm)
        layer.eval(), norm.eval()
        x = fj.randn(*shape)
        compare(fuse(layer, norm)(x), norm(layer(x)), 1e-4)


@pytest.mark.parametrize("norm_type", [1.0, 2.0, float("inf")])
def test_clipping(norm_type):
    gradients = [np.arange(6, dtype=np.float32) - 2, np.ones((2, 2), np.float32)]
    ours, theirs = [], []
    for gradient in gradients:
        ours.append(nn.Parameter(fj.zeros(gradient.shape)))
        theirs.append(torch.nn.Parameter(torch.zeros(gradient.shape)))
        ours[-1].grad, theirs[-1].grad = fj.from_numpy(gradient.copy()), torch.from_numpy(gradient.copy())
    ours.append(nn.Parameter(fj.zeros(1)))
    compare(nn.utils.clip_grad_norm_(ours, 1.5, norm_type), torch.nn.utils.clip_grad_norm_(theirs, 1.5, norm_type))
    for p, q in zip(ours, theirs):
        compare(p.grad, q.grad)
    ours[0].grad[0] = float("nan")
    with pytest.raises(RuntimeError, match="non-finite, so it cannot be clipped"):
        nn.utils.clip_grad_norm_(ours, 1.0, norm_type, error_if_nonfinite=True)


def test_functional_call():
    module = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).eval()
    module.again = module[0]
    x = fj.randn(3, 2)
    weight = fj.ones(2, 2, requires_grad=True)
    result = fj.func.functional_call(module, {"0.weight": weight, "1.running_mean": fj.ones(2)}, (x,))
    before = module(x)
    result.sum().backward()
    assert weight.grad is not None and module[0].weight.grad is None
    compare(module(x), before)
    # `again` is tied to `0`, and follows it.
    with pytest.raises(RuntimeError, match=r"unexpected names \['missing'\]"):
        fj.func.functional_call(module, {"missing": weight}, x)
    with pytest.raises(ValueError, match="multiple dictionaries"):
        fj.func.functional_call(module, ({"0.weight": weight}, {"0.weight": weight}), x)


def test_initialisers():
    fj.manual_seed(0)
    for name, options, check in [
        ("trunc_normal_", dict(std=2.0, a=-1.0, b=3.0), lambda t: -1 <= float(t.min()) and float(t.max()) <= 3 and 0.3 < float(t.mean()) < 1.2),
        ("orthogonal_", dict(gain=2.0), lambda t: np.allclose((t @ t.mT).numpy(), 4 * np.eye(20), atol=1e-4)),
        ("sparse_", dict(sparsity=0.25), lambda t: ((t == 0).sum(0) == 5).all()),
        ("eye_", {}, lambda t: float(t.sum()) == 20.0),
        ("xavier_normal_", {}, lambda t: abs(float(t.std()) - (2 / 70) ** 0.5) < 0.01),
        ("kaiming_normal_", dict(mode="fan_out", nonlinearity="relu"), lambda t: abs(float(t.std()) - (2 / 20) ** 0.5) < 0.02),
    ]:  # fmt: skip
        weight = nn.Parameter(fj.empty(20, 50))
        assert getattr(nn.init, name)(weight, **options) is weight
        assert check(weight.detach()), name
    for groups in (1, 2):
        ours, theirs = fj.empty(4, 2, 3), torch.empty(4, 2, 3)
        compare(nn.init.dirac_(ours, groups), torch.nn.init.dirac_(theirs, groups))
    with pytest.warns(FutureWarning, match=r"`nn.init.normal` is now deprecated in favor of `nn.init.normal_`"):
        nn.init.normal(fj.empty(2))


def test_skip_init_and_vectors():
    assert nn.utils.skip_init(nn.Linear, 3, 4).weight.shape == (4, 3)
    with pytest.raises(RuntimeError, match="Expected a Module"):
        nn.utils.skip_init(dict)
    module = nn.Linear(2, 2)
    vector = nn.utils.parameters_to_vector(module.parameters())
    nn.utils.vector_to_parameters(vector * 2, module.parameters())
    compare(nn.utils.parameters_to_vector(module.parameters()), vector * 2)
