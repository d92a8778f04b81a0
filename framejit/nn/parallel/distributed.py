"""``DistributedDataParallel`` needs a group of processes, which cannot be had."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from framejit import Tensor, distributed
from framejit.nn.modules.module import Module


class DistributedDataParallel(Module):
    """Exists so that programs can name it; making one raises, as in PyTorch without a process group."""

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        distributed.get_rank()


def _find_tensors(obj: Any) -> list[Tensor]:
    """The tensors inside of nested lists, tuples, dicts and dataclasses."""
    if isinstance(obj, Tensor):
        return [obj]
    if is_dataclass(obj) and not isinstance(obj, type):
        obj = [getattr(obj, field.name) for field in fields(obj)]
    elif isinstance(obj, dict):
        obj = obj.values()
    elif not isinstance(obj, (list, tuple)):
        return []
    return [tensor for item in obj for tensor in _find_tensors(item)]
