"""Several tensors as one flat tensor, and back: what programs import from ``torch._utils``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import framejit as fj
from framejit import Tensor


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """All elements of all tensors, one after the other."""
    return fj.cat([tensor.reshape(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of ``flat`` with the shapes of ``tensors``."""
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple(part.view(tensor.shape) for part, tensor in zip(parts, tensors))


def _take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """The tensors in groups of one dtype and about ``size_limit`` bytes."""
    groups: defaultdict[str, list[Tensor]] = defaultdict(list)
    sizes: defaultdict[str, int] = defaultdict(int)
    for tensor in tensors:
        kind, size = tensor.type(), tensor.numel() * tensor.element_size()
        if sizes[kind] + size > size_limit and groups[kind]:
            yield groups.pop(kind)
            sizes[kind] = 0
        groups[kind].append(tensor)
        sizes[kind] += size
    yield from groups.values()
