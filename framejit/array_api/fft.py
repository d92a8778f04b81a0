"""Fourier transforms of the standard: ``fj.fft`` with ``axis`` for ``dim``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit._C import dtype as DType
from framejit.array_api._types import Device, is_complex

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


def _one_axis(name: str) -> Callable[..., Tensor]:
    of = getattr(fj.fft, name)

    def function(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
        return of(_checked(name, x), n, axis, norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = of.__doc__
    return function


def _several_axes(name: str) -> Callable[..., Tensor]:
    of = getattr(fj.fft, name)

    def function(
        x: Tensor,
        /,
        *,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str = "backward",
    ) -> Tensor:
        return of(_checked(name, x), s, axes, norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = of.__doc__
    return function


def _checked(name: str, x: Tensor) -> Tensor:
    if not (x.dtype.is_floating_point or is_complex(x.dtype)):
        raise TypeError(
            f"{name}: got an array of {x.dtype}, expected floating-point numbers. Try astype(x, float32)."
        )
    return x


fft, ifft, rfft = _one_axis("fft"), _one_axis("ifft"), _one_axis("rfft")
irfft, hfft, ihfft = _one_axis("irfft"), _one_axis("hfft"), _one_axis("ihfft")
fftn, ifftn = _several_axes("fftn"), _several_axes("ifftn")
rfftn, irfftn = _several_axes("rfftn"), _several_axes("irfftn")


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: Device = None) -> Tensor:
    return fj.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: Device = None) -> Tensor:
    return fj.fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    return fj.fft.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    return fj.fft.ifftshift(x, axes)
