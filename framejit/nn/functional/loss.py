"""Losses that take Python functions, or that are made of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """The cross entropy of ``input @ linear_weight.T + linear_bias``.

    ``linear_weight`` is ``(C, features)``, or ``(C, d_1, ..., d_K, features)`` for the losses of K places each.
    ``options``, PyTorch's choice of how to save memory, is accepted and means nothing here.
    """
    places = linear_weight.shape[1:-1]
    if places and input.dim() < 2:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, "
            f"(N, {linear_weight.shape[-1]}), got unbatched input with shape {tuple(input.shape)}"
        )
    if ignore_index is not None and target.is_floating_point():
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    flat_weight = linear_weight.reshape(-1, linear_weight.shape[-1])
    flat_bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = F.linear(input, flat_weight, flat_bias)
    if places:
        logits = logits.reshape(*logits.shape[:-1], linear_weight.shape[0], *places)
    ignored = -100 if ignore_index is None else ignore_index
    return F.cross_entropy(
        logits, target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=label_smoothing
    )


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
