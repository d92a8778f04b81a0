"""Arithmetic as modules, which quantization would replace. Here it computes in floats, as in PyTorch before conversion."""

from __future__ import annotations

from collections.abc import Sequence

import framejit as fj
from framejit import Tensor
from framejit.nn.modules.linear import Identity
from framejit.nn.modules.module import Module

__all__ = ["FloatFunctional"]


class FloatFunctional(Module):
    """Its methods compute, and pass the result through ``activation_post_process``."""

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = Identity()

    def forward(self, x: Tensor) -> Tensor:
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return self.activation_post_process(fj.add(x, y))

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        return fj.add(x, y)

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        return self.activation_post_process(fj.mul(x, y))

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        return fj.mul(x, y)

    def cat(self, x: Sequence[Tensor], dim: int = 0) -> Tensor:
        return self.activation_post_process(fj.cat(list(x), dim=dim))

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        return self.activation_post_process(fj.relu(fj.add(x, y)))

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        return self.activation_post_process(fj.matmul(x, y))
