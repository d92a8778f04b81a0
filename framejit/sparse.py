"""Sparse tensors: there are none. Functions that PyTorch also gives dense tensors work on those."""

from __future__ import annotations

from typing import Any, NoReturn

from framejit import Tensor
from framejit import mm as _mm

__all__ = ["FloatTensor", "LongTensor", "mm", "sparse_coo_tensor"]


def mm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The matrix product."""
    return _mm(mat1, mat2)


def sparse_coo_tensor(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "framejit has no sparse tensors. Try a dense tensor, or index_add and scatter with the indices."
    )


class FloatTensor:
    """PyTorch's old way to make a sparse tensor; raises NotImplementedError. No tensor is an instance."""

    def __new__(cls, *args: Any, **kwargs: Any) -> FloatTensor:
        sparse_coo_tensor()


class LongTensor(FloatTensor):
    """As :class:`FloatTensor`."""
