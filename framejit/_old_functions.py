"""Functions of ``torch`` that newer ones have taken the place of: norms with cuDNN's switch, and the like."""

from __future__ import annotations

import builtins
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """See :func:`framejit.nn.functional.batch_norm`."""
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """See :func:`framejit.nn.functional.instance_norm`."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """See :func:`framejit.nn.functional.layer_norm`."""
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """See :func:`framejit.nn.functional.group_norm`."""
    return F.group_norm(input, num_groups, weight, bias, eps)


def _statistics(input: Tensor, dims: list[int], eps: float, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Mean and 1 / standard deviation."""
    variance, mean = fj.var_mean(input, dims, correction=0, keepdim=keepdim)
    return mean, (variance + eps).rsqrt()


def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """:func:`layer_norm`, and the mean and 1 / standard deviation that it used."""
    dims = list(builtins.range(-len(normalized_shape), 0))
    return layer_norm(input, normalized_shape, weight, bias, eps), *_statistics(input.detach(), dims, eps, True)


def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """:func:`group_norm` of ``(N, C, HxW)``, and mean and 1 / standard deviation of the groups, ``(N, group)``."""
    result = group_norm(input.reshape(N, C, HxW), group, weight, bias, eps).reshape(input.shape)
    return result, *_statistics(input.reshape(N, group, C // group * HxW), [2], eps)


def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """:func:`batch_norm`, and the mean and 1 / standard deviation of the batch, which are empty unless ``training``."""
    result = F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return result, input.new_empty(0), input.new_empty(0)
    dims = [d for d in builtins.range(input.dim()) if d != 1]
    return result, *_statistics(input.detach(), dims, eps)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """``conv1d`` of ``input`` (time, batch, channels) with ``weight`` (width, channels, channels of the result)."""
    return F.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)


def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The matrix product, which PyTorch also has for a sparse ``input``."""
    return fj.mm(input, mat2)


def range(start: float, end: float, step: float = 1, **options: Any) -> Tensor:  # (PyTorch's name)
    """:func:`framejit.arange` with ``end`` included, and of the default dtype unless told otherwise."""
    options.setdefault("dtype", fj.get_default_dtype())
    return fj.arange(start, end + step / 2, step, **options)  # rounding must not lose the end


def _assert(condition: Any, message: str) -> None:
    """``assert condition, message``, as a function."""
    assert condition, message


def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """:func:`framejit.nn.functional.grid_sample` of images; modes by number."""
    if input.dim() != 4:
        raise RuntimeError(f"grid_sampler_2d(): expected a 4-D input, got {input.dim()}-D")
    return fj.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """:func:`framejit.nn.functional.grid_sample` of volumes; modes by number."""
    if input.dim() != 5:
        raise RuntimeError(f"grid_sampler_3d(): expected a 5-D input, got {input.dim()}-D")
    return fj.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The gradient of a softmax whose result is ``output``."""
    wide = fj.float32 if output.dtype in (fj.float16, fj.bfloat16) else output.dtype
    result = output.to(wide)
    product = grad_output.to(wide) * result
    return (product - result * product.sum(dim, keepdim=True)).to(input_dtype)
