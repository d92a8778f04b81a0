"""Samples into batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import framejit as fj
from framejit import Tensor


def default_convert(data: Any) -> Any:
    """NumPy arrays and scalars inside ``data`` as tensors; containers keep their type."""
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind not in "SUO":
        return fj.as_tensor(data)
    return _rebuild(data, default_convert)


def _rebuild(data: Any, convert: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(convert, data))
    if isinstance(data, (list, tuple)):
        return type(data)(map(convert, data))
    return data


def default_collate(batch: Sequence[Any]) -> Any:
    """Stacks samples along a new first dim: tensors and arrays stack, numbers become a tensor, containers recurse
    (a tuple becomes a list, as in PyTorch).

    Raises:
        RuntimeError: sequences of different lengths, or tensors of different shapes.
        TypeError: an element of a type that cannot be collated.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return fj.stack(list(batch))
    if isinstance(first, (np.ndarray, np.generic)) and first.dtype.kind not in "SUO":
        return fj.stack([fj.as_tensor(sample) for sample in batch])
    if isinstance(first, float):
        return fj.tensor(batch, dtype=fj.float64)
    if isinstance(first, int):
        return fj.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(samples) for samples in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(samples) for samples in zip(*batch)]
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )
