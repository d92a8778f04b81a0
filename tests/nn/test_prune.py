"""Pruning against PyTorch's: masks, state dicts, several prunings of one parameter, errors."""

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")
pytest.importorskip("torch.nn.utils.prune")  # its parents do not import it

LIBRARIES = (fj, torch)
WEIGHT = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)


def model(library):
    made = library.nn.Sequential(library.nn.Linear(6, 4), library.nn.ReLU(), library.nn.Linear(4, 3))
    with library.no_grad():
        made[0].weight.copy_(library.tensor(WEIGHT))
        made[2].weight.copy_(library.tensor(WEIGHT[:3, :4] * 2))
    return made


def same_masks(prune):
    """``prune(prune module, model)`` leaves the same masks and weights in both libraries."""
    ours, theirs = (model(library) for library in LIBRARIES)
    for library, made in zip(LIBRARIES, (ours, theirs)):
        prune(library.nn.utils.prune, made)
    state, their_state = dict(ours.state_dict()), dict(theirs.state_dict())
    assert list(state) == list(their_state)
    for name in (name for name in state if "bias" not in name):
        np.testing.assert_array_equal(state[name].numpy(), their_state[name].numpy())
    np.testing.assert_array_equal(ours[0].weight.detach().numpy(), theirs[0].weight.detach().numpy())
    return ours


@pytest.mark.parametrize(
    "prune",
    [
        lambda p, m: p.l1_unstructured(m[0], "weight", 5),
        lambda p, m: p.l1_unstructured(m[0], "weight", 0.3),
        lambda p, m: p.identity(m[0], "weight"),
        lambda p, m: p.ln_structured(m[0], "weight", 2, n=2, dim=1),
        lambda p, m: p.ln_structured(m[0], "weight", 0.5, n=float("inf"), dim=0),
        lambda p, m: (p.l1_unstructured(m[0], "weight", 5), p.l1_unstructured(m[0], "weight", 5)),
        lambda p, m: (p.ln_structured(m[0], "weight", 2, 1, 1), p.ln_structured(m[0], "weight", 2, 2, -1)),
        lambda p, m: (p.ln_structured(m[0], "weight", 1, 1, 0), p.l1_unstructured(m[0], "weight", 0.5)),
        lambda p, m: p.global_unstructured([(m[0], "weight"), (m[2], "weight")], p.L1Unstructured, amount=0.4),
        lambda p, m: (
            p.l1_unstructured(m[2], "weight", 4),
            p.global_unstructured([(m[0], "weight"), (m[2], "weight")], p.L1Unstructured, amount=9),
        ),
    ],
)  # fmt: skip
def test_as_in_torch(prune):
    same_masks(prune)


def test_scores_and_masks_of_ones_own():
    for library in LIBRARIES:
        prune, made = library.nn.utils.prune, model(library)
        mask = library.tensor((WEIGHT > 0).astype(np.float32))
        prune.custom_from_mask(made[0], "weight", mask)
        assert (made[0].weight_mask == mask).all()
        scores = library.arange(12.0).reshape(3, 4)
        prune.l1_unstructured(made[2], "weight", 5, importance_scores=scores)
        assert made[2].weight_mask.flatten().tolist() == [0.0] * 5 + [1.0] * 7


def test_random_methods():
    prune, made = fj.nn.utils.prune, model(fj)
    prune.random_unstructured(made[0], "weight", 7)
    assert (made[0].weight_mask == 0).sum() == 7
    prune.random_structured(made[2], "weight", amount=2, dim=1)
    assert sorted(made[2].weight_mask.sum(0).tolist()) == [0, 0, 3, 3]
    pruned = prune.RandomUnstructured(0.5).prune(fj.ones(4, 4))
    assert pruned.sum() == 8


def test_training_and_removal():
    made = model(fj)
    prune = fj.nn.utils.prune
    prune.l1_unstructured(made[0], "weight", 0.5)
    assert prune.is_pruned(made) and not prune.is_pruned(made[2])
    optimizer = fj.optim.SGD(made.parameters(), lr=0.1)
    for run in (made, fj.compile(made)):
        optimizer.zero_grad()
        run(fj.ones(2, 6)).sum().backward()
        optimizer.step()
    mask = made[0].weight_mask
    assert made[0].weight_orig.grad[mask == 0].abs().sum() == 0
    made(fj.ones(6))  # the hook renews the weight
    weight = made[0].weight.detach().clone()
    prune.remove(made[0], "weight")
    assert isinstance(made[0].weight, fj.nn.Parameter) and not prune.is_pruned(made)
    assert (made[0].weight == weight).all() and (weight[mask == 0] == 0).all()
    assert sorted(made[0].state_dict()) == ["bias", "weight"]


@pytest.mark.parametrize(
    "use, error, message",
    [
        (lambda p, m: p.l1_unstructured(m[0], "weight", 1.5), ValueError, "amount=1.5 should either be a float"),
        (lambda p, m: p.l1_unstructured(m[0], "weight", "x"), TypeError, "Invalid type for amount: x"),
        (lambda p, m: p.l1_unstructured(m[0], "weight", 100), ValueError, "amount=100 should be smaller than the number"),
        (lambda p, m: p.ln_structured(m[0], "bias", 1, 2, 0), ValueError, "Structured pruning can only be applied"),
        (lambda p, m: p.ln_structured(m[0], "weight", 1, 2, 5), IndexError, "Invalid index 5 for tensor of size"),
        (lambda p, m: p.remove(m[0], "weight"), ValueError, "has to be pruned before pruning can be removed"),
        (
            lambda p, m: p.global_unstructured([(m[0], "weight")], p.LnStructured, amount=1, n=2),
            TypeError,
            'Only "unstructured" PRUNING_TYPE supported',
        ),
        (lambda p, m: p.global_unstructured(3, p.L1Unstructured, amount=1), TypeError, "not an Iterable"),
    ],
)
def test_errors(use, error, message):
    for library in LIBRARIES:
        made = model(library)
        with pytest.raises(error, match=message):
            use(library.nn.utils.prune, made)
        assert "weight" in made[0].state_dict()
