"""Padding of the spatial dimensions."""

from __future__ import annotations

from typing import Any

from framejit import Tensor
from framejit.nn import functional as F
from framejit.nn.modules.module import Module
from framejit.nn.modules.utils import _ntuple


class _PadNd(Module):
    """Pads by ``padding``: one number for all sides, or (before, after) of each dimension, last dimension first."""

    _dims = 0
    _mode = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._dims)(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with ``value``."""

    _dims = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with ``value``."""

    _dims = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with ``value``."""

    _dims = 3


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPadNd):
    """Pads the last dimension with zeros."""

    _dims = 1


class ZeroPad2d(_ZeroPadNd):
    """Pads the last two dimensions with zeros."""

    _dims = 2


class ZeroPad3d(_ZeroPadNd):
    """Pads the last three dimensions with zeros."""

    _dims = 3


class ReflectionPad1d(_PadNd):
    """Pads the last dimension with its mirror image, the border itself not repeated."""

    _dims, _mode = 1, "reflect"


class ReflectionPad2d(_PadNd):
    """Pads the last two dimensions with their mirror image, the border itself not repeated."""

    _dims, _mode = 2, "reflect"


class ReflectionPad3d(_PadNd):
    """Pads the last three dimensions with their mirror image, the border itself not repeated."""

    _dims, _mode = 3, "reflect"


class ReplicationPad1d(_PadNd):
    """Pads the last dimension with its border."""

    _dims, _mode = 1, "replicate"


class ReplicationPad2d(_PadNd):
    """Pads the last two dimensions with their border."""

    _dims, _mode = 2, "replicate"


class ReplicationPad3d(_PadNd):
    """Pads the last three dimensions with their border."""

    _dims, _mode = 3, "replicate"


class CircularPad1d(_PadNd):
    """Pads the last dimension as if it were a circle."""

    _dims, _mode = 1, "circular"


class CircularPad2d(_PadNd):
    """Pads the last two dimensions as if they were circles."""

    _dims, _mode = 2, "circular"


class CircularPad3d(_PadNd):
    """Pads the last three dimensions as if they were circles."""

    _dims, _mode = 3, "circular"
