"""Exchange of tensors between libraries without copying: DLPack."""

from __future__ import annotations

from typing import Any

from framejit import Tensor, from_dlpack

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor) -> Any:
    """A capsule with the tensor's memory, which one consumer may take."""
    return tensor.__dlpack__()
