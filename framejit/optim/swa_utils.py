"""Averages of weights along training: Izmailov et al., *Averaging weights leads to wider optima* (2018)."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn.modules.batchnorm import _BatchNorm
from framejit.nn.modules.module import Module
from framejit.optim.lr_scheduler import LRScheduler
from framejit.optim.optimizer import Optimizer

_Average = Callable[[Tensor, Tensor, Any], Tensor]


def get_ema_avg_fn(decay: float = 0.999) -> _Average:
    """An exponential moving average for :class:`AveragedModel`'s ``avg_fn``."""
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")
    return lambda average, current, count: decay * average + (1 - decay) * current


def get_swa_avg_fn() -> _Average:
    """The plain mean for :class:`AveragedModel`'s ``avg_fn``."""
    return lambda average, current, count: average + (current - average) / (count + 1)


def _over_lists(average: _Average) -> Callable[[list[Tensor], list[Tensor], Any], None]:
    def update(averages: list[Tensor], currents: list[Tensor], count: Any) -> None:
        with fj.no_grad():
            for old, new in zip(averages, currents):
                old.copy_(average(old, new, count))

    return update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[list[Tensor], list[Tensor], Any], None]:
    """:func:`get_ema_avg_fn` over lists, for ``multi_avg_fn``."""
    return _over_lists(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Callable[[list[Tensor], list[Tensor], Any], None]:
    """:func:`get_swa_avg_fn` over lists, for ``multi_avg_fn``."""
    return _over_lists(get_swa_avg_fn())


class AveragedModel(Module):
    """A copy of ``model`` whose parameters are the average of those it is updated with.

    Args:
        avg_fn: ``(average, current, number of updates so far) -> new average``; default the mean.
        multi_avg_fn: the same over lists, in place.
        use_buffers: average the buffers too, instead of copying them.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: _Average | None = None,
        multi_avg_fn: Callable[[list[Tensor], list[Tensor], Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", fj.tensor(0, dtype=fj.int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes the parameters of ``model`` into the average."""
        averages, currents = self._averaged(self.module), [t.detach() for t in self._averaged(model)]
        with fj.no_grad():
            if not int(self.n_averaged):
                for average, current in zip(averages, currents):
                    average.copy_(current)
            else:
                update = self.multi_avg_fn or _over_lists(self.avg_fn or get_swa_avg_fn())
                update([a.detach() for a in averages], currents, self.n_averaged)
            if not self.use_buffers:
                for own, theirs in zip(self.module.buffers(), model.buffers()):
                    own.copy_(theirs)
            self.n_averaged += 1

    def _averaged(self, model: Module) -> list[Tensor]:
        return [*model.parameters(), *(model.buffers() if self.use_buffers else ())]


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recomputes the running statistics of all batch norms over the data of ``loader``."""
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None  # the cumulative average
    with fj.no_grad():
        for batch in loader:
            input = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(input if device is None else input.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """From the current rate to ``swa_lr`` over ``anneal_epochs`` steps, then constant."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(
                f"swa_lr should have the same length as optimizer.param_groups: swa_lr has {len(rates)}, "
                f"optimizer.param_groups has {len(groups)}"
            )
        for rate, group in zip(rates, groups):
            group["swa_lr"] = rate
        self._anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _weight(self, epoch: int) -> float:
        """How much of ``swa_lr`` the rate at ``epoch`` holds."""
        t = max(0.0, min(1.0, epoch / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self) -> list[float]:
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._weight(max(0, step - 1)), self._weight(step)
        rates = []
        for group in self.optimizer.param_groups:
            if before == 1:
                rates.append(group["swa_lr"])
            else:  # the rate annealing began with, from the current one
                start = (group["lr"] - before * group["swa_lr"]) / (1 - before)
                rates.append(group["swa_lr"] * now + start * (1 - now))
        return rates
