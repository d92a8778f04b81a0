"""Adam and its variants."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.optim.optimizer import Optimizer, counted, decayed, new_step, require


def _check(lr: Any, betas: tuple[float, float], eps: float, weight_decay: float) -> None:
    require(lr >= 0, "learning rate", lr)
    require(eps >= 0, "epsilon value", eps)
    for i, beta in enumerate(betas):
        require(0 <= beta < 1, f"beta parameter at index {i}", beta)
    require(weight_decay >= 0, "weight_decay value", weight_decay)


def _with_decay(parameter: Tensor, grad: Tensor, group: dict[str, Any]) -> Tensor:
    """Shrinks the parameter (decoupled decay), or returns the gradient with the decay added."""
    if group.get("decoupled_weight_decay"):
        if group["weight_decay"] != 0:
            parameter.mul_(1 - float(group["lr"]) * group["weight_decay"])
        return grad
    return decayed(grad, parameter, group["weight_decay"])


def _moments(state: dict[str, Any], grad: Tensor, betas: tuple[float, float]) -> tuple[Tensor, Tensor]:
    """The running means of the gradient and of its square, brought up to date."""
    beta1, beta2 = betas
    mean = state["exp_avg"].lerp_(grad, 1 - beta1)
    return mean, state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)


class Adam(Optimizer):
    """Adam: Kingma, Ba, *Adam: a method for stochastic optimization* (2015). ``weight_decay`` is added to the gradient.

    With ``amsgrad`` the second moment never shrinks (Reddi et al., *On the convergence of Adam and beyond*, 2018).
    ``foreach``, ``capturable``, ``differentiable`` and ``fused`` are accepted and change nothing.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        defaults = dict(
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            amsgrad=amsgrad,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=decoupled_weight_decay,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = new_step()
            state["exp_avg"] = fj.zeros_like(parameter)
            state["exp_avg_sq"] = fj.zeros_like(parameter)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = fj.zeros_like(parameter)
        step, lr = counted(state), float(group["lr"])
        beta1, beta2 = group["betas"]
        grad = _with_decay(parameter, grad, group)
        mean, second_moment = _moments(state, grad, group["betas"])
        if group["amsgrad"]:
            second_moment = fj.maximum(state["max_exp_avg_sq"], second_moment)
            state["max_exp_avg_sq"].copy_(second_moment)
        denominator = (second_moment.sqrt() / math.sqrt(1 - beta2**step)).add_(group["eps"])
        parameter.addcdiv_(mean, denominator, value=-lr / (1 - beta1**step))


class AdamW(Adam):
    """Adam with decoupled weight decay: Loshchilov, Hutter, *Decoupled weight decay regularization* (2019)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )


class NAdam(Optimizer):
    """Adam with Nesterov momentum: Dozat, *Incorporating Nesterov momentum into Adam* (2016)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        require(momentum_decay >= 0, "momentum_decay value", momentum_decay)
        defaults = dict(
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            momentum_decay=momentum_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            differentiable=differentiable,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = new_step()
            state["mu_product"] = fj.tensor(1.0)
            state["exp_avg"] = fj.zeros_like(parameter)
            state["exp_avg_sq"] = fj.zeros_like(parameter)
        step, lr = counted(state), float(group["lr"])
        beta1, beta2 = group["betas"]
        grad = _with_decay(parameter, grad, group)
        mu, mu_next = (beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1))
        state["mu_product"] *= mu
        product = float(state["mu_product"])
        mean, second_moment = _moments(state, grad, group["betas"])
        denominator = second_moment.div(1 - beta2**step).sqrt_().add_(group["eps"])
        parameter.addcdiv_(grad, denominator, value=-lr * (1 - mu) / (1 - product))
        parameter.addcdiv_(mean, denominator, value=-lr * mu_next / (1 - product * mu_next))


class RAdam(Optimizer):
    """Adam whose adaptive rate sets in when its variance is tractable: Liu et al. (2020)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        defaults = dict(
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            maximize=maximize,
            foreach=foreach,
            capturable=capturable,
            decoupled_weight_decay=decoupled_weight_decay,
            differentiable=differentiable,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = new_step()
            state["exp_avg"] = fj.zeros_like(parameter)
            state["exp_avg_sq"] = fj.zeros_like(parameter)
        step, lr = counted(state), float(group["lr"])
        beta1, beta2 = group["betas"]
        grad = _with_decay(parameter, grad, group)
        mean, second_moment = _moments(state, grad, group["betas"])
        rate = lr / (1 - beta1**step)
        correction2 = 1 - beta2**step
        # Lengths of the approximated simple moving average: at the end, and now.
        rho_end = 2 / (1 - beta2) - 1
        rho = rho_end - 2 * step * beta2**step / correction2
        if rho <= 5.0:
            parameter.add_(mean, alpha=-rate)
            return
        rectified = math.sqrt((rho - 4) * (rho - 2) * rho_end / ((rho_end - 4) * (rho_end - 2) * rho))
        denominator = second_moment.sqrt().add_(group["eps"])
        parameter.addcdiv_(mean, denominator, value=-rate * rectified * math.sqrt(correction2))


class Adamax(Optimizer):
    """Adam with the infinity norm in place of the second moment: Kingma, Ba (2015)."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        defaults = dict(
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            foreach=foreach,
            maximize=maximize,
            differentiable=differentiable,
            capturable=capturable,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = new_step()
            state["exp_avg"] = fj.zeros_like(parameter)
            state["exp_inf"] = fj.zeros_like(parameter)
        step, lr = counted(state), float(group["lr"])
        beta1, beta2 = group["betas"]
        grad = decayed(grad, parameter, group["weight_decay"])
        state["exp_avg"].lerp_(grad, 1 - beta1)
        largest = state["exp_inf"]
        largest.copy_(fj.maximum(largest.mul_(beta2), grad.abs().add_(group["eps"])))
        parameter.addcdiv_(state["exp_avg"], largest, value=-lr / (1 - beta1**step))
