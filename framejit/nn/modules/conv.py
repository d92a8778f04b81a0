"""Convolutions and transposed convolutions over one, two and three spatial dimensions."""

from __future__ import annotations

import math
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F
from framejit.nn import init
from framejit.nn.modules.module import Module
from framejit.nn.modules.utils import _ntuple, _reverse_repeat_tuple
from framejit.nn.parameter import Parameter

_Padding = Any  # "same", "valid", a number, or one number per dimension


class _ConvNd(Module):
    """What all convolutions share: arguments, their checks, weight and bias.

    Shapes: weight ``(out_channels, in_channels / groups, *kernel_size)``, with the first two swapped when ``transposed``.
    """

    bias: Parameter | None
    weight: Parameter

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: _Padding,
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check_channels(in_channels, out_channels, groups)
        _check_padding(padding, padding_mode, stride)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.padding, self.padding_mode = padding, padding_mode
        self.transposed, self.output_padding = transposed, output_padding
        # As F.pad takes it; only padding modes other than zeros use it.
        self._reversed_padding_repeated_twice = list(_both_sides(padding, kernel_size, dilation))
        channels = (
            (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        )
        self.weight = Parameter(fj.empty((*channels, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(fj.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in else 0
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        ]
        if self.padding != (0,) * len(self.kernel_size):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * len(self.dilation):
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * len(self.output_padding):
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


def _check_channels(in_channels: int, out_channels: int, groups: int) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups:
        raise ValueError("out_channels must be divisible by groups")


def _check_padding(padding: _Padding, padding_mode: str, stride: tuple[int, ...]) -> None:
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    modes = ("zeros", "reflect", "replicate", "circular")
    if padding_mode not in modes:
        raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")


def _both_sides(
    padding: _Padding, kernel_size: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[int, ...]:
    """Padding before and after each dimension, last dimension first."""
    if padding == "valid":
        return (0,) * (2 * len(kernel_size))
    if padding == "same":
        totals = [d * (k - 1) for d, k in zip(dilation, kernel_size)]
        return tuple(side for total in reversed(totals) for side in (total // 2, total - total // 2))
    return _reverse_repeat_tuple(padding, 2)


class _Conv(_ConvNd):
    """A convolution; subclasses say how many dimensions, and define ``_conv_forward``."""

    _dims = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: _Padding = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        n = _ntuple(self._dims)
        super().__init__(
            in_channels,
            out_channels,
            n(kernel_size),
            n(stride),
            padding if isinstance(padding, str) else n(padding),
            n(dilation),
            False,
            n(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        raise NotImplementedError

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution of ``(N, C, L)`` or ``(C, L)``."""

    _dims = 1

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv1d(input, weight, bias, self.stride, (0,), self.dilation, self.groups)
        return F.conv1d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """Convolution of ``(N, C, H, W)`` or ``(C, H, W)``."""

    _dims = 2

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv2d(input, weight, bias, self.stride, (0, 0), self.dilation, self.groups)
        return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class Conv3d(_Conv):
    """Convolution of ``(N, C, D, H, W)`` or ``(C, D, H, W)``."""

    _dims = 3

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv3d(input, weight, bias, self.stride, (0, 0, 0), self.dilation, self.groups)
        return F.conv3d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class _ConvTransposeNd(_ConvNd):
    """The gradient of a convolution as a layer."""

    _dims = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        n = _ntuple(self._dims)
        super().__init__(
            in_channels,
            out_channels,
            n(kernel_size),
            n(stride),
            n(padding),
            n(dilation),
            True,
            n(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """The output padding that makes the result of ``output_size``: spatial sizes, perhaps with the others before.

        Raises:
            ValueError: no output padding does.
        """
        if output_size is None:
            return self.output_padding
        dims = self._dims
        wanted = list(output_size)
        if len(wanted) == input.dim():
            wanted = wanted[-dims:]
        if len(wanted) != dims:
            raise ValueError(
                f"{type(self).__name__}: for {input.dim()}D input, output_size must have {dims} or {input.dim()} "
                f"elements (got {len(wanted)})"
            )
        smallest = [
            (size - 1) * s - 2 * p + d * (k - 1) + 1
            for size, s, p, d, k in zip(
                input.shape[-dims:], self.stride, self.padding, self.dilation, self.kernel_size
            )
        ]
        largest = [low + s - 1 for low, s in zip(smallest, self.stride)]
        if any(not low <= size <= high for low, size, high in zip(smallest, wanted, largest)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {smallest} to {largest} "
                f"(for an input of {list(input.shape[-dims:])})"
            )
        return tuple(size - low for size, low in zip(wanted, smallest))


_ConvTransposeMixin = _ConvTransposeNd  # its name before PyTorch 1.8


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution of ``(N, C, L)`` or ``(C, L)``."""

    _dims = 1

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution of ``(N, C, H, W)`` or ``(C, H, W)``."""

    _dims = 2

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution of ``(N, C, D, H, W)`` or ``(C, D, H, W)``."""

    _dims = 3

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        return F.conv_transpose3d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )
