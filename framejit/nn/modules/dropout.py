"""Dropout."""

from __future__ import annotations

from framejit import Tensor
from framejit.nn import functional as F
from framejit.nn.modules.module import Module


class Dropout(Module):
    """While training, zeroes each element with probability ``p`` and scales the rest by ``1 / (1 - p)``."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"
