"""Stateless forms of the modules.

Most are op functions of the table, taken over as they are; the ones written in Python choose between ops by a Python
argument (``training``, ``inplace``, ``return_indices``). The compiler inlines them. One family a file: ``activation``,
``dropout``, ``embedding``, ``loss``, ``pooling``, ``resampling``; what is a row of the table and needs no more is listed
here.
"""

from __future__ import annotations

import framejit as fj
from framejit import Tensor
from framejit._C import nn_functional as _ops
from framejit.nn import _reduction as _Reduction  # noqa: F401  (PyTorch's name)
from framejit.nn.functional.activation import celu as celu
from framejit.nn.functional.activation import celu_ as celu_
from framejit.nn.functional.activation import elu as elu
from framejit.nn.functional.activation import elu_ as elu_
from framejit.nn.functional.activation import gumbel_softmax as gumbel_softmax
from framejit.nn.functional.activation import hardsigmoid as hardsigmoid
from framejit.nn.functional.activation import hardswish as hardswish
from framejit.nn.functional.activation import hardtanh as hardtanh
from framejit.nn.functional.activation import hardtanh_ as hardtanh_
from framejit.nn.functional.activation import leaky_relu as leaky_relu
from framejit.nn.functional.activation import leaky_relu_ as leaky_relu_
from framejit.nn.functional.activation import log_softmax as log_softmax
from framejit.nn.functional.activation import mish as mish
from framejit.nn.functional.activation import relu as relu
from framejit.nn.functional.activation import relu6 as relu6
from framejit.nn.functional.activation import relu_ as relu_
from framejit.nn.functional.activation import rrelu as rrelu
from framejit.nn.functional.activation import rrelu_ as rrelu_
from framejit.nn.functional.activation import selu as selu
from framejit.nn.functional.activation import selu_ as selu_
from framejit.nn.functional.activation import sigmoid as sigmoid
from framejit.nn.functional.activation import silu as silu
from framejit.nn.functional.activation import softmax as softmax
from framejit.nn.functional.activation import softmin as softmin
from framejit.nn.functional.activation import softshrink as softshrink
from framejit.nn.functional.activation import tanh as tanh
from framejit.nn.functional.activation import threshold as threshold
from framejit.nn.functional.activation import threshold_ as threshold_
from framejit.nn.functional.dropout import alpha_dropout as alpha_dropout
from framejit.nn.functional.dropout import dropout as dropout
from framejit.nn.functional.dropout import dropout1d as dropout1d
from framejit.nn.functional.dropout import dropout2d as dropout2d
from framejit.nn.functional.dropout import dropout3d as dropout3d
from framejit.nn.functional.dropout import feature_alpha_dropout as feature_alpha_dropout
from framejit.nn.functional.embedding import embedding as embedding
from framejit.nn.functional.embedding import embedding_bag as embedding_bag
from framejit.nn.functional.loss import linear_cross_entropy as linear_cross_entropy
from framejit.nn.functional.loss import triplet_margin_with_distance_loss as triplet_margin_with_distance_loss
from framejit.nn.functional.pooling import adaptive_avg_pool2d as adaptive_avg_pool2d
from framejit.nn.functional.pooling import adaptive_avg_pool3d as adaptive_avg_pool3d
from framejit.nn.functional.pooling import adaptive_max_pool1d as adaptive_max_pool1d
from framejit.nn.functional.pooling import adaptive_max_pool2d as adaptive_max_pool2d
from framejit.nn.functional.pooling import adaptive_max_pool3d as adaptive_max_pool3d
from framejit.nn.functional.pooling import fractional_max_pool2d as fractional_max_pool2d
from framejit.nn.functional.pooling import fractional_max_pool3d as fractional_max_pool3d
from framejit.nn.functional.pooling import max_pool1d as max_pool1d
from framejit.nn.functional.pooling import max_pool2d as max_pool2d
from framejit.nn.functional.pooling import max_pool3d as max_pool3d
from framejit.nn.functional.resampling import affine_grid as affine_grid
from framejit.nn.functional.resampling import grid_sample as grid_sample
from framejit.nn.functional.resampling import interpolate as interpolate
from framejit.nn.functional.resampling import upsample as upsample
from framejit.nn.functional.resampling import upsample_bilinear as upsample_bilinear
from framejit.nn.functional.resampling import upsample_nearest as upsample_nearest

# --- linear maps and attention ----------------------------------------------------------------------------------------
linear = _ops.linear
scaled_dot_product_attention = _ops.scaled_dot_product_attention

# --- convolution ------------------------------------------------------------------------------------------------------
conv1d, conv2d, conv3d = fj.conv1d, fj.conv2d, fj.conv3d
conv_transpose1d, conv_transpose2d, conv_transpose3d = (
    fj.conv_transpose1d,
    fj.conv_transpose2d,
    fj.conv_transpose3d,
)
unfold, fold = _ops.unfold, _ops.fold

# --- pooling ----------------------------------------------------------------------------------------------------------
avg_pool1d, avg_pool2d, avg_pool3d = fj.avg_pool1d, _ops.avg_pool2d, _ops.avg_pool3d
lp_pool1d, lp_pool2d, lp_pool3d = _ops.lp_pool1d, _ops.lp_pool2d, _ops.lp_pool3d
max_unpool1d, max_unpool2d, max_unpool3d = _ops.max_unpool1d, _ops.max_unpool2d, _ops.max_unpool3d
adaptive_avg_pool1d = fj.adaptive_avg_pool1d
max_pool1d_with_indices = _ops.max_pool1d_with_indices
max_pool2d_with_indices = _ops.max_pool2d_with_indices
max_pool3d_with_indices = _ops.max_pool3d_with_indices
adaptive_max_pool1d_with_indices = _ops.adaptive_max_pool1d_with_indices
adaptive_max_pool2d_with_indices = _ops.adaptive_max_pool2d_with_indices
adaptive_max_pool3d_with_indices = _ops.adaptive_max_pool3d_with_indices
fractional_max_pool2d_with_indices = _ops.fractional_max_pool2d_with_indices
fractional_max_pool3d_with_indices = _ops.fractional_max_pool3d_with_indices

# --- padding and shuffling --------------------------------------------------------------------------------------------
pad = _ops.pad
pixel_shuffle, pixel_unshuffle, channel_shuffle = fj.pixel_shuffle, fj.pixel_unshuffle, fj.channel_shuffle

# --- normalisation ----------------------------------------------------------------------------------------------------
layer_norm, rms_norm = _ops.layer_norm, _ops.rms_norm
batch_norm, instance_norm, group_norm = _ops.batch_norm, _ops.instance_norm, _ops.group_norm
local_response_norm = _ops.local_response_norm

# --- activation -------------------------------------------------------------------------------------------------------
gelu, glu, prelu = _ops.gelu, _ops.glu, fj.prelu
softplus, softsign, logsigmoid = _ops.softplus, _ops.softsign, _ops.logsigmoid
hardshrink, tanhshrink = fj.hardshrink, _ops.tanhshrink

# --- losses and distances ---------------------------------------------------------------------------------------------
mse_loss, l1_loss, smooth_l1_loss, huber_loss = (
    _ops.mse_loss,
    _ops.l1_loss,
    _ops.smooth_l1_loss,
    _ops.huber_loss,
)
nll_loss, cross_entropy, kl_div = _ops.nll_loss, _ops.cross_entropy, _ops.kl_div
binary_cross_entropy = _ops.binary_cross_entropy
binary_cross_entropy_with_logits = _ops.binary_cross_entropy_with_logits
poisson_nll_loss, gaussian_nll_loss = _ops.poisson_nll_loss, _ops.gaussian_nll_loss
hinge_embedding_loss, margin_ranking_loss = _ops.hinge_embedding_loss, _ops.margin_ranking_loss
multi_margin_loss, multilabel_margin_loss = _ops.multi_margin_loss, _ops.multilabel_margin_loss
multilabel_soft_margin_loss, soft_margin_loss = _ops.multilabel_soft_margin_loss, _ops.soft_margin_loss
cosine_embedding_loss, triplet_margin_loss, ctc_loss = (
    _ops.cosine_embedding_loss,
    _ops.triplet_margin_loss,
    _ops.ctc_loss,
)
cosine_similarity, pairwise_distance, pdist = fj.cosine_similarity, fj.pairwise_distance, fj.pdist
one_hot = _ops.one_hot


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Shapes: ``(*, in1)``, ``(*, in2)``, ``(out, in1, in2)``, ``(out)`` -> ``(*, out)``."""
    left = (input1.reshape(-1, input1.shape[-1]) @ weight).movedim(0, -2)
    left = left.reshape(*input1.shape[:-1], *left.shape[-2:])
    result = (left * input2.unsqueeze(-2)).sum(-1, dtype=left.dtype)
    return result if bias is None else result + bias


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """``input`` divided by its ``p``-norm along ``dim`` (at least ``eps``)."""
    length = fj.norm(input, p, dim, True).clamp_min(eps).expand_as(input)
    return input / length if out is None else fj.div(input, length, out=out)


from framejit.nn._attention import _in_projection_packed as _in_projection_packed  # noqa: E402
from framejit.nn._attention import multi_head_attention_forward as multi_head_attention_forward  # noqa: E402
from framejit.overrides import handle_torch_function as handle_torch_function  # noqa: E402
from framejit.overrides import has_torch_function as has_torch_function  # noqa: E402
