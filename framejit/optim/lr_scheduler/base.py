"""``LRScheduler``, the base class of schedules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from framejit.optim.optimizer import Optimizer


def set_lr(group: dict[str, Any], lr: Any) -> None:
    """Sets a rate; one that is a tensor keeps its identity."""
    if hasattr(group["lr"], "fill_"):
        group["lr"].fill_(float(lr))
    else:
        group["lr"] = lr


def one_per_group(name: str, value: Any, optimizer: Optimizer) -> list[float]:
    """One value for each group, from one for all or from a list of them. ValueError: the list has another length."""
    if not isinstance(value, (list, tuple)):
        return [value] * len(optimizer.param_groups)
    if len(value) != len(optimizer.param_groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {len(optimizer.param_groups)}."
        )
    return list(value)


class LRScheduler:
    """Base class: a subclass defines ``get_lr()``, the rates of all groups at ``last_epoch``."""

    _get_closed_form_lr: Callable[[], list[float]] | None = None

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming an optimizer"
                )
        self.base_lrs: list[Any] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def get_last_lr(self) -> list[float]:
        """The rates that the last step set."""
        return self._last_lr

    def get_lr(self) -> list[float]:
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Goes to the next step, or to ``epoch``."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. You should call them in the opposite "
                "order: `optimizer.step()` before `lr_scheduler.step()`. Failure to do this will result in skipping the "
                "first value of the learning rate schedule.",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        if epoch is None:
            self.last_epoch += 1
            rates = self.get_lr()
        else:
            self.last_epoch = epoch
            rates = self.get_lr() if self._get_closed_form_lr is None else self._get_closed_form_lr()
        for group, lr in zip(self.optimizer.param_groups, rates):
            set_lr(group, lr)
        self._last_lr: list[float] = [group["lr"] for group in self.optimizer.param_groups]

    def _groups(self) -> list[dict[str, Any]]:
        return self.optimizer.param_groups

    def _rates(self) -> list[float]:
        """The current rates, which a chainable schedule starts from."""
        return [float(group["lr"]) for group in self._groups()]

    def _scaled(self, factor: float) -> list[float]:
        return [rate * factor for rate in self._rates()]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.__dict__.update(state_dict)


_LRScheduler = LRScheduler  # the old name
