"""Images of another size, and images read at given places."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import framejit as fj
from framejit import Tensor
from framejit._C import nn_functional as _ops


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """``input`` ``(N, C, ...)`` resampled to ``size``, or to ``scale_factor`` times its size.

    ``mode``: 'nearest', 'nearest-exact', 'area'; 'linear' (3D), 'bilinear', 'bicubic' (4D), 'trilinear' (5D). Only the
    latter take ``align_corners``. With ``antialias``, 'bilinear' and 'bicubic' average over all that a pixel of a smaller
    image covers.

    Raises:
        ValueError: Both or none of ``size`` and ``scale_factor`` are given, or options that do not fit the mode.
        NotImplementedError: A mode that does not fit the dims.
    """
    scales = (
        [float(scale_factor)] * (input.dim() - 2) if isinstance(scale_factor, (int, float)) else scale_factor
    )
    return _ops.interpolate(input, size, scales, mode, align_corners, recompute_scale_factor, antialias)


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """The old name of :func:`interpolate`."""
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """The old name of :func:`interpolate` with mode 'nearest'."""
    warnings.warn(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor)


def upsample_bilinear(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """The old name of :func:`interpolate` with mode 'bilinear' and aligned corners."""
    warnings.warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, "bilinear", True)


_GRID_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_GRID_PADDING = {"zeros": 0, "border": 1, "reflection": 2}


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """``input`` ``(N, C, H, W)`` read at the places ``grid`` ``(N, H_out, W_out, 2)``, or with one more dim.

    Places are ``(x, y)`` (or ``(x, y, z)``), -1 and 1 being the borders of the image, or with ``align_corners`` the
    centres of its outermost pixels.

    Raises:
        ValueError: ``mode`` or ``padding_mode`` is unknown.
    """
    if mode not in _GRID_MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in _GRID_PADDING:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    return fj.grid_sampler(input, grid, _GRID_MODES[mode], _GRID_PADDING[padding_mode], bool(align_corners))


def _centres(like: Tensor, count: int, align_corners: bool) -> Tensor:
    """The coordinates of ``count`` pixels, from -1 to 1."""
    if count <= 1:
        return fj.zeros(count, dtype=like.dtype, device=like.device)
    ends = fj.linspace(-1, 1, count, dtype=like.dtype, device=like.device)
    return ends if align_corners else ends * ((count - 1) / count)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """For :func:`grid_sample`: the pixels of an image of ``size`` under the affine maps ``theta`` ``(N, d, d + 1)``.

    Raises:
        ValueError: ``theta`` does not fit ``size``.
    """
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    spatial = len(size) - 2
    if spatial not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {tuple(size)}."
        )
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (spatial, spatial + 1):
        raise ValueError(
            f"Expected a batch of {spatial}D affine matrices of shape Nx{spatial}x{spatial + 1} for size {tuple(size)}. "
            f"Got {tuple(theta.shape)}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    sizes = list(size[2:])
    columns = []
    for dim in reversed(range(spatial)):  # x first
        shape = [1] * spatial
        shape[dim] = sizes[dim]
        columns.append(
            _centres(theta, sizes[dim], bool(align_corners)).reshape(shape).expand(sizes).reshape(-1)
        )
    columns.append(fj.ones_like(columns[0]))
    points = fj.stack(columns, -1)
    return (points @ theta.transpose(1, 2)).reshape([size[0], *sizes, spatial])
