"""Batch norms folded into the layer before them, for inference."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import framejit as fj
from framejit import Tensor
from framejit.nn.modules.module import Module
from framejit.nn.parameter import Parameter

_M = TypeVar("_M", bound=Module)


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the convolution that does what convolution and batch norm do."""
    bias = fj.zeros_like(bn_rm) if conv_b is None else conv_b
    scale = (bn_rv + bn_eps).rsqrt() * (1 if bn_w is None else bn_w)
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    weight = conv_w * scale.reshape(shape)
    bias = (bias - bn_rm) * scale + (0 if bn_b is None else bn_b)
    trained = conv_w.requires_grad
    return Parameter(weight, trained), Parameter(bias, trained if conv_b is None else conv_b.requires_grad)


def fuse_conv_bn_eval(conv: _M, bn: Any, transpose: bool = False) -> _M:
    """A copy of ``conv`` that does what ``bn(conv(x))`` does; both must be in evaluation mode."""
    return _fused(conv, bn, transpose)


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the linear layer that does what linear layer and batch norm do."""
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def fuse_linear_bn_eval(linear: _M, bn: Any) -> _M:
    """A copy of ``linear`` that does what ``bn(linear(x))`` does; both must be in evaluation mode."""
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    return _fused(linear, bn, False)


def _fused(layer: _M, bn: Any, transpose: bool) -> _M:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("Fusion needs running statistics")
    fused: Any = copy.deepcopy(layer)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused
