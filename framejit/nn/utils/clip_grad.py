"""Gradient clipping, in place."""

from __future__ import annotations

from collections.abc import Iterable

import framejit as fj
from framejit import Tensor


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p.grad for p in parameters if p.grad is not None]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scales all gradients so that their joint norm is at most ``max_norm``; returns the norm before that.

    Raises:
        RuntimeError: the norm is not finite and ``error_if_nonfinite`` is set.
    """
    gradients = _gradients(parameters)
    if not gradients:
        return fj.tensor(0.0)
    with fj.no_grad():
        magnitudes = [g.abs() for g in gradients]
        if norm_type == float("inf"):
            total = fj.stack([m.max() for m in magnitudes]).max()
        else:
            total = fj.stack([m.pow(norm_type).sum() for m in magnitudes]).sum().pow(1.0 / norm_type)
        if error_if_nonfinite and not bool(total.isfinite()):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is non-finite"
            )
        scale = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(scale)
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Clamps every gradient element to ``[-clip_value, clip_value]``."""
    with fj.no_grad():
        for gradient in _gradients(parameters):
            gradient.clamp_(-clip_value, clip_value)
