"""What programs import from ``torch._utils``: several tensors as one flat tensor, and back; exceptions of other threads."""

from __future__ import annotations

import sys
import traceback
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

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


class ExceptionWrapper:
    """The exception being handled (or ``exc_info``) with its traceback as text, to be raised in another thread or process."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, error, trace = exc_info or sys.exc_info()
        assert kind is not None
        self.exc_type: type[BaseException] = kind
        self.exc_msg = "".join(traceback.format_exception(kind, error, trace))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raises an exception of the same type, whose text holds the original traceback."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = _Lines(text)
        try:
            error = self.exc_type(text)
        except Exception:  # a constructor with other arguments
            error = RuntimeError(text)
        raise error from None


class _Lines(str):
    """A text that KeyError, which shows the repr of its argument, shows with its line breaks."""

    def __repr__(self) -> str:
        return str(self)
