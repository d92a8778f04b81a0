"""Handles of hooks."""

from __future__ import annotations

from framejit import _C
from framejit._C import Tensor


class RemovableHandle:
    """What registering a hook returns: ``remove()`` takes the hook away, as does leaving a ``with`` block."""

    def __init__(self, tensor: Tensor, hook_id: int) -> None:
        self._tensor: Tensor | None = tensor
        self.id = hook_id

    def remove(self) -> None:
        if self._tensor is not None:
            _C._autograd.remove_hook(self._tensor, self.id)
            self._tensor = None

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()
