"""Schedules given by functions of the step."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from framejit.optim.lr_scheduler.base import LRScheduler
from framejit.optim.optimizer import Optimizer


class LambdaLR(LRScheduler):
    """Initial rate times ``lr_lambda(step)``; one function, or one for each group."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        count = len(optimizer.param_groups)
        functions: Any = lr_lambda
        self.lr_lambdas: list[Callable[[int], float]] = (
            list(functions) if isinstance(functions, (list, tuple)) else [functions] * count
        )
        if len(self.lr_lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * factor(self.last_epoch) for base, factor in zip(self.base_lrs, self.lr_lambdas)]

    def state_dict(self) -> dict[str, Any]:
        """As everywhere; of the functions only the attributes of callable objects are kept."""
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [
            None if isinstance(fn, types.FunctionType) else fn.__dict__.copy() for fn in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        kept = dict(state_dict)
        attributes = kept.pop("lr_lambdas")
        self.__dict__.update(kept)
        for fn, saved in zip(self.lr_lambdas, attributes):
            if saved is not None:
                fn.__dict__.update(saved)


class MultiplicativeLR(LambdaLR):
    """Current rate times ``lr_lambda(step)``."""

    def get_lr(self) -> list[float]:
        if self.last_epoch <= 0:
            return self._rates()
        return [rate * factor(self.last_epoch) for rate, factor in zip(self._rates(), self.lr_lambdas)]
