"""Indices of elements that are equal to others: PyTorch does not say which of them is found. Ours must be of equal elements too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .compare import close, tensors_in
from .convert import to_torch


def _dim_after(count: int) -> Callable[[tuple, dict], int]:
    """The argument ``dim`` where it comes after so many others, the tensor not counted."""
    return lambda args, kwargs: kwargs.get("dim", args[count] if len(args) > count else -1)


# Of each op with such indices: where its dim is, and whether each index may come once only.
OPS = {
    "argsort": (_dim_after(0), True),
    "kthvalue": (_dim_after(1), False),
    "mode": (_dim_after(0), False),
    "sort": (_dim_after(0), True),
    "topk": (_dim_after(1), True),
}


def differ_in_ties_only(op: str, sample: Any, ours: Any, theirs: Any) -> bool:
    """Whether all that differs between two results of ``op`` is which of several equal elements was taken."""
    if op not in OPS or sample.kwargs.get("stable"):
        return False
    found, expected = tensors_in(ours), tensors_in(theirs)
    if len(found) != len(expected) or any(tuple(f.shape) != tuple(e.shape) for f, e in zip(found, expected)):
        return False
    *values, indices = [to_torch(tensor) for tensor in found]
    *expected_values, expected_indices = [tensor.detach() for tensor in expected]
    if indices.dtype != torch.int64 or not all(close(f, e, 1) for f, e in zip(values, expected_values)):
        return False
    where_dim, unique = OPS[op]
    tensor, dim = sample.input.detach(), where_dim(sample.args, sample.kwargs)
    if indices.dim() < tensor.dim():
        indices, expected_indices = indices.unsqueeze(dim), expected_indices.unsqueeze(dim)
    return _of_equal_elements(tensor, dim, indices, expected_indices) and not (
        unique and _repeats(indices, dim)
    )


def _of_equal_elements(tensor: torch.Tensor, dim: int, indices: torch.Tensor, others: torch.Tensor) -> bool:
    size = tensor.shape[dim] if tensor.dim() else 1
    if indices.numel() and not (0 <= indices.min() and indices.max() < size):
        return False
    found, expected = tensor.gather(dim, indices), tensor.gather(dim, others)
    return bool(((found == expected) | (found.isnan() & expected.isnan())).all())


def _repeats(indices: torch.Tensor, dim: int) -> bool:
    """Whether an index comes twice along ``dim``."""
    if indices.dim() == 0:
        return False
    ordered = indices.sort(dim).values
    return bool((ordered.diff(dim=dim) == 0).any())
