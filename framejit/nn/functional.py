"""Stateless forms of the modules.

Most are op functions of the table, taken over as they are; the ones written here choose between ops by a Python
argument (``training``, ``inplace``). The compiler inlines them.
"""

from __future__ import annotations

from collections.abc import Sequence

import framejit as fj
from framejit import Tensor
from framejit._C import nn_functional as _ops

linear = _ops.linear
gelu = _ops.gelu
layer_norm = _ops.layer_norm
rms_norm = _ops.rms_norm
mse_loss = _ops.mse_loss
l1_loss = _ops.l1_loss
smooth_l1_loss = _ops.smooth_l1_loss
nll_loss = _ops.nll_loss
cross_entropy = _ops.cross_entropy
binary_cross_entropy = _ops.binary_cross_entropy
binary_cross_entropy_with_logits = _ops.binary_cross_entropy_with_logits
softplus = _ops.softplus
scaled_dot_product_attention = _ops.scaled_dot_product_attention
one_hot = _ops.one_hot


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return input.relu_() if inplace else input.relu()


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    result = _ops.leaky_relu(input, negative_slope)
    return input.copy_(result) if inplace else result


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    result = _ops.elu(input, alpha)
    return input.copy_(result) if inplace else result


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    result = _ops.silu(input)
    return input.copy_(result) if inplace else result


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    return input.clamp_(min_val, max_val) if inplace else input.clamp(min_val, max_val)


def sigmoid(input: Tensor) -> Tensor:
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    return input.tanh()


def logsigmoid(input: Tensor) -> Tensor:
    return -softplus(-input)


def _default_dim(ndim: int) -> int:
    """The dim that PyTorch picks for softmax when none is given."""
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, dtype: fj.dtype | None = None) -> Tensor:
    return fj.softmax(input, _default_dim(input.dim()) if dim is None else dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, dtype: fj.dtype | None = None) -> Tensor:
    return fj.log_softmax(input, _default_dim(input.dim()) if dim is None else dim, dtype=dtype)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability ``p`` while ``training``; see :class:`framejit.nn.Dropout`.

    Raises:
        ValueError: ``p`` is outside 0 to 1.
    """
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    result = fj.dropout(input, p, training)
    return input.copy_(result) if inplace else result


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Rows ``input`` of ``weight``; the gradient of row ``padding_idx`` is zero.

    Raises:
        ValueError: ``padding_idx`` is outside the table.
    """
    if padding_idx is None:
        return fj.embedding(weight, input)
    rows = weight.shape[0]
    if not -rows <= padding_idx < rows:
        raise ValueError(f"padding_idx must be within num_embeddings, got {padding_idx} for {rows}")
    return fj.embedding(weight, input, padding_idx % rows)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Shapes: ``(*, in1)``, ``(*, in2)``, ``(out, in1, in2)``, ``(out)`` -> ``(*, out)``."""
    left = (input1.unsqueeze(-2).unsqueeze(-2) @ weight).squeeze(-2)
    result = (left * input2.unsqueeze(-2)).sum(-1)
    return result if bias is None else result + bias


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """``input`` divided by its ``p``-norm along ``dim`` (at least ``eps``)."""
    return input / input.abs().pow(p).sum(dim, keepdim=True).pow(1.0 / p).clamp(min=eps)


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Pads the last ``len(pad) // 2`` dims; only ``mode='constant'`` is there yet."""
    if mode != "constant":
        raise NotImplementedError(f"pad: got mode={mode!r}; only 'constant' is implemented")
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2, got {len(pad)}")
    if len(pad) // 2 > input.dim():
        raise RuntimeError(f"Padding length {len(pad)} is too large for a tensor of {input.dim()} dimensions")
    shape = list(input.shape)
    where = [slice(None)] * input.dim()
    source = list(where)
    for i in range(len(pad) // 2):
        dim, before, after = input.dim() - 1 - i, pad[2 * i], pad[2 * i + 1]
        source[dim] = slice(max(0, -before), shape[dim] - max(0, -after))
        shape[dim] += before + after
        where[dim] = slice(max(0, before), shape[dim] - max(0, after))
    result = input.new_full(shape, 0.0 if value is None else value)
    result[tuple(where)] = input[tuple(source)]
    return result
