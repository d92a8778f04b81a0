"""Stochastic gradient descent, plain, with momentum, and averaged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.optim.optimizer import Optimizer, counted, decayed, new_step, require


class SGD(Optimizer):
    """``p -= lr * v`` with ``v = momentum * v + (1 - dampening) * g``; Nesterov's form with ``nesterov``.

    Source: Sutskever et al., *On the importance of initialization and momentum in deep learning* (2013), in PyTorch's
    form, where the learning rate multiplies the whole velocity. ``foreach``, ``differentiable`` and ``fused`` are
    accepted and change nothing.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        require(lr >= 0, "learning rate", lr)
        require(momentum >= 0, "momentum value", momentum)
        require(weight_decay >= 0, "weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = dict(
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            nesterov=nesterov,
            maximize=maximize,
            foreach=foreach,
            differentiable=differentiable,
            fused=fused,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        grad = decayed(grad, parameter, group["weight_decay"])
        momentum = group["momentum"]
        if momentum != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.clone().detach()
            else:
                velocity.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
        parameter.add_(grad, alpha=-float(group["lr"]))


class ASGD(Optimizer):
    """SGD with a falling rate; ``state["ax"]`` is the average of the iterates after ``t0`` steps.

    Source: Polyak, Juditsky, *Acceleration of stochastic approximation by averaging* (1992).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        require(lr >= 0, "learning rate", lr)
        require(weight_decay >= 0, "weight_decay value", weight_decay)
        defaults = dict(
            lr=lr,
            lambd=lambd,
            alpha=alpha,
            t0=t0,
            weight_decay=weight_decay,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            capturable=capturable,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, lambd = float(group["lr"]), group["lambd"]
        if not state:
            state["step"] = new_step()
            state["eta"] = fj.tensor(lr)
            state["mu"] = fj.tensor(1.0)
            state["ax"] = fj.zeros_like(parameter)
        step, eta, mu, average = counted(state), float(state["eta"]), float(state["mu"]), state["ax"]
        grad = decayed(grad, parameter, group["weight_decay"])
        parameter.mul_(1 - lambd * eta).add_(grad, alpha=-eta)
        average.add_(parameter.sub(average).mul_(mu))
        state["eta"] = fj.tensor(lr / (1 + lambd * lr * step) ** group["alpha"])
        state["mu"] = fj.tensor(1 / max(1.0, step - group["t0"]))
