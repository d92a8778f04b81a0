"""Modules and functional forms against PyTorch: same weights, same input, same output and gradients."""

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")


def to_torch(tensor):
    return torch.from_numpy(tensor.detach().numpy().copy())


def random(*shape, seed=0):
    return fj.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def compare(got, want, tolerance=1e-5):
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=tolerance, atol=tolerance)


def compare_module(ours, theirs, *inputs):
    theirs.load_state_dict({k: to_torch(v) for k, v in ours.state_dict().items()})
    theirs_inputs = [to_torch(x) for x in inputs]
    for x, y in zip(inputs, theirs_inputs):
        if x.is_floating_point():
            x.requires_grad_()
            y.requires_grad_()
    got, want = ours(*inputs), theirs(*theirs_inputs)
    compare(got, want)
    weights = random(*got.shape, seed=5)
    (got * weights).sum().backward()
    (want * to_torch(weights)).sum().backward()
    for x, y in zip(inputs, theirs_inputs):
        if y.requires_grad:
            compare(x.grad, y.grad)
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters()):
        assert p.grad is not None, name
        compare(p.grad, q.grad)


MODULES = {
    "Linear": (lambda nn: nn.Linear(5, 3), (4, 5)),
    "Linear without bias": (lambda nn: nn.Linear(5, 3, bias=False), (2, 4, 5)),
    "LayerNorm": (lambda nn: nn.LayerNorm(6), (3, 6)),
    "LayerNorm over two dims": (lambda nn: nn.LayerNorm((4, 6), eps=1e-3), (3, 4, 6)),
    "LayerNorm without affine": (lambda nn: nn.LayerNorm(6, elementwise_affine=False), (3, 6)),
    "RMSNorm": (lambda nn: nn.RMSNorm(6), (3, 6)),
    "ReLU": (lambda nn: nn.ReLU(), (3, 4)),
    "LeakyReLU": (lambda nn: nn.LeakyReLU(0.2), (3, 4)),
    "ELU": (lambda nn: nn.ELU(0.7), (3, 4)),
    "GELU": (lambda nn: nn.GELU(), (3, 4)),
    "GELU tanh": (lambda nn: nn.GELU("tanh"), (3, 4)),
    "SiLU": (lambda nn: nn.SiLU(), (3, 4)),
    "Sigmoid": (lambda nn: nn.Sigmoid(), (3, 4)),
    "Tanh": (lambda nn: nn.Tanh(), (3, 4)),
    "Hardtanh": (lambda nn: nn.Hardtanh(-0.5, 0.5), (3, 4)),
    "Softplus": (lambda nn: nn.Softplus(2.0), (3, 4)),
    "Softmax": (lambda nn: nn.Softmax(dim=1), (3, 4)),
    "LogSoftmax": (lambda nn: nn.LogSoftmax(dim=0), (3, 4)),
    "Flatten": (lambda nn: nn.Flatten(), (2, 3, 4)),
    "Sequential": (
        lambda nn: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2)),
        (5, 4),
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_module(name):
    make, shape = MODULES[name]
    compare_module(make(fj.nn), make(torch.nn), random(*shape))


@pytest.mark.parametrize("padding_idx", [None, 2])
def test_embedding(padding_idx):
    ours = fj.nn.Embedding(7, 3, padding_idx=padding_idx)
    theirs = torch.nn.Embedding(7, 3, padding_idx=padding_idx)
    compare_module(ours, theirs, fj.tensor([[1, 2], [6, 1]]))


def test_bilinear():
    compare_module(fj.nn.Bilinear(3, 4, 2), torch.nn.Bilinear(3, 4, 2), random(5, 3), random(5, 4, seed=1))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss"])
def test_regression_losses(name, reduction):
    x, y = random(4, 3), random(4, 3, seed=1)
    got = getattr(fj.nn.functional, name)(x, y, reduction=reduction)
    compare(got, getattr(torch.nn.functional, name)(to_torch(x), to_torch(y), reduction=reduction))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("shape", [(5, 4), (3, 4, 2)])
def test_cross_entropy(reduction, weighted, smoothing, shape):
    x = random(*shape)
    target = fj.from_numpy(np.random.default_rng(1).integers(0, 4, (shape[0], *shape[2:])))
    target[0] = -100
    weight = fj.tensor([0.5, 1.0, 2.0, 0.1]) if weighted else None
    options = dict(reduction=reduction, label_smoothing=smoothing)
    ours_x, theirs_x = x.clone().requires_grad_(), to_torch(x).requires_grad_()
    got = fj.nn.functional.cross_entropy(ours_x, target, weight, **options)
    theirs_weight = to_torch(weight) if weighted else None
    want = torch.nn.functional.cross_entropy(theirs_x, to_torch(target), theirs_weight, **options)
    compare(got, want)
    got.sum().backward()
    want.sum().backward()
    compare(ours_x.grad, theirs_x.grad)


def test_cross_entropy_of_probabilities_and_of_one_sample():
    x, p = random(3, 4), random(3, 4, seed=1).softmax(1)
    compare(fj.nn.functional.cross_entropy(x, p), torch.nn.functional.cross_entropy(to_torch(x), to_torch(p)))
    one = random(4)
    got = fj.nn.functional.cross_entropy(one, fj.tensor(2))
    compare(got, torch.nn.functional.cross_entropy(to_torch(one), torch.tensor(2)))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_binary_losses(reduction):
    x, y = random(4, 3), random(4, 3, seed=1).sigmoid()
    F, G = fj.nn.functional, torch.nn.functional
    compare(
        F.binary_cross_entropy_with_logits(x, y, reduction=reduction, pos_weight=fj.tensor([1.0, 2.0, 0.5])),
        G.binary_cross_entropy_with_logits(
            to_torch(x), to_torch(y), reduction=reduction, pos_weight=torch.tensor([1.0, 2.0, 0.5])
        ),
    )
    p = x.sigmoid()
    compare(
        F.binary_cross_entropy(p, y, reduction=reduction),
        G.binary_cross_entropy(to_torch(p), to_torch(y), reduction=reduction),
    )


def test_normalize_pad_and_clip():
    x = random(3, 4)
    compare(fj.nn.functional.normalize(x), torch.nn.functional.normalize(to_torch(x)))
    for pad in [(1, 2), (1, 0, 2, 3), (-1, 1)]:
        compare(fj.nn.functional.pad(x, pad, value=1.5), torch.nn.functional.pad(to_torch(x), pad, value=1.5))
    ours, theirs = fj.nn.Parameter(x), torch.nn.Parameter(to_torch(x))
    ours.grad, theirs.grad = x * 3, to_torch(x * 3)
    compare(fj.nn.utils.clip_grad_norm_([ours], 1.0), torch.nn.utils.clip_grad_norm_([theirs], 1.0))
    compare(ours.grad, theirs.grad)
    fj.nn.utils.clip_grad_value_([ours], 0.1)
    assert float(ours.grad.abs().max()) <= 0.1 + 1e-7


def test_dropout_rate_scale_and_gradient():
    fj.manual_seed(0)
    x = fj.ones(10_000, requires_grad=True)
    y = fj.nn.Dropout(0.25)(x)
    kept = (y.detach() != 0).to(fj.float32)
    assert abs(float(kept.mean()) - 0.75) < 0.02
    compare(y, kept / 0.75)
    y.sum().backward()
    compare(x.grad, kept / 0.75)
    assert fj.nn.Dropout(0.25).eval()(x) is x or bool((fj.nn.Dropout(0.25).eval()(x) == x).all())
