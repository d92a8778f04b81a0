"""Dropout of elements and of whole channels."""

from __future__ import annotations

import framejit as fj
from framejit import Tensor


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability ``p`` while ``training``; see :class:`framejit.nn.Dropout`.

    Raises:
        ValueError: ``p`` is outside 0 to 1.
    """
    _check_probability(p)
    result = fj.dropout(input, p, training)
    return input.copy_(result) if inplace else result


def _channel_dropout(input: Tensor, p: float, training: bool, inplace: bool, unbatched: int | None) -> Tensor:
    """``input`` has a batch dim unless it has ``unbatched`` dims."""
    _check_probability(p)
    if input.dim() == unbatched:
        result = fj.feature_dropout(input.unsqueeze(0), p, training).squeeze(0)
    else:
        result = fj.feature_dropout(input, p, training)
    return input.copy_(result) if inplace else result


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of ``(N, C, L)`` or ``(C, L)`` with probability ``p`` while ``training``."""
    if input.dim() not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input.")
    return _channel_dropout(input, p, training, inplace, 2)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of ``(N, C, H, W)``; the first two dims are taken as these, whatever the others."""
    return _channel_dropout(input, p, training, inplace, None)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of ``(N, C, D, H, W)`` or ``(C, D, H, W)``."""
    return _channel_dropout(input, p, training, inplace, 4)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps the mean and variance of what :func:`selu` gives: Klambauer et al. (2017)."""
    _check_probability(p)
    result = fj.alpha_dropout(input, p, training)
    return input.copy_(result) if inplace else result


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """:func:`alpha_dropout` of whole channels."""
    _check_probability(p)
    result = fj.feature_alpha_dropout(input, p, training)
    return input.copy_(result) if inplace else result
