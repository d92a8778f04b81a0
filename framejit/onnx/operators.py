"""Shapes as tensors: functions of programs that are also exported to ONNX. Here they are what they say."""

import framejit as fj
from framejit import Tensor

__all__ = ["reshape_from_tensor_shape", "shape_as_tensor"]


def shape_as_tensor(x: Tensor) -> Tensor:
    """The sizes of ``x`` as an int64 tensor."""
    return fj.tensor(list(x.shape), dtype=fj.int64)


def reshape_from_tensor_shape(x: Tensor, shape: Tensor) -> Tensor:
    """``x.reshape(shape)`` with ``shape`` an int64 tensor."""
    return x.reshape(shape.tolist())
