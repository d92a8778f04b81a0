"""Window functions: ``torch.signal.windows``. Each takes the number of points M, and ``sym``: whether the window is symmetric, or a
period of M points whose next point would be the first again."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import framejit as fj
from framejit._C import Tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _points(name: str, M: int, options: dict[str, Any]) -> Tensor:
    """0, 1, ... M - 1 in the dtype that the options name. ``options`` (of a factory) lose what is no option of arange."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    layout = options.pop("layout", None)
    if layout not in (None, fj.strided):
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    dtype = options.setdefault("dtype", None) or fj.get_default_dtype()
    if dtype not in (fj.float32, fj.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    options.pop("requires_grad", None)
    return fj.arange(M, **{**options, "dtype": dtype})


def _window(values: Tensor, options: dict[str, Any]) -> Tensor:
    return values.requires_grad_(bool(options.get("requires_grad", False)))


def _last(M: int, sym: bool) -> int:
    """The point where a symmetric window, or the next period, ends."""
    return M - 1 if sym or M <= 1 else M


def _check_positive(name: str, parameter: str, value: float) -> None:
    if value <= 0:
        raise ValueError(f"{name}: {parameter} must be positive, got: {value} instead.")


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """exp(-|k - center| / tau); the center is the middle unless given, which needs ``sym=False``."""
    _check_positive("exponential", "Tau", tau)
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    k = _points("exponential", M, dict(options))
    middle = _last(M, sym) / 2 if center is None else center
    return _window(((k - middle).abs() / -tau).exp(), options)


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Half a period of a sine."""
    k = _points("cosine", M, dict(options))
    return _window(((k + 0.5) * (math.pi / max(_last(M, sym) + 1, 1))).sin(), options)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """exp(-x ** 2 / 2) of the distance x from the middle in units of ``std``."""
    _check_positive("gaussian", "Standard deviation", std)
    x = (_points("gaussian", M, dict(options)) - _last(M, sym) / 2) / (std * math.sqrt(2))
    return _window((-x * x).exp(), options)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """i0(beta * sqrt(1 - x ** 2)) / i0(beta), where x goes from -1 to 1."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    k = _points("kaiser", M, dict(options))
    if M < 2:
        return _window(fj.ones_like(k), options)
    x = k * (2 / _last(M, sym)) - 1
    height = fj.tensor(float(beta), dtype=k.dtype, device=k.device)
    arch = height * (1 - x * x).clamp(min=0).sqrt()
    # i0 of both without the exponential, which overflows
    return _window(fj.special.i0e(arch) / fj.special.i0e(height) * (arch - height).exp(), options)


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Tensor:
    """a[0] - a[1] cos(x) + a[2] cos(2 x) - ..., where x goes once round."""
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    weights = list(a)
    if not weights:
        raise ValueError("Coefficients cannot be empty")
    k = _points("general_cosine", M, dict(options))
    if M < 2:
        return _window(fj.ones_like(k), options)
    angle = k * (2 * math.pi / _last(M, sym))
    waves = [(weight if i % 2 == 0 else -weight) * (angle * i).cos() for i, weight in enumerate(weights)]
    return _window(fj.stack(waves).sum(0), options)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """alpha - (1 - alpha) cos(x), where x goes once round."""
    return general_cosine(M, a=[alpha, 1 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """general_hamming with alpha 0.54."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """general_hamming with alpha 0.5."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """general_cosine with three coefficients, those of Blackman."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """general_cosine with four coefficients, those of Nuttall."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """A triangle that is zero at both ends."""
    k = _points("bartlett", M, dict(options))
    if M < 2:
        return _window(fj.ones_like(k), options)
    return _window(1 - (k * (2 / _last(M, sym)) - 1).abs(), options)
