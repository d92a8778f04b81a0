"""Helpers over modules and parameters.

Tour: ``clip_grad``, ``vector`` (parameters as one vector), ``rnn`` (packed sequences), ``parametrize`` and
``parametrizations`` (and
``orthogonal``), ``prune``, ``weight_norm`` (and spectral norm, as hooks), ``fusion`` (batch norms folded away), ``stateless``
(calls with other parameters), ``init`` (modules without initial values).
"""

from framejit.nn.utils import fusion, parametrizations, parametrize, prune, rnn, stateless
from framejit.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from framejit.nn.utils.fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)
from framejit.nn.utils.init import skip_init
from framejit.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from framejit.nn.utils.vector import parameters_to_vector, vector_to_parameters
from framejit.nn.utils.weight_norm import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "fusion",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]
