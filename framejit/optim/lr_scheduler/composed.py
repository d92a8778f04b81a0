"""Schedules made of schedules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from framejit.optim.lr_scheduler.base import LRScheduler, set_lr
from framejit.optim.optimizer import Optimizer


class _Composite(LRScheduler):
    """Several schedules on one optimiser."""

    _schedulers: list[Any]

    def _check(self, schedulers: Sequence[Any], optimizer: Optimizer) -> None:
        if not schedulers:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        for index, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(
                    f"{type(self).__name__} at index {index} should have `optimizer` as its attribute."
                )
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"{type(self).__name__} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {index} of another one."
                )

    def state_dict(self) -> dict[str, Any]:
        state = {
            key: value for key, value in self.__dict__.items() if key not in ("optimizer", "_schedulers")
        }
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        kept = dict(state_dict)
        for scheduler, state in zip(self._schedulers, kept.pop("_schedulers")):
            scheduler.load_state_dict(state)
        self.__dict__.update(kept)


class SequentialLR(_Composite):
    """One schedule after the other; each ends at its milestone."""

    def __init__(
        self, optimizer: Optimizer, schedulers: list[Any], milestones: list[int], last_epoch: int = -1
    ) -> None:
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self.optimizer = optimizer
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch + 1
        # Making the schedulers has stepped each of them: undo that, then let the first one begin.
        for group in optimizer.param_groups:
            set_lr(group, group["initial_lr"])
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Composite):
    """All schedules at every step: their factors multiply."""

    def __init__(self, schedulers: Sequence[Any], optimizer: Optimizer | None = None) -> None:
        self.optimizer = optimizer or schedulers[0].optimizer
        self._check(schedulers, self.optimizer)
        self._schedulers = list(schedulers)
        self._last_lr = [group["lr"] for group in self._groups()]

    def step(self) -> None:  # type: ignore[override]
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self._groups()]
