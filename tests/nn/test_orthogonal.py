"""``parametrizations.orthogonal`` against PyTorch's."""

import numpy as np
import pytest

import framejit as fj
from framejit import nn

torch = pytest.importorskip("torch")

MAPS = ("matrix_exp", "cayley", "householder")
SHAPES = [(4, 4), (5, 3), (3, 5)]


def orthogonal(library, start, orthogonal_map, trivial):
    module = library.nn.Linear(start.shape[1], start.shape[0], bias=False, dtype=library.float64)
    with library.no_grad():
        module.weight.copy_(library.tensor(start))
    parametrizations = library.nn.utils.parametrizations
    return parametrizations.orthogonal(module, orthogonal_map=orthogonal_map, use_trivialization=trivial)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("orthogonal_map", MAPS)
def test_values_and_gradients(orthogonal_map, shape):
    """From the same unconstrained matrix."""
    rng = np.random.default_rng(0)
    start, target = rng.standard_normal(shape), rng.standard_normal(shape)
    results = []
    for library in (fj, torch):
        module = orthogonal(library, start, orthogonal_map, trivial=False)
        original = module.parametrizations.weight.original
        with library.no_grad():
            original.copy_(library.tensor(np.sign(start) if orthogonal_map == "householder" else start))
            original.tril_(-1 if orthogonal_map == "householder" else 0)
            original.diagonal().fill_(1.0)
        ((module.weight - library.tensor(target)) ** 2).sum().backward()
        results.append([module.weight.detach().numpy(), original.grad.numpy()])
    for ours, theirs in zip(*results):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("orthogonal_map", MAPS)
def test_assignment(orthogonal_map, shape):
    start = np.random.default_rng(1).standard_normal(shape)
    wide = shape[0] < shape[1]
    expected = np.linalg.qr(start.T if wide else start)[0]
    expected = expected.T if wide else expected
    for trivial in (True, False):
        if not trivial and orthogonal_map != "householder":
            module = nn.utils.parametrizations.orthogonal(nn.Linear(*shape), "weight", orthogonal_map, use_trivialization=False)
            with pytest.raises(NotImplementedError, match="It is not possible to assign"):
                module.weight = fj.ones(shape[::-1])
            continue
        module = orthogonal(fj, expected, orthogonal_map, trivial)
        np.testing.assert_allclose(module.weight.detach().numpy(), expected, atol=1e-12)
        module.weight = fj.tensor(-expected)
        np.testing.assert_allclose(module.weight.detach().numpy(), -expected, atol=1e-12)
    if shape[0] == shape[1]:  # any matrix: its orthogonal factor
        got = orthogonal(fj, start, orthogonal_map, True).weight.detach().numpy()
        theirs = orthogonal(torch, start, orthogonal_map, True).weight.detach().numpy()
        np.testing.assert_allclose(got, theirs, atol=1e-12)


def test_training_keeps_it_orthogonal():
    module = nn.utils.parametrizations.orthogonal(nn.Linear(3, 5))
    optimizer = fj.optim.SGD(module.parameters(), lr=0.5)
    before = module.weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        module(fj.ones(2, 3)).square().sum().backward()
        optimizer.step()
    weight = module.weight.detach()
    assert not fj.allclose(weight, before)
    np.testing.assert_allclose((weight.mT @ weight).numpy(), np.eye(3), atol=1e-5)


@pytest.mark.parametrize(
    "use, message",
    [
        (lambda lib, o: o(lib.nn.Linear(2, 2), "nothing"), "has no parameter or buffer with name 'nothing'"),
        (lambda lib, o: o(lib.nn.Linear(2, 2), "bias"), "Expected a matrix or batch of matrices. Got a tensor of 1 dimensions"),
        (lambda lib, o: o(lib.nn.Linear(2, 2), orthogonal_map="x"), "orthogonal_map has to be one of"),
        (
            lambda lib, o: o(lib.nn.Linear(2, 2, dtype=lib.complex64), orthogonal_map="householder"),
            "does not support complex tensors",
        ),
    ],
)
def test_errors(use, message):
    for library in (fj, torch):
        with pytest.raises(ValueError, match=message):
            use(library, library.nn.utils.parametrizations.orthogonal)
