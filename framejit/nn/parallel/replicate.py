"""``replicate``: a module once per GPU, with the same parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framejit.cuda import _no_gpu
from framejit.nn.modules.module import Module

__all__ = ["replicate"]


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """``network`` on each of ``devices``, which must be GPUs: raises RuntimeError unless there are none in the list."""
    return [_no_gpu() for _ in devices]
