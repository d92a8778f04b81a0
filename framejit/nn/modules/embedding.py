"""Embedding tables."""

from __future__ import annotations

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F
from framejit.nn import init
from framejit.nn.modules.module import Module
from framejit.nn.parameter import Parameter


class Embedding(Module):
    """Rows of a table by index.

    Shapes: input ``(*)`` of integers, weight ``(num_embeddings, embedding_dim)``, output ``(*, embedding_dim)``. The
    row ``padding_idx`` starts at zero and gets no gradient.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        _weight: Tensor | None = None,
        device: fj.device | str | None = None,
        dtype: fj.dtype | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ValueError(
                    f"padding_idx must be within num_embeddings, got {padding_idx} for {num_embeddings}"
                )
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        if _weight is None:
            self.weight = Parameter(fj.empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
            self.reset_parameters()
        else:
            if tuple(_weight.shape) != (num_embeddings, embedding_dim):
                raise ValueError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with fj.no_grad():
                self.weight[self.padding_idx].fill_(0)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> Embedding:
        if embeddings.dim() != 2:
            raise ValueError("Embeddings parameter is expected to be 2-dimensional")
        count, width = embeddings.shape
        module = cls(count, width, padding_idx=padding_idx, _weight=embeddings)
        module.weight.requires_grad_(not freeze)
        return module

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"
