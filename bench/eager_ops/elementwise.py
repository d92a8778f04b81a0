"""Pointwise ops, comparisons, casts and copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from eager_ops.case import ALL, UP_TO_1M, Arrays, Case, floats, rng, square

ALLOCATES = 2.0  # the pool must pay: torch maps and clears fresh pages


def _two(n: int) -> Arrays:
    return floats((), ())(n)


def _integers(dtype: type) -> Any:
    def make(n: int) -> Arrays:
        return [rng().integers(-100, 100, square(n)).astype(dtype) for _ in range(2)]

    return make


def _as(dtype: str) -> Any:
    return lambda t, *tensors: [x.to(getattr(t, dtype)) for x in tensors]


def _positive(n: int) -> Arrays:
    return [np.abs(x) + 0.1 for x in floats()(n)]


def _mask(n: int) -> Arrays:
    a, b = _two(n)
    return [a > b, a, b]


CASES = (
    Case("add", lambda t, a, b: a + b, _two, ALL, np.add, wanted=ALLOCATES),
    Case("add a row", lambda t, a, b: a + b[0], _two, ALL, lambda a, b: a + b[0]),
    Case("add a column", lambda t, a, b: a + b[:, :1], _two, UP_TO_1M, lambda a, b: a + b[:, :1]),
    Case("add in place", lambda t, a, b: a.add_(b), _two, ALL, lambda a, b: np.add(a, b, out=a)),
    Case("add transposed", lambda t, a, b: a + b.T, _two, UP_TO_1M, lambda a, b: a + b.T),
    Case("multiply by number", lambda t, a: a * 2.5, sizes=ALL, numpy=lambda a: a * np.float32(2.5)),
    Case("divide", lambda t, a, b: a / b, _two, UP_TO_1M, np.divide),
    Case("maximum", lambda t, a, b: t.maximum(a, b), _two, UP_TO_1M, np.maximum),
    Case("clamp", lambda t, a: t.clamp(a, -1, 1), numpy=lambda a: np.clip(a, -1, 1)),
    Case("relu", lambda t, a: t.relu(a), sizes=ALL, numpy=lambda a: np.maximum(a, 0), wanted=ALLOCATES),
    Case("gelu", lambda t, a: t.nn.functional.gelu(a), sizes=ALL),
    Case("silu", lambda t, a: t.nn.functional.silu(a)),
    Case("exp", lambda t, a: t.exp(a), sizes=ALL, numpy=np.exp),
    Case("log", lambda t, a: t.log(a), _positive, numpy=np.log),
    Case("tanh", lambda t, a: t.tanh(a), numpy=np.tanh),
    Case("sigmoid", lambda t, a: t.sigmoid(a)),
    Case("sin", lambda t, a: t.sin(a), numpy=np.sin),
    Case("sqrt", lambda t, a: t.sqrt(a), _positive, numpy=np.sqrt),
    Case("square", lambda t, a: a**2, numpy=np.square),
    Case("pow", lambda t, a: t.pow(a, 1.7), _positive, numpy=lambda a: a ** np.float32(1.7)),
    Case("erf", lambda t, a: t.erf(a)),
    Case("addcmul", lambda t, a, b: t.addcmul(a, a, b, value=0.5), _two),
    Case("lerp", lambda t, a, b: t.lerp(a, b, 0.3), _two),
    Case("where", lambda t, c, a, b: t.where(c, a, b), _mask, ALL, np.where),
    Case("less", lambda t, a, b: a < b, _two, ALL, np.less),
    Case("equal to number", lambda t, a: a == 0, numpy=lambda a: a == 0),
    Case("logical and", lambda t, a, b: a & b, lambda n: [x > 0 for x in _two(n)], numpy=np.logical_and),
    Case("add int64", lambda t, a, b: a + b, _integers(np.int64), numpy=np.add),
    Case("add int8", lambda t, a, b: a + b, _integers(np.int8), numpy=np.add),
    Case("multiply uint8", lambda t, a, b: a * b, _integers(np.uint8), numpy=np.multiply),
    Case("add float16", lambda t, a, b: a + b, _two, prepare=_as("float16")),
    Case("multiply bfloat16", lambda t, a, b: a * b, _two, prepare=_as("bfloat16")),
    Case("gelu bfloat16", lambda t, a: t.nn.functional.gelu(a), prepare=_as("bfloat16")),
    Case("add complex64", lambda t, a, b: a + b, floats((), (), dtype=np.complex64), numpy=np.add),
    Case("multiply complex64", lambda t, a, b: a * b, floats((), (), dtype=np.complex64), numpy=np.multiply),
    Case("to float64", lambda t, a: a.double(), numpy=lambda a: a.astype(np.float64)),
    Case("to int64", lambda t, a: a.long(), numpy=lambda a: a.astype(np.int64)),
    Case("to bfloat16", lambda t, a: a.bfloat16()),
    Case("from float16", lambda t, a: a.float(), prepare=_as("float16")),
    Case("clone", lambda t, a: a.clone(), sizes=ALL, numpy=np.copy),
    Case(
        "copy transposed", lambda t, a: a.T.contiguous(), sizes=ALL, numpy=lambda a: np.ascontiguousarray(a.T)
    ),
    Case(
        "copy to channels last",
        lambda t, a: a.permute(0, 2, 3, 1).contiguous(),
        floats((-1, 16, 8, 8)),
        numpy=lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1)),
    ),
    Case("flip", lambda t, a: a.flip(1), numpy=lambda a: np.ascontiguousarray(np.flip(a, 1))),
    Case("fill", lambda t, a: t.zeros_like(a), numpy=np.zeros_like),
    Case("full", lambda t, a: t.full(a.shape, 3.0), numpy=lambda a: np.full(a.shape, np.float32(3))),
    Case("arange", lambda t, a: t.arange(a.numel()), numpy=lambda a: np.arange(a.size)),
    Case("randn", lambda t, a: t.randn(a.shape)),
    Case("dropout", lambda t, a: t.nn.functional.dropout(a, 0.3)),
)
