"""Optimisers that give every element a rate of its own: Adagrad, RMSprop, Adadelta, Rprop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.optim.optimizer import Optimizer, counted, decayed, new_step, require


class Adagrad(Optimizer):
    """Divides by the root of the sum of all squared gradients: Duchi et al. (2011)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        require(lr >= 0, "learning rate", lr)
        require(lr_decay >= 0, "lr_decay value", lr_decay)
        require(weight_decay >= 0, "weight_decay value", weight_decay)
        require(initial_accumulator_value >= 0, "initial_accumulator_value value", initial_accumulator_value)
        require(eps >= 0, "epsilon value", eps)
        defaults = dict(
            lr=lr,
            lr_decay=lr_decay,
            eps=eps,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            fused=fused,
        )
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                self._start(self.state[parameter], parameter, group)

    @staticmethod
    def _start(state: dict[str, Any], parameter: Tensor, group: dict[str, Any]) -> None:
        state["step"] = new_step()
        state["sum"] = fj.full_like(parameter, group["initial_accumulator_value"]).detach()

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:  # of a group that was added later
            self._start(state, parameter, group)
        step = counted(state)
        grad = decayed(grad, parameter, group["weight_decay"])
        rate = float(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        state["sum"].addcmul_(grad, grad, value=1)
        parameter.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-rate)


class RMSprop(Optimizer):
    """Divides by the root of a running mean of squared gradients: Hinton's lecture 6e (2012); ``centered``: Graves (2013)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        require(lr >= 0, "learning rate", lr)
        require(eps >= 0, "epsilon value", eps)
        require(momentum >= 0, "momentum value", momentum)
        require(weight_decay >= 0, "weight_decay value", weight_decay)
        require(alpha >= 0, "alpha value", alpha)
        defaults = dict(
            lr=lr,
            momentum=momentum,
            alpha=alpha,
            eps=eps,
            centered=centered,
            weight_decay=weight_decay,
            capturable=capturable,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = new_step()
            state["square_avg"] = fj.zeros_like(parameter)
            if group["momentum"] > 0:
                state["momentum_buffer"] = fj.zeros_like(parameter)
            if group["centered"]:
                state["grad_avg"] = fj.zeros_like(parameter)
        counted(state)
        lr, alpha = float(group["lr"]), group["alpha"]
        grad = decayed(grad, parameter, group["weight_decay"])
        mean_square = state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            mean_square = mean_square.addcmul(mean, mean, value=-1)
        denominator = mean_square.sqrt().add_(group["eps"])
        if group["momentum"] > 0:
            velocity = state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, denominator)
            parameter.add_(velocity, alpha=-lr)
        else:
            parameter.addcdiv_(grad, denominator, value=-lr)


class Adadelta(Optimizer):
    """Scales by the ratio of running means of updates and gradients: Zeiler (2012)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        require(lr >= 0, "learning rate", lr)
        require(0 <= rho <= 1, "rho value", rho)
        require(eps >= 0, "epsilon value", eps)
        require(weight_decay >= 0, "weight_decay value", weight_decay)
        defaults = dict(
            lr=lr,
            rho=rho,
            eps=eps,
            weight_decay=weight_decay,
            maximize=maximize,
            capturable=capturable,
            foreach=foreach,
            differentiable=differentiable,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = new_step()
            state["square_avg"] = fj.zeros_like(parameter)
            state["acc_delta"] = fj.zeros_like(parameter)
        counted(state)
        rho, eps = group["rho"], group["eps"]
        grad = decayed(grad, parameter, group["weight_decay"])
        mean_square = state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = state["acc_delta"].add(eps).sqrt_().div_(mean_square.add(eps).sqrt_()).mul_(grad)
        state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
        parameter.add_(delta, alpha=-float(group["lr"]))


class Rprop(Optimizer):
    """Uses only the signs of gradients; a step grows while the sign stays: Riedmiller, Braun (1993)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        require(lr >= 0, "learning rate", lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = dict(
            lr=lr,
            etas=etas,
            step_sizes=step_sizes,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            capturable=capturable,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = new_step()
            state["prev"] = fj.zeros_like(parameter)
            state["step_size"] = fj.full_like(parameter, float(group["lr"])).detach()
        counted(state)
        shrink, grow = group["etas"]
        smallest, largest = group["step_sizes"]
        agreement = grad * state["prev"]
        turned = agreement < 0
        factor = fj.ones_like(grad).masked_fill_(turned, shrink).masked_fill_(agreement > 0, grow)
        state["step_size"].mul_(factor).clamp_(smallest, largest)
        grad = grad.masked_fill(turned, 0.0)  # no step where the sign turned
        parameter.addcmul_(grad.sign(), state["step_size"], value=-1)
        state["prev"].copy_(grad)
