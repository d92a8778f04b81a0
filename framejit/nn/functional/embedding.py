"""Rows of a table."""

from __future__ import annotations

import framejit as fj
from framejit import Tensor
from framejit._C import nn_functional as _ops

embedding_bag = _ops.embedding_bag


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows ``input`` of ``weight``; the gradient of row ``padding_idx`` is zero.

    With ``max_norm`` the rows that are looked up are first scaled, in place, to that norm at most. ``scale_grad_by_freq``
    divides a row's gradient by how often it is looked up. ``sparse`` is accepted; gradients are dense.

    Raises:
        RuntimeError: ``weight`` is no matrix.
        AssertionError: ``padding_idx`` is outside the table.
    """
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    rows = weight.shape[0]
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertionError(f"Padding_idx must be within num_embeddings, got {padding_idx} for {rows}")
        padding_idx %= rows
    if max_norm is not None:
        fj.embedding_renorm_(weight, input, max_norm, norm_type)
    result = fj.embedding(weight, input) if padding_idx is None else fj.embedding(weight, input, padding_idx)
    if not scale_grad_by_freq:
        return result
    flat = input.reshape(-1)
    counts = fj.zeros(rows, dtype=weight.dtype).index_add(0, flat, fj.ones(flat.shape, dtype=weight.dtype))
    share = (1 / counts)[input].unsqueeze(-1)
    # The difference is zero: it changes the gradient alone.
    return result.detach() + (result - result.detach()) * share
