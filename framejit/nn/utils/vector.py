"""Parameters as one flat vector."""

from __future__ import annotations

from collections.abc import Iterable

import framejit as fj
from framejit import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened and concatenated: shape ``(total,)``."""
    return fj.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Sets each parameter's data to its slice of ``vec``."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected fj.Tensor, but got: {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[start : start + count].view(parameter.shape).detach()
        start += count
