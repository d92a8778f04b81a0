"""Pointwise ops of the other dtypes, bit operations, and casts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from eager_ops.case import ALL, Arrays, Case, floats, rng, square
from eager_ops.pointwise import two

typed = partial(Case, sizes=ALL)


def integers(dtype: type, low: int = -100, count: int = 2) -> Any:
    def make(n: int) -> Arrays:
        numbers = rng()
        return [numbers.integers(low, 100, square(n)).astype(dtype) for _ in range(count)]

    return make


def _masks(n: int) -> Arrays:
    return [x > 0 for x in two(n)]


def _as(dtype: str) -> Any:
    return lambda t, *tensors: [x.to(getattr(t, dtype)) for x in tensors]


def _halves(dtype: str) -> list[Case]:
    prepare = _as(dtype)
    return [
        typed(f"add {dtype}", lambda t, a, b: a + b, two, prepare=prepare),
        typed(f"multiply {dtype}", lambda t, a, b: a * b, two, prepare=prepare),
        typed(f"multiply {dtype} by number", lambda t, a: a * 2.5, prepare=prepare),
        typed(f"add in place {dtype}", lambda t, a, b: a.add_(b), two, prepare=prepare),
        typed(f"relu {dtype}", lambda t, a: t.relu(a), prepare=prepare),
        typed(f"less {dtype}", lambda t, a, b: a < b, two, prepare=prepare),
        typed(f"maximum {dtype}", lambda t, a, b: t.maximum(a, b), two, prepare=prepare),
        typed(f"gelu {dtype}", lambda t, a: t.nn.functional.gelu(a), prepare=prepare),
        typed(f"exp {dtype}", lambda t, a: t.exp(a), prepare=prepare),
        typed(f"to {dtype}", lambda t, a: a.to(getattr(t, dtype))),
        typed(f"from {dtype}", lambda t, a: a.float(), prepare=prepare),
    ]


def _integral(dtype: type) -> list[Case]:
    name, both, low = dtype.__name__, integers(dtype), 0 if dtype is np.uint8 else -100
    return [
        typed(f"add {name}", lambda t, a, b: a + b, both, numpy=np.add),
        typed(f"multiply {name}", lambda t, a, b: a * b, both, numpy=np.multiply),
        typed(f"add number {name}", lambda t, a: a + 1, integers(dtype, low, 1)),
        typed(f"maximum {name}", lambda t, a, b: t.maximum(a, b), both, numpy=np.maximum),
        typed(f"less {name}", lambda t, a, b: a < b, both, numpy=np.less),
        typed(f"equal number {name}", lambda t, a: a == 3, integers(dtype, low, 1)),
        typed(f"bitwise and {name}", lambda t, a, b: a & b, both, numpy=np.bitwise_and),
        typed(f"abs {name}", lambda t, a: t.abs(a), integers(dtype, low, 1), numpy=np.abs),
        typed(f"{name} to float32", lambda t, a: a.float(), integers(dtype, low, 1)),
    ]


def _complex(dtype: type) -> list[Case]:
    name, both = dtype.__name__, floats((), (), dtype=dtype)
    return [
        typed(f"add {name}", lambda t, a, b: a + b, both, numpy=np.add),
        typed(f"multiply {name}", lambda t, a, b: a * b, both, numpy=np.multiply),
        typed(f"multiply {name} by number", lambda t, a: a * 2.5, floats(dtype=dtype)),
        typed(f"abs {name}", lambda t, a: t.abs(a), floats(dtype=dtype), numpy=np.abs),
        typed(f"conj times {name}", lambda t, a, b: a.conj() * b, both),
    ]


def _cast(to: str) -> Case:
    return typed(f"float32 to {to}", lambda t, a: a.to(getattr(t, to)), numpy=lambda a: a.astype(to))


CASES = (
    *(case for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64) for case in _integral(dtype)),
    typed("floor_divide int64", lambda t, a, b: a // b, integers(np.int64, 1), numpy=np.floor_divide),
    typed("remainder int64", lambda t, a, b: a % b, integers(np.int64, 1), numpy=np.remainder),
    typed("shift int32", lambda t, a: a << 2, integers(np.int32, count=1), numpy=lambda a: a << 2),
    typed("not int32", lambda t, a: ~a, integers(np.int32, count=1), numpy=np.invert),
    *_halves("float16"),
    *_halves("bfloat16"),
    *_complex(np.complex64),
    *_complex(np.complex128),
    typed("add float64", lambda t, a, b: a + b, floats((), (), dtype=np.float64), numpy=np.add),
    typed("exp float64", lambda t, a: t.exp(a), floats(dtype=np.float64), numpy=np.exp),
    typed("pow float64", lambda t, a: t.pow(t.abs(a), 1.7), floats(dtype=np.float64)),
    typed("tanh float64", lambda t, a: t.tanh(a), floats(dtype=np.float64), numpy=np.tanh),
    typed("sin float64", lambda t, a: t.sin(a), floats(dtype=np.float64), numpy=np.sin),
    typed("mask and", lambda t, a, b: a & b, _masks, numpy=np.logical_and),
    typed("mask xor", lambda t, a, b: a ^ b, _masks, numpy=np.logical_xor),
    typed("mask not", lambda t, a, b: ~a, _masks, numpy=lambda a, b: ~a),
    typed("mask logical_or", lambda t, a, b: t.logical_or(a, b), _masks, numpy=np.logical_or),
    typed("mask to float32", lambda t, a, b: a.float(), _masks, numpy=lambda a, b: a.astype(np.float32)),
    typed("mask to int64", lambda t, a, b: a.long(), _masks, numpy=lambda a, b: a.astype(np.int64)),
    typed("mask times float32", lambda t, a, b: a * b, lambda n: [two(n)[0] > 0, two(n)[1]]),
    typed(
        "int64 plus float32", lambda t, a, b: a + b, lambda n: [*integers(np.int64, count=1)(n), two(n)[1]]
    ),
    typed("int64 to int32", lambda t, a: a.int(), integers(np.int64, count=1)),
    *(_cast(to) for to in ("float64", "int64", "int32", "uint8", "int8", "complex64", "bool")),
    typed("float64 to float32", lambda t, a: a.float(), floats(dtype=np.float64)),
)
