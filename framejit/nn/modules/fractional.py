"""Fractional max-pooling: windows of one size at pseudo-random places, for any ratio of sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from framejit import Tensor
from framejit.nn import functional as F
from framejit.nn.modules.module import Module
from framejit.nn.modules.utils import _ntuple

Sizes = int | Sequence[int]


class _FractionalMaxPoolNd(Module):
    _dims: ClassVar[int]
    _random_samples: Tensor | None

    def __init__(
        self,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        each = _ntuple(self._dims)
        if (output_size is None) == (output_ratio is None):
            raise ValueError(
                f"{type(self).__name__}: got output_size={output_size} and output_ratio={output_ratio}, expected one of them"
            )
        self.kernel_size = each(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else each(output_size)
        self.output_ratio = None if output_ratio is None else each(output_ratio)
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def _arguments(self) -> tuple[Any, ...]:
        return (
            self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples,
        )  # fmt: skip


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Of ``(N, C, H, W)`` or ``(C, H, W)``; the result has ``output_size``, or ``output_ratio`` of the input's: Graham (2015)."""

    _dims = 2

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool2d(input, *self._arguments())


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Of ``(N, C, T, H, W)`` or ``(C, T, H, W)``; see :class:`FractionalMaxPool2d`."""

    _dims = 3

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool3d(input, *self._arguments())
