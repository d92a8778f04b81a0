"""Methods of :class:`Tensor` that are functions elsewhere, or whose arguments take more forms than a row of the op table can say.

Importing this module completes the type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framejit import _C, _lowrank, _settings, functional
from framejit._C import Tensor, ops
from framejit._tensor import _method


def _from_function(function: Callable[..., Any]) -> None:
    """Makes ``function(self, ...)`` a method."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    _method(method)


for _function in (
    functional.unique,
    functional.unique_consecutive,
    functional.lu,
    functional.orgqr,
    _lowrank.ormqr,
    _settings.is_nonzero,
    _settings.is_same_size,
):
    _from_function(_function)


@_method
def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """Raises: there is no GPU."""
    return self.to("cuda")


@_method
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """``self``, which has no other layout."""
    return self if dtype is None else self.to(dtype)


for _name in ("is_ipu", "is_maia", "is_mkldnn", "is_mps", "is_mtia", "is_vulkan", "is_xla", "is_xpu", "is_sparse_csr", "volatile"):
    setattr(Tensor, _name, property(lambda self: False, doc="False: there are no such tensors."))


@_method
def where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """Elements of self where condition holds, of other elsewhere."""
    return ops.where(condition, self, other)


@_method
def nonzero(self: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of what is not zero: a row for each element, or, ``as_tuple``, a vector for each dim."""
    return ops.nonzero(self, as_tuple=True) if as_tuple else ops.nonzero(self)


@_method
def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Sums over what broadcasting from ``size`` would add or stretch."""
    wanted = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    added = self.dim() - len(wanted)
    if added < 0 or any(one not in (1, own) for one, own in zip(wanted, self.shape[added:])):
        raise RuntimeError(f"size {list(wanted)} is not expandable to size {list(self.shape)}.")
    dims = [
        *range(added),
        *(added + i for i, one in enumerate(wanted) if one == 1 and self.size(added + i) != 1),
    ]
    if dims:
        return self.sum(dims, keepdim=True).reshape(wanted)
    return self if self.dim() else self.sum()


@_method
def new_empty_strided(
    self: Tensor, size: Any, stride: Any, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Of the given sizes and strides, not initialised, with the dtype of self unless another is given."""
    return ops.empty_strided(size, stride, dtype=dtype or self.dtype, device=device or self.device)


@_method
def apply_(self: Tensor, callable: Callable[..., Any]) -> Tensor:
    """Replaces every element by what ``callable`` makes of it. Slow: one call of Python code each."""
    return functional.apply_elementwise(callable, self)


@_method
def map_(self: Tensor, tensor: Tensor, callable: Callable[..., Any]) -> Tensor:
    """Replaces every element by ``callable(element, element of tensor)``."""
    return functional.apply_elementwise(callable, self, tensor.expand_as(self))


@_method
def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[..., Any]) -> Tensor:
    """Replaces every element by ``callable(element, element of x, element of y)``."""
    return functional.apply_elementwise(callable, self, x.expand_as(self), y.expand_as(self))


@_method
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both show the same elements of the same memory."""
    same_memory = self.data_ptr() == tensor.data_ptr()
    return same_memory and self.shape == tensor.shape and self.stride() == tensor.stride()


@_method
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """self: there is no device to pin memory for."""
    return self


@_method
def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Always False: there is no device to pin memory for."""
    return False


@_method
def as_subclass(self: Tensor, cls: type) -> Any:
    """An object of a subclass of Tensor that shares memory with self."""
    result = Tensor._make_subclass(cls, self)
    return result


@_method
def const_data_ptr(self: Tensor) -> int:
    """Address of the first element."""
    return self.data_ptr()


@_method
def new(self: Tensor, *args: Any, device: Any = None) -> Tensor:
    """A tensor of the dtype of self: of the given sizes and uninitialised, or of the given data."""
    if len(args) == 1 and isinstance(args[0], (list, tuple, Tensor)) and not isinstance(args[0], _C.Size):
        return self.new_tensor(args[0], device=device)
    return self.new_empty(args[0] if args and isinstance(args[0], _C.Size) else args or (0,), device=device)


@_method
def __rdiv__(self: Tensor, other: Any) -> Tensor:
    """``other / self``, by its name of Python 2."""
    return self.reciprocal() * other
