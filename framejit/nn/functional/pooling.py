"""Pooling functions that choose between results by ``return_indices``, or take sizes with ``None`` in them."""

from __future__ import annotations

from collections.abc import Sequence

from framejit import Tensor
from framejit._C import nn_functional as _ops
from framejit._C import ops as _functions

Sizes = int | Sequence[int]
OptionalSizes = int | None | Sequence[int | None]


def max_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of each window of ``(N, C, L)`` or ``(C, L)``, and where it is if ``return_indices``."""
    if return_indices:
        return _ops.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _functions.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of each window of ``(N, C, H, W)`` or ``(C, H, W)``, and where it is if ``return_indices``."""
    if return_indices:
        return _ops.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _functions.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of each window of ``(N, C, D, H, W)`` or without ``N``, and where it is."""
    if return_indices:
        return _ops.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return _functions.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of windows at pseudo-random places: Graham, *Fractional max-pooling* (2015)."""
    ratio = [output_ratio] if isinstance(output_ratio, float) else output_ratio
    pair = _ops.fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, ratio, False, _random_samples
    )
    return pair if return_indices else pair[0]


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Sizes,
    output_size: Sizes | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """As :func:`fractional_max_pool2d`, over three dims."""
    ratio = [output_ratio] if isinstance(output_ratio, float) else output_ratio
    pair = _ops.fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, ratio, False, _random_samples
    )
    return pair if return_indices else pair[0]


def _complete(input: Tensor, output_size: OptionalSizes, spatial: int) -> list[int]:
    """``output_size`` for each spatial dim; ``None`` is the size of the input."""
    if output_size is None or isinstance(output_size, int):
        wanted: Sequence[int | None] = (output_size,) * spatial
    else:
        wanted = output_size
    if input.dim() <= len(wanted):
        raise ValueError(f"Input dimension should be at least {len(wanted) + 1}")
    return [given if size is None else size for size, given in zip(wanted, input.shape[-len(wanted) :])]


def adaptive_avg_pool2d(input: Tensor, output_size: OptionalSizes) -> Tensor:
    """Means of windows that share the image evenly."""
    return _ops.adaptive_avg_pool2d(input, _complete(input, output_size, 2))


def adaptive_avg_pool3d(input: Tensor, output_size: OptionalSizes) -> Tensor:
    """Means of windows that share the volume evenly."""
    return _ops.adaptive_avg_pool3d(input, _complete(input, output_size, 3))


def adaptive_max_pool1d(
    input: Tensor, output_size: OptionalSizes, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Largest elements of windows that share the signal evenly, and where they are if ``return_indices``."""
    pair = _ops.adaptive_max_pool1d_with_indices(input, _complete(input, output_size, 1))
    return pair if return_indices else pair[0]


def adaptive_max_pool2d(
    input: Tensor, output_size: OptionalSizes, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Largest elements of windows that share the image evenly, and where they are if ``return_indices``."""
    pair = _ops.adaptive_max_pool2d_with_indices(input, _complete(input, output_size, 2))
    return pair if return_indices else pair[0]


def adaptive_max_pool3d(
    input: Tensor, output_size: OptionalSizes, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """Largest elements of windows that share the volume evenly, and where they are if ``return_indices``."""
    pair = _ops.adaptive_max_pool3d_with_indices(input, _complete(input, output_size, 3))
    return pair if return_indices else pair[0]
