"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from framejit import Tensor
from framejit.optim.optimizer import Optimizer, require


class SGD(Optimizer):
    """``p -= lr * v`` with ``v = momentum * v + (1 - dampening) * g``; Nesterov's form with ``nesterov``.

    Source: Sutskever et al., *On the importance of initialization and momentum in deep learning* (2013), in PyTorch's
    form, where the learning rate multiplies the whole velocity.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        require(lr >= 0, "learning rate", lr, "at least 0")
        require(momentum >= 0, "momentum value", momentum, "at least 0")
        require(weight_decay >= 0, "weight_decay value", weight_decay, "at least 0")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = dict(
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            nesterov=nesterov,
            maximize=maximize,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if group["weight_decay"] != 0:
            grad = grad.add(parameter, alpha=group["weight_decay"])
        momentum = group["momentum"]
        if momentum != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.clone().detach()
            else:
                velocity.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
        parameter.add_(grad, alpha=-group["lr"])
