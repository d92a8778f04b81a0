"""``DistributedDataParallel`` needs a group of processes, which cannot be had."""

from __future__ import annotations

from typing import Any

from framejit import distributed
from framejit.nn.modules.module import Module


class DistributedDataParallel(Module):
    """Exists so that programs can name it; making one raises, as in PyTorch without a process group."""

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        distributed.get_rank()
