"""Every optimiser and schedule against PyTorch's, step by step."""

import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest

import framejit as fj
from framejit import nn

torch = pytest.importorskip("torch")

OPTIONS = {
    "SGD": [dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01), dict(lr=0.1, momentum=0.9, dampening=0.5, maximize=True)],
    "ASGD": [dict(lr=0.05), dict(lr=0.05, t0=3, weight_decay=0.1, lambd=0.01)],
    "Adagrad": [dict(lr=0.1), dict(lr=0.1, lr_decay=0.05, weight_decay=0.1, initial_accumulator_value=0.2)],
    "Adadelta": [dict(), dict(lr=0.5, rho=0.8, weight_decay=0.1, maximize=True)],
    "Adam": [dict(lr=0.1, amsgrad=True, weight_decay=0.1), dict(lr=0.1, decoupled_weight_decay=True, weight_decay=0.1)],
    "AdamW": [dict(lr=0.1, weight_decay=0.3, amsgrad=True, maximize=True)],
    "Adamax": [dict(lr=0.05), dict(lr=0.05, betas=(0.8, 0.9), weight_decay=0.1)],
    "NAdam": [dict(lr=0.05), dict(lr=0.05, weight_decay=0.1, momentum_decay=0.01), dict(lr=0.05, weight_decay=0.1, decoupled_weight_decay=True)],
    "RAdam": [dict(lr=0.1), dict(lr=0.1, weight_decay=0.1, decoupled_weight_decay=True, betas=(0.7, 0.9))],
    "RMSprop": [dict(lr=0.02), dict(lr=0.02, momentum=0.5, centered=True, weight_decay=0.1)],
    "Rprop": [dict(lr=0.05), dict(lr=0.05, etas=(0.4, 1.3), step_sizes=(1e-3, 0.1))],
    "Adafactor": [dict(), dict(lr=0.1, beta2_decay=-0.5, eps=(1e-6, 1e-2), d=1.5, weight_decay=0.1), dict(maximize=True)],
    "LBFGS": [dict(lr=0.3, max_iter=5), dict(max_iter=8, line_search_fn="strong_wolfe", history_size=3), dict(lr=0.1, line_search_fn="strong_wolfe")],
}  # fmt: skip


def pair(name, options, shapes=((3, 4), (5,))):
    """The optimiser of both libraries on the same parameters, and a function that steps each of them once."""
    # A line search depends on comparisons of losses: rounding decides near the minimum.
    dtype = np.float64 if name == "LBFGS" else np.float32
    start = [np.random.default_rng(i).standard_normal(shape).astype(dtype) for i, shape in enumerate(shapes)]
    ours = [nn.Parameter(fj.from_numpy(value.copy())) for value in start]
    theirs = [torch.nn.Parameter(torch.from_numpy(value.copy())) for value in start]
    our_optimizer = getattr(fj.optim, name)(ours, **options)
    their_optimizer = getattr(torch.optim, name)(theirs, **options)

    def step():
        for optimizer, parameters in ((our_optimizer, ours), (their_optimizer, theirs)):

            def closure():
                optimizer.zero_grad()
                a, b = parameters
                loss = ((a * a).sum(0) - 1.5).pow(2).sum() + (b.sin() * 2 + b * b * 0.3).sum()
                loss.backward()
                return loss

            optimizer.step(closure)

    return our_optimizer, their_optimizer, ours, theirs, step


def compare(ours, theirs, tolerance=2e-4):
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=tolerance, atol=2e-5)


@pytest.mark.parametrize("name, options", [(n, o) for n, every in OPTIONS.items() for o in every])
def test_optimizer(name, options):
    our_optimizer, their_optimizer, ours, theirs, step = pair(name, options)
    assert repr(our_optimizer) == repr(their_optimizer)
    assert our_optimizer.defaults == their_optimizer.defaults
    for _ in range(12):
        step()
        compare(ours, theirs)
    mine, other = our_optimizer.state_dict(), their_optimizer.state_dict()
    assert mine["param_groups"] == other["param_groups"]
    if name == "LBFGS":
        assert [mine["state"][0][key] for key in ("n_iter", "func_evals")] == [
            other["state"][0][key] for key in ("n_iter", "func_evals")
        ]
        return
    assert {i: sorted(s) for i, s in mine["state"].items()} == {
        i: sorted(s) for i, s in other["state"].items()
    }
    for index, entries in other["state"].items():
        for key, value in entries.items():
            np.testing.assert_allclose(
                np.asarray(mine["state"][index][key]), np.asarray(value), rtol=2e-4, atol=2e-5
            )
    # Loaded into a new optimiser, the state goes on as the old one would.
    fresh = getattr(fj.optim, name)(ours, **options)
    fresh.load_state_dict(copy.deepcopy(mine))
    for parameter in ours:
        parameter.grad = fj.ones_like(parameter)
    before = [p.detach().clone() for p in ours]
    fresh.step()
    after = [p.detach().clone() for p in ours]
    for parameter, value in zip(ours, before):
        parameter.data.copy_(value)
    our_optimizer.step()
    assert all(bool((p == q).all()) for p, q in zip(ours, after))


def test_signatures():
    for name in OPTIONS:
        expected = list(inspect.signature(getattr(torch.optim, name).__init__).parameters)
        assert list(inspect.signature(getattr(fj.optim, name).__init__).parameters) == expected


def test_hooks_and_pickles():
    parameter = nn.Parameter(fj.ones(2))
    optimizer = fj.optim.SGD([("w", parameter)], lr=0.1, momentum=0.9)
    log = []
    handles = [
        optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append("pre")),
        optimizer.register_step_post_hook(lambda o, args, kwargs: log.append("post")),
        optimizer.register_state_dict_post_hook(lambda o, state: state | {"extra": 1}),
        optimizer.register_load_state_dict_pre_hook(lambda o, state: log.append("load")),
    ]
    parameter.grad = fj.ones(2)
    optimizer.step()
    state = optimizer.state_dict()
    assert state["extra"] == 1 and state["param_groups"][0]["param_names"] == ["w"]
    optimizer.load_state_dict(state)
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert log == ["pre", "post", "load"]
    other = pickle.loads(pickle.dumps(optimizer))
    assert other.param_groups[0]["momentum"] == 0.9
    other.param_groups[0]["params"][0].grad = fj.ones(2)
    other.step()


SCHEDULES = {
    "StepLR": dict(step_size=7, gamma=0.5),
    "MultiStepLR": dict(milestones=[5, 5, 20], gamma=0.3),
    "ConstantLR": dict(factor=0.5, total_iters=6),
    "LinearLR": dict(start_factor=0.2, end_factor=0.9, total_iters=10),
    "ExponentialLR": dict(gamma=0.9),
    "PolynomialLR": dict(total_iters=30, power=2.0),
    "CosineAnnealingLR": dict(T_max=9, eta_min=0.01),
    "CosineAnnealingWarmRestarts": dict(T_0=4, T_mult=2, eta_min=0.02),
    "CyclicLR": dict(base_lr=0.01, max_lr=0.2, step_size_up=5, step_size_down=8, mode="triangular2"),
    "CyclicLR exp": dict(base_lr=0.01, max_lr=0.2, step_size_up=5, mode="exp_range", gamma=0.95),
    "OneCycleLR": dict(max_lr=0.5, total_steps=60),
    "OneCycleLR three": dict(
        max_lr=0.5, epochs=6, steps_per_epoch=10, three_phase=True, anneal_strategy="linear"
    ),
    "LambdaLR": dict(lr_lambda=lambda step: 0.9**step),
    "MultiplicativeLR": dict(lr_lambda=lambda step: 0.97),
}


def schedulers(make, optimizer_name="SGD"):
    result = []
    for library in (fj, torch):
        parameter = library.nn.Parameter(library.ones(1))
        parameter.grad = library.zeros(1)
        other = library.nn.Parameter(library.ones(1))
        options = dict(momentum=0.9) if optimizer_name == "SGD" else {}
        groups = [{"params": [parameter]}, {"params": [other], "lr": 0.7}]
        optimizer = getattr(library.optim, optimizer_name)(groups, lr=0.3, **options)
        result.append((optimizer, make(library.optim.lr_scheduler, optimizer)))
    return result


def same_rates(pairs, steps=50):
    (our_optimizer, ours), (their_optimizer, theirs) = pairs
    for _ in range(steps):
        assert ours.get_last_lr() == pytest.approx(theirs.get_last_lr(), rel=1e-9)
        for mine, other in zip(our_optimizer.param_groups, their_optimizer.param_groups):
            assert mine["lr"] == pytest.approx(other["lr"], rel=1e-9)
            assert mine.get("momentum") == pytest.approx(other.get("momentum"))
            assert mine.get("betas") == pytest.approx(other.get("betas"))
        for optimizer, scheduler in pairs:
            optimizer.step()
            scheduler.step()


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedule(name):
    pairs = schedulers(
        lambda module, optimizer: getattr(module, name.split()[0])(optimizer, **SCHEDULES[name])
    )
    same_rates(pairs, 25)
    optimizer, ours = pairs[0]
    groups = copy.deepcopy(
        [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]
    )
    resumed = getattr(fj.optim.lr_scheduler, name.split()[0])(optimizer, **SCHEDULES[name])
    resumed.load_state_dict(ours.state_dict())
    for group, saved in zip(optimizer.param_groups, groups):
        group.update(saved)
    same_rates([(optimizer, resumed), pairs[1]], 25)


@pytest.mark.parametrize("name", ["OneCycleLR", "CyclicLR"])
def test_momentum_of_adam(name):
    same_rates(schedulers(lambda m, optimizer: getattr(m, name)(optimizer, **SCHEDULES[name]), "Adam"), 30)


@pytest.mark.parametrize("epochs", [[0, 3, 10, 4], [7]])
@pytest.mark.parametrize(
    "name", ["StepLR", "CosineAnnealingLR", "ExponentialLR", "CosineAnnealingWarmRestarts"]
)
def test_step_to_an_epoch(name, epochs):
    pairs = schedulers(lambda module, optimizer: getattr(module, name)(optimizer, **SCHEDULES[name]))
    for epoch in epochs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _, scheduler in pairs:
                scheduler.step(epoch)
        assert pairs[0][1].get_last_lr() == pytest.approx(pairs[1][1].get_last_lr())


def test_schedules_of_schedules():
    def warm_up(module, optimizer):
        first = module.LinearLR(optimizer, start_factor=0.1, total_iters=5)
        then = module.CosineAnnealingLR(optimizer, T_max=20)
        return module.SequentialLR(optimizer, [first, then], milestones=[5])

    def product(module, optimizer):
        return module.ChainedScheduler(
            [module.ConstantLR(optimizer, factor=0.1, total_iters=4), module.ExponentialLR(optimizer, 0.9)]
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for make in (warm_up, product):
            same_rates(schedulers(make), 30)


def test_plateau():
    pairs = schedulers(
        lambda m, o: m.ReduceLROnPlateau(o, factor=0.5, patience=2, cooldown=1, threshold=0.01, min_lr=0.05)
    )
    for value in [3, 2, 2, 1.999, 2, 2, 2, 2, 1.5, 1.6, 1.6, 1.6, 1.6, 1.6, 1.6, 1.6, float("inf"), 1.6]:
        for _, scheduler in pairs:
            scheduler.step(value)
        assert pairs[0][1].get_last_lr() == pytest.approx(pairs[1][1].get_last_lr())
    assert pairs[0][1].best == pairs[1][1].best


def test_averaged_weights():
    for options in ({}, dict(multi_avg_fn="ema"), dict(use_buffers=True)):
        models = []
        for library in (fj, torch):
            model = library.nn.Sequential(library.nn.Linear(2, 2), library.nn.BatchNorm1d(2))
            given = dict(options)
            if "multi_avg_fn" in given:
                given["multi_avg_fn"] = library.optim.swa_utils.get_ema_multi_avg_fn(0.9)
            average = library.optim.swa_utils.AveragedModel(model, **given)
            for i in range(4):
                with library.no_grad():
                    for j, parameter in enumerate(model.parameters()):
                        parameter.fill_(float(i * i + j))
                    model[1].running_mean.fill_(i + 0.5)
                average.update_parameters(model)
            data = [library.arange(8.0).reshape(4, 2), library.ones(4, 2)]
            library.optim.swa_utils.update_bn(data, average)
            models.append(average)
        for mine, other in zip(models[0].state_dict().values(), models[1].state_dict().values()):
            np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=1e-5, atol=1e-6)


def test_swa_schedule():
    for strategy in ("cos", "linear"):
        result = []
        for library in (fj, torch):
            optimizer = library.optim.SGD([library.nn.Parameter(library.ones(1))], lr=0.5)
            scheduler = library.optim.swa_utils.SWALR(
                optimizer, swa_lr=0.05, anneal_epochs=6, anneal_strategy=strategy
            )
            rates = []
            for _ in range(10):
                optimizer.step()
                scheduler.step()
                rates.append(scheduler.get_last_lr()[0])
            result.append(rates)
        assert result[0] == pytest.approx(result[1])


def test_scheduler_before_optimizer_warns():
    optimizer = fj.optim.SGD([nn.Parameter(fj.ones(1))], lr=1.0)
    scheduler = fj.optim.lr_scheduler.StepLR(optimizer, 3)
    with pytest.warns(
        UserWarning, match="Detected call of `lr_scheduler.step\\(\\)` before `optimizer.step\\(\\)`"
    ):
        scheduler.step()


@pytest.mark.parametrize("options", [dict(lr=0.02), dict(nesterov=False, momentum=0.8, ns_steps=3), dict(adjust_lr_fn="match_rms_adamw")])
@pytest.mark.parametrize("shape", [(6, 4), (3, 7)])
def test_muon(shape, options):
    """Steps are computed in bfloat16, whose sums of products may be rounded in another order."""
    start = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    results = []
    for library in (fj, torch):
        parameter = library.nn.Parameter(library.tensor(start))
        optimizer = library.optim.Muon([parameter], **options)
        for _ in range(5):
            optimizer.zero_grad()
            (parameter.sin() * parameter).sum().backward()
            optimizer.step()
        results.append((optimizer.defaults, repr(optimizer)))
        results[-1] += (parameter.detach().numpy() - start, optimizer.state[parameter]["momentum_buffer"].numpy())
    (defaults, text, moved, velocity), (their_defaults, their_text, their_moved, their_velocity) = results
    assert defaults == their_defaults and text == their_text
    np.testing.assert_allclose(moved, their_moved, atol=0.06 * np.abs(their_moved).max())
    np.testing.assert_allclose(velocity, their_velocity, rtol=0.02, atol=1e-3)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda o, p: o.Muon(p), "Muon only supports 2D parameters"),
        (lambda o, p: o.Muon(p, adjust_lr_fn="x"), "Adjust learning rate function x is not supported"),
        (lambda o, p: o.Muon(p, momentum=-1), "momentum should be >= 0 but is: -1"),
        (lambda o, p: o.Adafactor(p, lr=-1), "Learning rate should be >= 0 but is: -1"),
        (lambda o, p: o.Adafactor(p, d=0.5), "Clipping threshold d should be >= 1 but is: 0.5"),
        (lambda o, p: o.Adafactor(p, eps=(None, -1)), "epsilon2 should be >= 0 but is: -1"),
        (lambda o, p: o.Adafactor(p, beta2_decay=1.0), "beta2_decay should be <= 0 but is: 1.0"),
    ],
)
def test_errors_of_matrix_optimisers(make, message):
    for library in (fj, torch):
        parameter = library.nn.Parameter(library.ones(3, 1))
        parameters = [library.nn.Parameter(library.ones(3))] if "2D" in message else [parameter]
        with pytest.raises(ValueError, match=message):
            make(library.optim, parameters)
