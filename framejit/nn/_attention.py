"""Multi-head attention as a function: Vaswani et al., *Attention is all you need* (2017)."""

from __future__ import annotations

import math

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of ``num_heads`` heads between ``(L, N, E)`` and ``(S, N, E)``, or without the batch dim.

    Returns:
        The output ``(L, N, E)``, and with ``need_weights`` the weights ``(N, L, S)``, or ``(N, heads, L, S)`` without
        ``average_attn_weights``.
    """
    batched = query.dim() == 3
    _check_shapes(query, key, value, key_padding_mask, attn_mask)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    if width != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    if width % num_heads:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _project(query, key, value, in_proj_weight, separate, in_proj_bias)
    # (N, heads, length, width of a head) from here on
    q = q.reshape(length, batch, num_heads, -1).permute(1, 2, 0, 3)
    k, v = (
        _heads(rows, bias, static, add_zero_attn, num_heads)
        for rows, bias, static in ((k, bias_k, static_k), (v, bias_v, static_v))
    )
    mask = _join_masks(attn_mask, key_padding_mask, q, k, 2 if bias_k is not None and add_zero_attn else 1)
    probability = dropout_p if training else 0.0
    weights = None
    if need_weights:
        scores = (q / math.sqrt(q.shape[-1])) @ k.transpose(-2, -1)
        weights = F.softmax(scores if mask is None else scores + mask, -1)
        if probability > 0.0:
            weights = F.dropout(weights, probability)
        output = weights @ v
    else:
        output = F.scaled_dot_product_attention(q, k, v, mask, probability, False)
    output = output.permute(2, 0, 1, 3).reshape(length, batch, -1)
    output = F.linear(output, out_proj_weight, out_proj_bias)
    if weights is not None and average_attn_weights:
        weights = weights.mean(1)
    if not batched:
        output = output.squeeze(1)
        weights = None if weights is None else weights.squeeze(0)
    return output, weights


def _check_shapes(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None
) -> None:
    dims = query.dim()
    if dims not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor"
        )
    kind = "batched" if dims == 3 else "unbatched"
    if key.dim() != dims or value.dim() != dims:
        raise AssertionError(
            f"For {kind} ({dims}-D) `query`, expected `key` and `value` to be {dims}-D but found {key.dim()}-D and "
            f"{value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != dims - 1:
        raise AssertionError(
            f"For {kind} ({dims}-D) `query`, expected `key_padding_mask` to be `None` or {dims - 1}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {kind} ({dims}-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{attn_mask.dim()}-D tensor instead"
        )


def _project(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    weight: Tensor | None,
    separate: tuple[Tensor | None, Tensor | None, Tensor | None] | None,
    bias: Tensor | None,
) -> tuple[Tensor, ...]:
    """Queries, keys and values by one weight of three blocks, or by three weights; one product where they are the same."""
    if separate is None and query is key and key is value:
        return F.linear(query, weight, bias).chunk(3, -1)  # type: ignore[arg-type]
    weights = weight.chunk(3) if separate is None else separate  # type: ignore[union-attr]
    biases = (None, None, None) if bias is None else bias.chunk(3)
    inputs = (query, key, value)
    return tuple([F.linear(x, w, b) for x, w, b in zip(inputs, weights, biases)])


def _in_projection_packed(
    q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None
) -> tuple[Tensor, ...]:
    """PyTorch's name of the projection by one weight."""
    return _project(q, k, v, w, None, b)


def _heads(
    rows: Tensor, bias: Tensor | None, static: Tensor | None, add_zero: bool, num_heads: int
) -> Tensor:
    """Keys or values ``(S, N, E)`` as ``(N, heads, S, E / heads)``, with a learnt and a zero position appended."""
    batch = rows.shape[1]
    if bias is not None:
        rows = fj.cat([rows, bias.expand(1, batch, bias.shape[-1])])
    if static is not None:
        heads = static.reshape(batch, num_heads, static.shape[1], static.shape[2])
    else:
        heads = rows.reshape(rows.shape[0], batch, num_heads, -1).permute(1, 2, 0, 3)
    if add_zero:
        heads = fj.cat([heads, heads.new_zeros((batch, num_heads, 1, heads.shape[-1]))], 2)
    return heads


def _join_masks(
    attn_mask: Tensor | None, key_padding_mask: Tensor | None, q: Tensor, k: Tensor, appended: int
) -> Tensor | None:
    """One additive mask that broadcasts to ``(N, heads, L, S)``; appended positions are always seen."""
    if attn_mask is None and key_padding_mask is None:
        return None
    batch, num_heads = q.shape[0], q.shape[1]
    mask = None
    if attn_mask is not None:
        mask = _additive(attn_mask, q)
        if mask.dim() == 2:
            mask = mask.unsqueeze(0).unsqueeze(0)
        else:
            if mask.shape[0] != batch * num_heads:
                raise RuntimeError(
                    f"The shape of the 3D attn_mask is {tuple(mask.shape)}, but should be "
                    f"{(batch * num_heads, q.shape[2], k.shape[2])}."
                )
            mask = mask.reshape(batch, num_heads, mask.shape[1], mask.shape[2])
    if key_padding_mask is not None:
        padding = _additive(key_padding_mask, q).reshape(batch, 1, 1, -1)
        mask = padding if mask is None else mask + padding
    assert mask is not None
    missing = k.shape[2] - mask.shape[-1]
    return F.pad(mask, (0, missing)) if 0 < missing <= appended else mask


def _additive(mask: Tensor, like: Tensor) -> Tensor:
    """A boolean mask (True: not seen) as 0 and -inf; others as they are."""
    if mask.dtype != fj.bool:
        return mask
    return fj.zeros(mask.shape, dtype=like.dtype, device=mask.device).masked_fill(mask, -math.inf)
