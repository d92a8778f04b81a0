"""Clearing gradients: what ``Module.zero_grad`` and ``Optimizer.zero_grad`` share."""

from __future__ import annotations

from collections.abc import Iterable

from framejit import Tensor


def clear_gradients(parameters: Iterable[Tensor], set_to_none: bool) -> None:
    """Drops the gradient of each parameter, or zeroes it in place."""
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if set_to_none:
            parameter.grad = None
        else:
            cleared = parameter.grad.detach().zero_()  # shares memory: the old object is cleared too
            if parameter.grad.requires_grad:
                parameter.grad = cleared
