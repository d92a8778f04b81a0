"""``scatter`` and ``gather``: a batch in parts, one for each GPU, and back."""

from __future__ import annotations

from typing import Any

from framejit.cuda import _no_gpu

__all__ = ["gather", "scatter", "scatter_kwargs"]


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> Any:
    """Raises RuntimeError: there are no GPUs to scatter to."""
    _no_gpu()


def scatter_kwargs(inputs: Any, kwargs: Any, target_gpus: Any, dim: int = 0) -> Any:
    """Raises RuntimeError: there are no GPUs to scatter to."""
    _no_gpu()


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Raises RuntimeError: there are no GPUs to gather from."""
    _no_gpu()
