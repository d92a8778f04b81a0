"""Activation functions that take ``inplace``, and the softmax family."""

from __future__ import annotations

import framejit as fj
from framejit import Tensor
from framejit._C import nn_functional as _ops


def _operand(input: Tensor, inplace: bool) -> Tensor:
    """What the activation is computed of: where its gradient needs ``input``, a copy that in-place use leaves alone."""
    return input.clone() if inplace and input.requires_grad else input


def _stored(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    return input.copy_(result) if inplace else result


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return input.relu_() if inplace else input.relu()


def relu_(input: Tensor) -> Tensor:
    return input.relu_()


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return _stored(input, _ops.relu6(_operand(input, inplace)), inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    return _stored(input, _ops.leaky_relu(_operand(input, inplace), negative_slope), inplace)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return leaky_relu(input, negative_slope, True)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    return _stored(input, fj.rrelu(_operand(input, inplace), lower, upper, training), inplace)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    return rrelu(input, lower, upper, training, True)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return _stored(input, _ops.elu(_operand(input, inplace), alpha), inplace)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return elu(input, alpha, True)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    return _stored(input, fj.selu(_operand(input, inplace)), inplace)


def selu_(input: Tensor) -> Tensor:
    return selu(input, True)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return _stored(input, fj.celu(_operand(input, inplace), alpha), inplace)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return celu(input, alpha, True)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    return _stored(input, _ops.silu(_operand(input, inplace)), inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    return _stored(input, _ops.mish(_operand(input, inplace)), inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    return _stored(input, _ops.hardsigmoid(_operand(input, inplace)), inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    return _stored(input, _ops.hardswish(_operand(input, inplace)), inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """``input`` limited to ``min_val`` ... ``max_val``.

    Raises:
        ValueError: ``min_val`` is above ``max_val``.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _stored(input, _ops.hardtanh(_operand(input, inplace), min_val, max_val), inplace)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    return hardtanh(input, min_val, max_val, True)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    return _stored(input, fj.threshold(_operand(input, inplace), threshold, value), inplace)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    return input.copy_(fj.threshold(_operand(input, True), threshold, value))


def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """``input`` moved towards 0 by ``lambd``.

    Raises:
        RuntimeError: ``lambd`` is negative.
    """
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    return _ops.softshrink(input, lambd, out=out)


def sigmoid(input: Tensor) -> Tensor:
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    return input.tanh()


# --- over one dim -----------------------------------------------------------------------------------------------------


def _default_dim(ndim: int) -> int:
    """The dim that PyTorch picks for softmax when none is given."""
    return 0 if ndim in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: fj.dtype | None = None
) -> Tensor:
    return fj.softmax(input, _default_dim(input.dim()) if dim is None else dim, dtype=dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: fj.dtype | None = None
) -> Tensor:
    return softmax(-input, dim, dtype=dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: fj.dtype | None = None
) -> Tensor:
    return fj.log_softmax(input, _default_dim(input.dim()) if dim is None else dim, dtype=dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A sample of the relaxed categorical distribution of Jang et al. (2017) and Maddison et al. (2017).

    ``hard`` gives one-hot samples whose gradient is that of the relaxed ones. ``eps`` is not used, as in PyTorch.
    """
    noise = -fj.empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    chosen = soft.argmax(dim, keepdim=True)
    return fj.zeros_like(logits).scatter(dim, chosen, 1.0) - soft.detach() + soft
