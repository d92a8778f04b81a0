"""Functions element by element: those of ``fj`` under the standard's names, with the standard's promotion."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.array_api._types import is_complex, is_floating, promote

_UNARY = {
    "abs": fj.abs,
    "acos": fj.acos,
    "acosh": fj.acosh,
    "asin": fj.asin,
    "asinh": fj.asinh,
    "atan": fj.atan,
    "atanh": fj.atanh,
    "bitwise_invert": fj.bitwise_not,
    "cos": fj.cos,
    "cosh": fj.cosh,
    "exp": fj.exp,
    "isfinite": fj.isfinite,
    "isinf": fj.isinf,
    "isnan": fj.isnan,
    "log": fj.log,
    "log1p": fj.log1p,
    "log2": fj.log2,
    "log10": fj.log10,
    "logical_not": fj.logical_not,
    "negative": fj.neg,
    "positive": fj.positive,
    "reciprocal": fj.reciprocal,
    "signbit": fj.signbit,
    "sin": fj.sin,
    "sinh": fj.sinh,
    "sqrt": fj.sqrt,
    "square": fj.square,
    "tan": fj.tan,
}
_BINARY = {
    "add": fj.add,
    "atan2": fj.atan2,
    "bitwise_and": fj.bitwise_and,
    "bitwise_left_shift": fj.bitwise_left_shift,
    "bitwise_or": fj.bitwise_or,
    "bitwise_right_shift": fj.bitwise_right_shift,
    "bitwise_xor": fj.bitwise_xor,
    "copysign": fj.copysign,
    "divide": fj.div,
    "equal": fj.eq,
    "greater": fj.gt,
    "greater_equal": fj.ge,
    "hypot": fj.hypot,
    "less": fj.lt,
    "less_equal": fj.le,
    "logaddexp": fj.logaddexp,
    "logical_and": fj.logical_and,
    "logical_or": fj.logical_or,
    "logical_xor": fj.logical_xor,
    "maximum": fj.maximum,
    "minimum": fj.minimum,
    "multiply": fj.mul,
    "not_equal": fj.ne,
    "pow": fj.pow,
    "remainder": fj.remainder,
    "subtract": fj.sub,
}
_ROUNDING = {"ceil": fj.ceil, "floor": fj.floor, "trunc": fj.trunc}

_OWN = ["clip", "conj", "expm1", "floor_divide", "imag", "nextafter", "real", "round", "sign", "tanh"]

__all__ = [*_OWN, *_UNARY, *_BINARY, *_ROUNDING]


def _named(function: Callable[..., Tensor], name: str, of: Callable[..., Any]) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = of.__doc__
    return function


def _unary(name: str, of: Callable[..., Tensor]) -> Callable[[Tensor], Tensor]:
    def function(x: Tensor, /) -> Tensor:
        return of(x)

    return _named(function, name, of)


def _rounding(name: str, of: Callable[..., Tensor]) -> Callable[[Tensor], Tensor]:
    def function(x: Tensor, /) -> Tensor:
        return of(x) if is_floating(x.dtype) else x.clone()

    return _named(function, name, of)


def _binary(name: str, of: Callable[..., Tensor]) -> Callable[[Any, Any], Tensor]:
    def function(x1: Any, x2: Any, /) -> Tensor:
        first, second = promote(x1, x2)
        return of(first, second)

    return _named(function, name, of)


globals().update({name: _unary(name, of) for name, of in _UNARY.items()})
globals().update({name: _binary(name, of) for name, of in _BINARY.items()})
globals().update({name: _rounding(name, of) for name, of in _ROUNDING.items()})


# --- where the standard asks for other special values than PyTorch ------------------------------------------------------
def expm1(x: Tensor, /) -> Tensor:
    result = fj.expm1(x)
    if not is_complex(x.dtype):
        return result
    result = fj.complex(fj.real(result) + 0.0, fj.imag(result))  # a real part of zero is +0
    return fj.where(fj.isfinite(fj.real(x)), result, fj.exp(x) - 1)


def tanh(x: Tensor, /) -> Tensor:
    """At infinity the imaginary part is a zero of the sign of ``x``'s, whatever its sine is."""
    result = fj.tanh(x)
    if not is_complex(x.dtype):
        return result
    limit = fj.complex(fj.sign(fj.real(x)), fj.copysign(fj.zeros_like(fj.imag(x)), fj.imag(x)))
    return fj.where(fj.logical_and(fj.isinf(fj.real(x)), fj.isfinite(fj.imag(x))), limit, result)


def floor_divide(x1: Any, x2: Any, /) -> Tensor:
    """Infinities are divided as in ``divide``: infinity // 2 is infinity."""
    first, second = promote(x1, x2)
    result = fj.floor_divide(first, second)
    if not is_floating(result.dtype):
        return result
    quotient = fj.div(first, second)
    infinite = fj.logical_or(fj.isinf(_tensor(first, result)), fj.isinf(_tensor(second, result)))
    return fj.where(infinite, fj.floor(quotient), result)


def nextafter(x1: Any, x2: Any, /) -> Tensor:
    first, second = promote(x1, x2)
    like = first if isinstance(first, Tensor) else second
    return fj.nextafter(_tensor(first, like), _tensor(second, like))


def _tensor(x: Any, like: Tensor) -> Tensor:
    return x if isinstance(x, Tensor) else fj.full((), x, dtype=like.dtype)


def round(x: Tensor, /) -> Tensor:
    """To the nearest integer, halves to even; of complex numbers both parts."""
    if x.is_complex():
        return fj.complex(fj.round(x.real), fj.round(x.imag))
    return fj.round(x) if x.is_floating_point() else x.clone()


def sign(x: Tensor, /) -> Tensor:
    if is_complex(x.dtype):
        return fj.sgn(x)
    return fj.where(fj.isnan(x), x, fj.sign(x)) if is_floating(x.dtype) else fj.sign(x)


def real(x: Tensor, /) -> Tensor:
    return fj.real(x) if is_complex(x.dtype) else x


def imag(x: Tensor, /) -> Tensor:
    return fj.imag(x) if is_complex(x.dtype) else fj.zeros_like(x)


def conj(x: Tensor, /) -> Tensor:
    return fj.conj(x) if is_complex(x.dtype) else x


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """Elements below ``min`` become it, those above ``max`` become that; the dtype stays that of ``x``."""
    result = x
    if min is not None:
        low = _like(min, x)
        result = fj.where(result < low, low, result)
    if max is not None:
        high = _like(max, x)
        result = fj.where(result > high, high, result)
    for bound in (min, max):  # NaN anywhere gives NaN
        if is_floating(x.dtype) and isinstance(bound, Tensor):
            result = fj.where(fj.isnan(bound), bound.to(x.dtype), result)
    return result.clone() if result is x else result.to(x.dtype)


def _like(bound: Any, x: Tensor) -> Tensor:
    return (
        bound.to(x.dtype) if isinstance(bound, Tensor) else fj.full((), bound, dtype=_bound_dtype(bound, x))
    )


def _bound_dtype(bound: builtins.float, x: Tensor) -> Any:
    """Bounds of integers may be beyond their dtype."""
    return x.dtype if is_floating(x.dtype) or (isinstance(bound, int) and -128 < bound < 128) else fj.int64
