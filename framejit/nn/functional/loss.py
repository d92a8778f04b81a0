"""Losses that take Python functions."""

from __future__ import annotations

from collections.abc import Callable

import framejit as fj
from framejit import Tensor


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """What ``anchor`` lacks to be nearer to ``positive`` than to ``negative`` by ``margin``.

    Raises:
        ValueError: ``margin`` is not positive, or ``reduction`` is unknown.
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = fj.pairwise_distance if distance_function is None else distance_function
    if not anchor.dim() == positive.dim() == negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = fj.minimum(far, distance(positive, negative))
    loss = (margin + near - far).clamp_min(0)
    return loss if reduction == "none" else loss.sum() if reduction == "sum" else loss.mean()
