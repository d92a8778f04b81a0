"""Types to annotate with."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TypeAlias

import framejit as fj
from framejit import Tensor

__all__ = ["Device", "Number", "Storage"]

_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_dtype: TypeAlias = fj.dtype
_device: TypeAlias = fj.device
_size: TypeAlias = fj.Size | list[builtins.int] | tuple[builtins.int, ...]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]

Number: TypeAlias = builtins.int | builtins.float | builtins.bool
Device: TypeAlias = fj.device | str | builtins.int | None
Storage: TypeAlias = fj.UntypedStorage
