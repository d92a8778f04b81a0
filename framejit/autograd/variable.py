"""``Variable``: what tensors with gradients were called before PyTorch 0.4. Old programs still say it."""

from __future__ import annotations

from typing import Any

from framejit._C import Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)

    def __call__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Tensor:
        """The tensor itself, or one that shares its memory and requires grad."""
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_() if requires_grad and not data.requires_grad else data


class Variable(metaclass=_VariableMeta):
    """Every tensor is one; ``Variable(data)`` is ``data``."""
