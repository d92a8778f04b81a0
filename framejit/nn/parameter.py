"""Parameters and buffers: tensors that a module owns."""

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
