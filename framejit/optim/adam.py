"""Adam and AdamW."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.optim.optimizer import Optimizer, require


class Adam(Optimizer):
    """Adam: Kingma, Ba, *Adam: a method for stochastic optimization* (2015). ``weight_decay`` is added to the gradient.

    With ``amsgrad`` the second moment never shrinks (Reddi et al., *On the convergence of Adam and beyond*, 2018).
    """

    _decoupled_weight_decay = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        require(lr >= 0, "learning rate", lr, "at least 0")
        require(eps >= 0, "epsilon value", eps, "at least 0")
        require(weight_decay >= 0, "weight_decay value", weight_decay, "at least 0")
        for i, beta in enumerate(betas):
            require(0 <= beta < 1, f"beta parameter at index {i}", beta, "in [0, 1)")
        defaults = dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = 0
            state["exp_avg"] = fj.zeros_like(parameter)
            state["exp_avg_sq"] = fj.zeros_like(parameter)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = fj.zeros_like(parameter)
        state["step"] += 1
        step, lr = state["step"], group["lr"]
        beta1, beta2 = group["betas"]

        if group["weight_decay"] != 0:
            if self._decoupled_weight_decay:
                parameter.mul_(1 - lr * group["weight_decay"])
            else:
                grad = grad.add(parameter, alpha=group["weight_decay"])
        state["exp_avg"].lerp_(grad, 1 - beta1)
        state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)

        second_moment = state["exp_avg_sq"]
        if group["amsgrad"]:
            second_moment = fj.maximum(state["max_exp_avg_sq"], second_moment)
            state["max_exp_avg_sq"].copy_(second_moment)
        denominator = (second_moment.sqrt() / math.sqrt(1 - beta2**step)).add_(group["eps"])
        parameter.addcdiv_(state["exp_avg"], denominator, value=-lr / (1 - beta1**step))


class AdamW(Adam):
    """Adam with decoupled weight decay: Loshchilov, Hutter, *Decoupled weight decay regularization* (2019)."""

    _decoupled_weight_decay = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
