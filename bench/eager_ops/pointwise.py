"""Pointwise ops of float32: arithmetic, functions, comparisons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from eager_ops.case import ALL, SQUARE, Arrays, Case, floats, rng, square

ALLOCATES = 2.0  # the pool must pay: torch maps and clears fresh pages
pointwise = partial(Case, sizes=ALL)


def two(n: int) -> Arrays:
    return floats((), ())(n)


def positive(n: int) -> Arrays:
    return [np.abs(x) + 0.1 for x in floats()(n)]


def two_positive(n: int) -> Arrays:
    return [np.abs(x) + 0.1 for x in two(n)]


def _within_one(n: int) -> Arrays:
    return [rng().uniform(-1, 1, square(n)).astype(np.float32)]


def mask_and_two(n: int) -> Arrays:
    a, b = two(n)
    return [a > b, a, b]


def _functions(names: str, arrays: Callable[[int], Arrays] = SQUARE) -> list[Case]:
    """Functions of one tensor that NumPy has too, mostly."""
    return [
        pointwise(name, lambda t, a, name=name: getattr(t, name)(a), arrays, numpy=getattr(np, name, None))
        for name in names.split()
    ]


def _of_two(names: str, arrays: Callable[[int], Arrays] = two) -> list[Case]:
    return [
        pointwise(
            name, lambda t, a, b, name=name: getattr(t, name)(a, b), arrays, numpy=getattr(np, name, None)
        )
        for name in names.split()
    ]


def _activations(names: str) -> list[Case]:
    return [
        pointwise(name, lambda t, a, name=name: getattr(t.nn.functional, name)(a)) for name in names.split()
    ]


CASES = (
    pointwise("add", lambda t, a, b: a + b, two, numpy=np.add, wanted=ALLOCATES),
    pointwise("add a row", lambda t, a, b: a + b[0], two, numpy=lambda a, b: a + b[0]),
    pointwise("add a column", lambda t, a, b: a + b[:, :1], two, numpy=lambda a, b: a + b[:, :1]),
    pointwise("add in place", lambda t, a, b: a.add_(b), two, numpy=lambda a, b: np.add(a, b, out=a)),
    pointwise("add out", lambda t, a, b, out: t.add(a, b, out=out), floats((), (), ())),
    pointwise("add transposed", lambda t, a, b: a + b.T, two, numpy=lambda a, b: a + b.T),
    pointwise("add every other", lambda t, a, b: a[:, ::2] + b[:, ::2], two),
    pointwise("add number", lambda t, a: a + 1, numpy=lambda a: a + np.float32(1), wanted=ALLOCATES),
    pointwise("multiply by number", lambda t, a: a * 2.5, numpy=lambda a: a * np.float32(2.5)),
    pointwise("multiply in place", lambda t, a: a.mul_(1.0)),
    pointwise("subtract from number", lambda t, a: 1 - a),
    *_of_two("subtract multiply divide maximum minimum atan2 hypot logaddexp"),
    *_of_two("fmod remainder floor_divide", two_positive),
    pointwise("clamp", lambda t, a: t.clamp(a, -1, 1), numpy=lambda a: np.clip(a, -1, 1)),
    pointwise("clamp from below", lambda t, a: t.clamp(a, min=0.5)),
    pointwise("clamp by tensors", lambda t, a, b, c: t.clamp(a, b, c), floats((), (), ())),
    *_functions("neg abs sign square floor ceil round trunc frac reciprocal"),
    *_functions("exp exp2 expm1 sin cos tan tanh sinh cosh atan asinh sigmoid erf erfc"),
    *_functions("log log2 log10 log1p sqrt rsqrt lgamma digamma", positive),
    *_functions("asin acos atanh erfinv", _within_one),
    *_activations("relu gelu silu leaky_relu elu selu hardtanh hardswish hardsigmoid softplus mish relu6"),
    pointwise("gelu tanh", lambda t, a: t.nn.functional.gelu(a, approximate="tanh")),
    pointwise("threshold", lambda t, a: t.nn.functional.threshold(a, 0.5, 0.0)),
    pointwise("pow 2", lambda t, a: a**2, numpy=np.square),
    pointwise("pow 3", lambda t, a: a**3),
    pointwise("pow 0.5", lambda t, a: a**0.5, positive),
    pointwise("pow -1", lambda t, a: a**-1, positive),
    pointwise("pow 4", lambda t, a: a**4),
    pointwise("pow 1.7", lambda t, a: t.pow(a, 1.7), positive, numpy=lambda a: a ** np.float32(1.7)),
    pointwise("pow of tensors", lambda t, a, b: t.pow(a, b), two_positive, numpy=np.power),
    pointwise("pow of a number", lambda t, a: 2.5**a, positive),
    pointwise("addcmul", lambda t, a, b: t.addcmul(a, a, b, value=0.5), two),
    pointwise("addcdiv", lambda t, a, b: t.addcdiv(a, a, b, value=0.5), two_positive),
    pointwise("lerp", lambda t, a, b: t.lerp(a, b, 0.3), two),
    pointwise("nan_to_num", lambda t, a: t.nan_to_num(a), numpy=np.nan_to_num),
    pointwise("where", lambda t, c, a, b: t.where(c, a, b), mask_and_two, numpy=np.where),
    pointwise("where number", lambda t, c, a, b: t.where(c, a, 0.0), mask_and_two),
    pointwise("less", lambda t, a, b: a < b, two, numpy=np.less),
    pointwise("equal", lambda t, a, b: a == b, two, numpy=np.equal),
    pointwise("equal to number", lambda t, a: a == 0, numpy=lambda a: a == 0),
    pointwise("greater than number", lambda t, a: a > 0.5, numpy=lambda a: a > np.float32(0.5)),
    pointwise("isclose", lambda t, a, b: t.isclose(a, b), two),
    *_functions("isnan isinf isfinite signbit"),
)
