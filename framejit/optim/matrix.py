"""Optimisers that see a parameter as a matrix: Adafactor, Muon."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.optim.optimizer import Optimizer, counted, new_step


def _check(condition: bool, name: str, bound: str, value: object) -> None:
    if not condition:
        raise ValueError(f"{name} should be {bound} but is: {value}")


class Adafactor(Optimizer):
    """Adam with the mean squares of a matrix kept as those of its rows and columns: Shazeer, Stern (2018).

    Args:
        beta2_decay: exponent of the step count; mean squares forget slower and slower.
        eps: added to mean squares (None: the machine epsilon of the dtype), and the smallest size of a parameter that steps
            are scaled with.
        d: updates are scaled down to this root mean square.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        _check(lr >= 0, "Learning rate", ">= 0", lr)
        _check(beta2_decay <= 0, "beta2_decay", "<= 0", beta2_decay)
        _check(eps[0] is None or eps[0] >= 0, "epsilon1", ">= 0", eps[0])
        _check(eps[1] >= 0, "epsilon2", ">= 0", eps[1])
        _check(d >= 1, "Clipping threshold d", ">= 1", d)
        _check(weight_decay >= 0, "weight_decay", ">= 0", weight_decay)
        defaults = dict(
            lr=lr,
            beta2_decay=beta2_decay,
            eps=eps,
            d=d,
            weight_decay=weight_decay,
            foreach=foreach,
            maximize=maximize,
        )
        super().__init__(params, defaults)

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = new_step()
            if grad.dim() > 1:
                state["row_var"] = grad.new_zeros((*grad.shape[:-1], 1))
                state["col_var"] = grad.new_zeros((*grad.shape[:-2], 1, grad.shape[-1]))
            else:
                state["variance"] = fj.zeros_like(grad)
        step = counted(state)
        smallest, smallest_scale = group["eps"]
        smallest = fj.finfo(parameter.dtype).eps if smallest is None else smallest
        lr = float(group["lr"])
        rate = max(smallest_scale, _root_mean_square(parameter)) * min(lr, 1 / math.sqrt(step))
        if group["weight_decay"] != 0:
            parameter.mul_(1 - lr * group["weight_decay"])
        mean_square = _mean_squares(grad, state, step ** group["beta2_decay"], smallest)
        update = mean_square.clamp_(min=smallest * smallest).rsqrt_().mul_(grad)
        parameter.add_(update, alpha=-rate / max(1.0, _root_mean_square(update) / group["d"]))


def _root_mean_square(x: Tensor) -> float:
    return float(x.norm()) / math.sqrt(x.numel())


def _mean_squares(grad: Tensor, state: dict[str, Any], weight: float, smallest: float) -> Tensor:
    """Of every element; of a matrix the outer product of those of rows and columns."""
    squared = grad.square()
    if grad.dim() <= 1:
        return state["variance"].lerp_(squared, weight).clone()
    rows = state["row_var"].lerp_(squared.mean(-1, keepdim=True), weight)
    columns = state["col_var"].lerp_(squared.mean(-2, keepdim=True), weight)
    return (rows @ columns).div_(rows.mean(-2, keepdim=True).clamp_(min=smallest))


class Muon(Optimizer):
    """Momentum made orthogonal, for matrices only: Jordan (2024).

    Args:
        ns_coefficients: of the polynomial that brings singular values near 1; it is applied ``ns_steps`` times, in bfloat16.
        adjust_lr_fn: how the rate follows from the matrix's shape: ``"original"`` (as None) or ``"match_rms_adamw"``.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        _check(lr >= 0, "Learning rate", ">= 0", lr)
        _check(momentum >= 0, "momentum", ">= 0", momentum)
        _check(weight_decay >= 0, "weight decay", ">= 0", weight_decay)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = dict(
            lr=lr,
            weight_decay=weight_decay,
            momentum=momentum,
            nesterov=nesterov,
            ns_coefficients=ns_coefficients,
            eps=eps,
            ns_steps=ns_steps,
            adjust_lr_fn=adjust_lr_fn,
        )
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.dim() != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{parameter.size()}"
                    )

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["momentum_buffer"] = fj.zeros_like(grad)
        momentum, lr = group["momentum"], float(group["lr"])
        velocity = state["momentum_buffer"].lerp_(grad, 1 - momentum)
        direction = grad.lerp(velocity, momentum) if group["nesterov"] else velocity
        update = _orthogonal(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, columns = parameter.shape
        if group["adjust_lr_fn"] == "match_rms_adamw":
            rate = lr * 0.2 * math.sqrt(max(rows, columns))
        else:
            rate = lr * math.sqrt(max(1, rows / columns))
        parameter.mul_(1 - lr * group["weight_decay"])
        parameter.add_(update, alpha=-rate)


def _orthogonal(x: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """Near the closest matrix with orthonormal rows or columns, by Newton and Schulz's iteration."""
    a, b, c = coefficients
    tall = x.shape[0] > x.shape[1]
    y = x.bfloat16().T if tall else x.bfloat16()
    y = y / y.norm().clamp(min=eps)
    for _ in range(steps):
        gram = y @ y.T
        y = fj.addmm(y, fj.addmm(gram, gram, gram, beta=b, alpha=c), y, beta=a)
    return y.T if tall else y
