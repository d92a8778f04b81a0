"""Parameters and buffers: tensors that a module owns, and their uninitialised forms for lazy modules."""

from __future__ import annotations

from typing import Any, SupportsIndex

from framejit import Tensor, empty


class Parameter(Tensor):
    """A tensor that becomes a parameter of the module it is assigned to.

    Args:
        data: the values; shared, not copied. ``None`` makes an empty tensor.
        requires_grad: whether autograd records operations on it.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(
                f"Parameter: got data of type {type(data).__name__}, expected Tensor. Try fj.tensor(data)."
            )
        return Tensor._make_subclass(cls, data.detach(), requires_grad)

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return _rebuild_parameter, (self.data, self.requires_grad)


def _rebuild_parameter(data: Tensor, requires_grad: bool) -> Parameter:
    return Parameter(data, requires_grad)


class Buffer(Tensor):
    """A tensor that becomes a buffer of the module it is assigned to.

    Args:
        data: the values; shared, not copied.
        persistent: whether the buffer is part of the module's state dict.
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer:
        data = empty(0) if data is None else data
        self = Tensor._make_subclass(cls, data.detach(), data.requires_grad)
        self.persistent = persistent
        return self


class _Lazy(Tensor):
    """A tensor without a shape: ``materialize(shape)`` gives it one, and makes it ``cls_to_become``."""

    cls_to_become: type[Tensor]

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Allocates (uninitialised) memory for ``shape``."""
        self.data = empty(tuple(shape), device=device or self.device, dtype=dtype or self.dtype)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(_Lazy, Parameter):
    """A parameter whose shape a lazy module finds out from its first input."""

    cls_to_become = Parameter

    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: Any = None
    ) -> UninitializedParameter:
        return Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict) -> UninitializedParameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return type(self), (self.requires_grad, self.device, self.dtype)


class UninitializedBuffer(_Lazy):
    """A buffer whose shape a lazy module finds out from its first input."""

    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None
    ) -> UninitializedBuffer:
        return Tensor._make_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)


def is_lazy(value: object) -> bool:
    """Whether ``value`` is a parameter or buffer without a shape yet."""
    return isinstance(value, _Lazy)
