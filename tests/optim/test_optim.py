"""Optimisers against PyTorch over several steps; groups, state dicts, schedules, errors."""

import numpy as np
import pytest

import framejit as fj
from framejit import nn

OPTIONS = {
    "SGD": [
        dict(lr=0.1),
        dict(lr=0.1, momentum=0.9, weight_decay=0.01),
        dict(lr=0.1, momentum=0.9, nesterov=True),
        dict(lr=0.1, momentum=0.9, dampening=0.5, maximize=True),
    ],
    "Adam": [dict(lr=0.1), dict(lr=0.01, betas=(0.8, 0.9), weight_decay=0.1), dict(lr=0.1, amsgrad=True)],
    "AdamW": [dict(lr=0.1), dict(lr=0.1, weight_decay=0.3, amsgrad=True, maximize=True)],
}


def loss_of(x, target):
    return ((x * x).sum(0) - target).abs().sum()


@pytest.mark.parametrize("name, options", [(n, o) for n, all_options in OPTIONS.items() for o in all_options])
def test_against_torch(name, options):
    torch = pytest.importorskip("torch")
    start = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    target = np.arange(4, dtype=np.float32)
    ours, theirs = (
        nn.Parameter(fj.from_numpy(start.copy())),
        torch.nn.Parameter(torch.from_numpy(start.copy())),
    )
    our_optimizer = getattr(fj.optim, name)([ours], **options)
    their_optimizer = getattr(torch.optim, name)([theirs], **options)
    for _ in range(10):
        for optimizer, parameter, wrap in (
            (our_optimizer, ours, fj.from_numpy),
            (their_optimizer, theirs, torch.from_numpy),
        ):
            optimizer.zero_grad()
            loss_of(parameter, wrap(target)).backward()
            optimizer.step()
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=2e-5, atol=2e-6)


def test_state_dict_resumes_exactly():
    def train(parameter, optimizer, steps):
        for _ in range(steps):
            optimizer.zero_grad()
            (parameter**4).sum().backward()
            optimizer.step()

    a = nn.Parameter(fj.ones(3))
    first = fj.optim.Adam([a], lr=0.1)
    train(a, first, 3)
    b = nn.Parameter(a.detach().clone())
    second = fj.optim.Adam([b], lr=0.5)
    second.load_state_dict(first.state_dict())
    train(a, first, 3)
    train(b, second, 3)
    assert bool((a == b).all())


def test_groups_and_closure():
    a, b = nn.Parameter(fj.ones(1)), nn.Parameter(fj.ones(1))
    optimizer = fj.optim.SGD([{"params": [a]}, {"params": [b], "lr": 1.0}], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (a + b).sum()
        loss.backward()
        return loss

    assert float(optimizer.step(closure)) == 2.0
    np.testing.assert_allclose([float(a), float(b)], [0.9, 0.0], atol=1e-7)
    assert optimizer.param_groups[1]["lr"] == 1.0


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda p: fj.optim.SGD([], lr=1), ValueError, "empty parameter list"),
        (lambda p: fj.optim.SGD(p, lr=1), TypeError, "iterable of Tensors"),
        (lambda p: fj.optim.SGD([p], lr=-1), ValueError, "Invalid learning rate: -1"),
        (lambda p: fj.optim.SGD([p], lr=1, nesterov=True), ValueError, "Nesterov momentum requires"),
        (
            lambda p: fj.optim.Adam([p], betas=(1.0, 0.9)),
            ValueError,
            "Invalid beta parameter at index 0: 1.0",
        ),
        (
            lambda p: fj.optim.SGD([{"params": [p]}, {"params": [p]}], lr=1),
            ValueError,
            "more than one parameter group",
        ),
        (lambda p: fj.optim.SGD([p * 2], lr=1), ValueError, "non-leaf"),
        (lambda p: fj.optim.SGD([3], lr=1), TypeError, "can only optimize Tensors"),
    ],
)
def test_errors(make, error, message):
    with pytest.raises(error, match=message):
        make(nn.Parameter(fj.ones(2)))


def test_schedules():
    def rates(make, steps=5):
        optimizer = fj.optim.SGD([nn.Parameter(fj.ones(1))], lr=1.0)
        schedule = make(optimizer)
        seen = []
        for _ in range(steps):
            seen.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        return seen

    schedules = fj.optim.lr_scheduler
    assert rates(lambda o: schedules.StepLR(o, 2, 0.5)) == [1, 1, 0.5, 0.5, 0.25]
    assert rates(lambda o: schedules.MultiStepLR(o, [1, 3], 0.5)) == [1, 0.5, 0.5, 0.25, 0.25]
    assert rates(lambda o: schedules.ExponentialLR(o, 0.5), 3) == [1, 0.5, 0.25]
    assert rates(lambda o: schedules.LambdaLR(o, lambda step: step + 1), 3) == [1, 2, 3]
    np.testing.assert_allclose(
        rates(lambda o: schedules.CosineAnnealingLR(o, 4)), [1, 0.853553, 0.5, 0.146447, 0], atol=1e-6
    )
