"""Methods of :class:`Tensor` that are Python by nature: pickling, copying, hooks, NumPy, formatting.

The type itself is C (``framejit/bindings/tensor_type.cc``); importing this module completes it.
"""

from __future__ import annotations

import builtins
import copy
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from framejit import _C
from framejit._C import Tensor
from framejit.autograd import backward as _backward
from framejit.storage import UntypedStorage

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _method(function: _Function) -> _Function:
    """Makes a function of this module a method of Tensor."""
    function.__qualname__ = f"Tensor.{function.__name__}"
    function.__module__ = "framejit"
    setattr(Tensor, function.__name__, function)
    return function


# --- autograd ---------------------------------------------------------------------------------------------------------


@_method
def backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | list[Tensor] | None = None,
) -> None:
    """Adds the gradients of this tensor to ``.grad`` of the leaves it was computed from.

    Args:
        gradient: gradient of this tensor; 1 for a tensor of one element.
        retain_graph: keep what is needed for another call. Default: the value of ``create_graph``.
        create_graph: make the gradients differentiable.
        inputs: only these get a ``.grad``.
    """
    _backward(self, gradient, retain_graph, create_graph, inputs=inputs)


@_method
def _is_view(self: Tensor) -> bool:
    """Whether autograd knows it as a view of another tensor, ``_base``."""
    return self._base is not None


@_method
def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> _C._autograd.HookHandle:
    """Calls ``hook(grad)`` whenever the gradient of this tensor is computed; a result replaces the gradient."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return _C._autograd.register_hook(self, hook)


@_method
def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> _C._autograd.HookHandle:
    """Calls ``hook(self)`` after the gradient of this leaf was added to ``.grad``."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return _C._autograd.register_post_accumulate_hook(self, hook)


# --- Python data ------------------------------------------------------------------------------------------------------


@_method
def numpy(self: Tensor, *, force: bool = False) -> Any:
    """A NumPy array that shares this tensor's memory. ``force`` detaches (and copies) where needed."""
    import numpy as np

    return np.asarray(_Memory(self.detach() if force else self))


class _Memory:
    """What NumPy takes the memory from: it asks for ``__array_interface__`` only, and keeps this object alive."""

    __slots__ = ("__array_interface__", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.__array_interface__ = tensor.__array_interface__


@_method
def __array__(self: Tensor, dtype: Any = None, copy: builtins.bool | None = None) -> Any:
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested")
        return array.astype(dtype)
    return array.copy() if copy else array


@_method
def __array_wrap__(
    self: Tensor, array: Any, context: Any = None, return_scalar: builtins.bool = False
) -> Tensor:
    return _C.as_tensor(array)


@_method
def __array_namespace__(self: Tensor, *, api_version: str | None = None) -> Any:
    """The functions of the Python array API standard over tensors: :mod:`framejit.array_api`."""
    from framejit import array_api

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"__array_namespace__: got api_version {api_version!r}, expected 2024.12 or an earlier one")
    return array_api


@_method
def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """This tensor on another device. ``stream`` must be None: there is only the CPU."""
    if stream is not None:
        raise ValueError(f"to_device: got stream {stream!r}, expected None")
    return self.to(device)


@_method
def __contains__(self: Tensor, element: Any) -> builtins.bool:
    if not isinstance(element, (Tensor, int, float, complex)):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {builtins.type(element)}."
        )
    return bool((self == element).any())


@_method
def __complex__(self: Tensor) -> complex:
    return complex(self.item())


@_method
def __reversed__(self: Tensor) -> Tensor:
    return self if self.ndim == 0 else self.flip(0)


@_method
def __format__(self: Tensor, spec: str) -> str:
    if self.ndim == 0 and not self.is_meta:
        return format(self.item(), spec)
    return object.__format__(self, spec)


@_method
def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False
) -> Tensor:
    """A new tensor of ``data`` with the dtype of this one unless another is given."""
    return _C.tensor(
        data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad
    )


_TYPE_NAMES = {
    "FloatTensor": _C.float32,
    "DoubleTensor": _C.float64,
    "HalfTensor": _C.float16,
    "BFloat16Tensor": _C.bfloat16,
    "ComplexFloatTensor": _C.complex64,
    "ComplexDoubleTensor": _C.complex128,
    "CharTensor": _C.int8,
    "ShortTensor": _C.int16,
    "IntTensor": _C.int32,
    "LongTensor": _C.int64,
    "ByteTensor": _C.uint8,
    "BoolTensor": _C.bool,
}


@_method
def type(self: Tensor, dtype: Any = None, non_blocking: builtins.bool = False) -> Any:
    """The name of the tensor's type, such as "framejit.FloatTensor"; with ``dtype`` (or such a name or class), the tensor in it."""
    if dtype is None:
        return "framejit." + next(name for name, known in _TYPE_NAMES.items() if known == self.dtype)
    if isinstance(dtype, str):
        name = dtype.removeprefix("framejit.").removeprefix("torch.")
        if name not in _TYPE_NAMES:
            raise ValueError(f"Tensor.type: got {dtype!r}, expected one of {', '.join(_TYPE_NAMES)}")
        dtype = _TYPE_NAMES[name]
    return self.to(getattr(dtype, "dtype", dtype))  # a class, such as framejit.FloatTensor, has it


# --- copying and pickling ---------------------------------------------------------------------------------------------


def _rebuild(
    storage: UntypedStorage,
    dtype: Any,
    offset: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: builtins.bool,
    state: dict[str, Any] | None,
) -> Tensor:
    tensor = storage._view(dtype, offset, size, stride).requires_grad_(requires_grad)
    if state:
        tensor.__dict__.update(state)
    return tensor


@_method
def __reduce_ex__(self: Tensor, protocol: int) -> tuple[Any, ...]:
    """Tensors that share memory and are pickled together share memory again."""
    if self.requires_grad and not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user support pickling. Try tensor.detach() first."
        )
    layout = (self.storage_offset(), tuple(self.shape), self.stride())
    return _rebuild, (
        self.untyped_storage(),
        self.dtype,
        *layout,
        self.requires_grad,
        dict(self.__dict__) or None,
    )


def _like(self: Tensor, data: Tensor) -> Any:
    """``data`` as an object of the class of ``self``, with what users have set on it."""
    if builtins.type(self) is not Tensor:
        data = Tensor._make_subclass(builtins.type(self), data)
    return data.requires_grad_(self.requires_grad)


@_method
def __copy__(self: Tensor) -> Tensor:
    """Another object that shares this one's memory."""
    result: Tensor = _like(self, self.detach())
    result.__dict__.update(self.__dict__)
    return result


@_method
def __deepcopy__(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy; tensors that share memory and are copied together share memory again."""
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
        )
    if id(self) in memo:
        return memo[id(self)]
    if self.is_meta:
        data = self.detach().clone()
    else:
        storage = copy.deepcopy(self.untyped_storage(), memo)
        data = storage._view(self.dtype, self.storage_offset(), self.shape, self.stride())
    result: Tensor = _like(self, data)
    memo[id(self)] = result
    if self.grad is not None:
        result.grad = copy.deepcopy(self.grad, memo)
    result.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return result


@_method
def share_memory_(self: Tensor) -> Tensor:
    """Moves the memory, with that of all its views, where other processes can map it (see :mod:`framejit.multiprocessing`)."""
    self.untyped_storage().share_memory_()
    return self


@_method
def is_shared(self: Tensor) -> builtins.bool:
    """Whether other processes can map its memory."""
    return self.untyped_storage().is_shared()


@_method
def __dir__(self: Tensor) -> Iterator[str]:
    return iter(sorted({*object.__dir__(self), *dir(builtins.type(self))}))
