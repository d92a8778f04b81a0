"""Schedules that follow cosines and cycles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from framejit.optim.lr_scheduler.base import LRScheduler, one_per_group, set_lr
from framejit.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """From the initial rate to ``eta_min`` along half a cosine of ``T_max`` steps.

    Source: Loshchilov, Hutter, *SGDR: Stochastic gradient descent with warm restarts* (2017), without the restarts.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        step, rates = self.last_epoch, self._rates()
        if step == 0 or self._is_initial:
            return rates
        if self._step_count == 1 and step > 0:
            return self._get_closed_form_lr()
        if (step - 1 - self.T_max) % (
            2 * self.T_max
        ) == 0:  # it was at eta_min: the ratio below would divide by zero
            turn = (1 - math.cos(math.pi / self.T_max)) / 2
            return [rate + (base - self.eta_min) * turn for rate, base in zip(rates, self.base_lrs)]
        ratio = (1 + math.cos(math.pi * step / self.T_max)) / (
            1 + math.cos(math.pi * (step - 1) / self.T_max)
        )
        return [(rate - self.eta_min) * ratio + self.eta_min for rate in rates]

    def _get_closed_form_lr(self) -> list[float]:
        weight = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * weight for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines of ``T_0``, ``T_0 * T_mult``, ... steps, each from the initial rate: Loshchilov, Hutter (2017)."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        weight = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * weight for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Goes to the next step, or to ``epoch``, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._restart_before(epoch)
        self.last_epoch = math.floor(epoch)
        self._step_count += 1
        for group, lr in zip(self._groups(), self.get_lr()):
            set_lr(group, lr)
        self._last_lr = [group["lr"] for group in self._groups()]

    def _restart_before(self, epoch: float) -> None:
        """Finds the period that ``epoch`` is in."""
        start, length = 0.0, self.T_0
        if self.T_mult == 1:
            start = epoch // length * length
        while epoch >= start + length:
            start += length
            length *= self.T_mult
        self.T_cur, self.T_i = epoch - start, length


class CyclicLR(LRScheduler):
    """Up from ``base_lr`` to ``max_lr`` and down again: Smith, *Cyclical learning rates* (2017)."""

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.optimizer = optimizer
        groups = optimizer.param_groups
        if last_epoch == -1:
            for group, lr in zip(groups, one_per_group("base_lr", base_lr, optimizer)):
                set_lr(group, lr)
        self.max_lrs = one_per_group("max_lr", max_lr, optimizer)
        up, down = float(step_size_up), float(step_size_up if step_size_down is None else step_size_down)
        self.total_size, self.step_ratio = up + down, up / (up + down)
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom, self.scale_mode = scale_fn, scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = one_per_group("base_lr", base_lr, optimizer)

    def _start_momentum(self, base_momentum: float, max_momentum: float, last_epoch: int) -> None:
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.base_momentums = one_per_group("base_momentum", base_momentum, self.optimizer)
        self.max_momentums = one_per_group("max_momentum", max_momentum, self.optimizer)
        if last_epoch == -1:
            for group, momentum in zip(self.optimizer.param_groups, self.base_momentums):
                _set_momentum(group, momentum)

    def scale_fn(self, x: float) -> float:
        """How much of the amplitude is left at cycle (or iteration) ``x``."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return {"triangular": 1.0, "triangular2": 1 / 2.0 ** (x - 1)}.get(self.mode, self.gamma**x)

    def get_lr(self) -> list[float]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self._groups(), self.base_momentums, self.max_momentums):
                _set_momentum(group, high - (high - low) * height)
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs)]


class OneCycleLR(LRScheduler):
    """Up to ``max_lr``, then down to far below the start; momentum the other way: Smith, Topin (2018)."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = optimizer
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        # (step it ends at, rate at its start and end, momentum at its start and end), by keys of the group
        rise = float(pct_start * self.total_steps) - 1
        up = (rise, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        if three_phase:
            self._schedule_phases = [
                up,
                (
                    float(2 * pct_start * self.total_steps) - 2,
                    "max_lr",
                    "initial_lr",
                    "base_momentum",
                    "max_momentum",
                ),
                (self.total_steps - 1.0, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            self._schedule_phases = [
                up,
                (self.total_steps - 1.0, "max_lr", "min_lr", "base_momentum", "max_momentum"),
            ]
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, one_per_group("max_lr", max_lr, optimizer)):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _start_momentum(self, base_momentum: Any, max_momentum: Any, last_epoch: int) -> None:
        if "momentum" not in self.optimizer.defaults and "betas" not in self.optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        if last_epoch != -1:
            return
        lows = one_per_group("base_momentum", base_momentum, self.optimizer)
        highs = one_per_group("max_momentum", max_momentum, self.optimizer)
        for group, low, high in zip(self.optimizer.param_groups, lows, highs):
            _set_momentum(group, high)
            group["max_momentum"], group["base_momentum"] = high, low

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> list[float]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        start = 0.0
        for phase in self._schedule_phases:
            end, lr_from, lr_to, momentum_from, momentum_to = phase
            if step <= end or phase is self._schedule_phases[-1]:
                break
            start = end
        part = (step - start) / (end - start)
        if self.cycle_momentum:
            for group in self._groups():
                _set_momentum(group, self._between(group[momentum_from], group[momentum_to], part))
        return [self._between(group[lr_from], group[lr_to], part) for group in self._groups()]


def _total_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
        if value <= 0 or not isinstance(value, int):
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return epochs * steps_per_epoch


def _set_momentum(group: dict[str, Any], momentum: float) -> None:
    """Sets the momentum of SGD, or the first beta of Adam."""
    if "momentum" in group:
        group["momentum"] = momentum
    else:
        group["betas"] = (momentum, *group["betas"][1:])
