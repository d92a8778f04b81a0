"""Samples of eager/ops/reduction.toml."""

from __future__ import annotations

import math

from typing import Any

from tests.op_samples.sample import ALL, BUT_UINT8, COMPLEX, FLOATS, NUMBERS, SPECIAL, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}


def reductions(
    dtypes: tuple[str, ...] = ALL, low: float = -3, high: float = 3, **options: Any
) -> list[Sample]:
    return [
        S(T(3, 4, 5, low=low, high=high), dtypes=dtypes, **options),
        S(T(3, 4, 5, low=low, high=high), 1, dtypes=dtypes, **options),
        S(T(3, 4, 5, low=low, high=high), (0, -1), True, **options),
        S(T(3, 4, 5, low=low, high=high, layout="permuted"), dim=0, keepdim=True, **options),
        S(T(6, 300, low=low, high=high, layout="sliced"), 1, **options),
        S(T(low=low, high=high), **options),
    ]


single = [
    S(T(3, 4, 5), dtypes=NUMBERS), S(T(3, 4, 5), 1, dtypes=NUMBERS), S(T(3, 4, 5, layout="permuted"), dim=-1, keepdim=True),
    S(T(values=[[1.0, math.nan, 3.0], [2.0, 2.0, 1.0]], grad=False), 1, dtypes=FLOATS),
]  # fmt: skip
SAMPLES.update(
    {
        "sum": reductions(tolerance=5) + [S(T(0, 3)), S(T(0, 3), 0), S(T(4, 5), dtype="float64"), S(T(4, 5), 0, dtype="int64", grad=False)],
        "mean": reductions(FLOATS, tolerance=5) + [S(T(0, 3)), S(T(4, dtype="int64")), S(T(4, dtype="int64"), dtype="float32", grad=False)],
        "prod": [S(T(3, 4, 2, 3), 1), S(T(3, 4), dtypes=ALL), S(T(3, 4), 1, dtypes=NUMBERS), S(T(3, 4), 0, True), S(T(values=[[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]), 1), S(T(0, 3))],
        "amax": reductions() + [S(T(0, 3), 0), S(T(0, 3), 1)], "amin": reductions(),
        "any": [S(T(3, 4), dtypes=BUT_UINT8), S(T(3, 4), 1, dtypes=BUT_UINT8), S(T(3, 4), (0, 1), True), S(T(0, 3), 0)],
        "all": [S(T(3, 4), dtypes=BUT_UINT8), S(T(3, 4), 1, dtypes=BUT_UINT8), S(T(3, 4), (0, 1), True), S(T(0, 3), 0)],
        "argmax": single + [S(T(0, 3), 0)], "argmin": single,
        "max": [S(T(3, 4), dtypes=ALL)], "min": [S(T(3, 4), dtypes=ALL)],
        "max.dim": single[1:], "min.dim": single[1:],
        "max.other": [S(T(3, 4), T(4), dtypes=ALL)], "min.other": [S(T(3, 4), T(4), dtypes=ALL)],
        "aminmax": [S(T(3, 4), dtypes=NUMBERS), S(T(3, 4), dim=1, keepdim=True)],
        "var": [S(T(3, 4), dtypes=FLOATS), S(T(3, 4, 5), (0, 2), correction=0, keepdim=True), S(T(3, 40, layout="sliced"), 1, correction=2), S(T(3, 4), 1, correction=1.5), S(T(3, dtype="int64")), S(T(1), grad=False)],
        "var.dim": [S(T(3, 4), 1, False), S(T(3, 4), 0, True, True)], "var.unbiased": [S(T(3, 4), False), S(T(3, 4), True)],
        "std": [S(T(3, 4), dtypes=FLOATS), S(T(3, 4, 5), (0, 2), correction=0, keepdim=True)],
        "std.dim": [S(T(3, 4), 1, False), S(T(3, 4), 0, True, True)], "std.unbiased": [S(T(3, 4), False)],
        "var_mean": [S(T(3, 4), 1), S(T(3, 4), correction=0)],
        "var_mean.dim": [S(T(3, 4), 1, False), S(T(3, 4), (0, 1), True, True)], "var_mean.unbiased": [S(T(3, 4), False)],
        "logsumexp": [S(T(3, 4), 1, dtypes=FLOATS), S(T(3, 4), 1, dtypes=COMPLEX), S(T(3, 4), (0, 1), True), S(T(values=[[-math.inf, -math.inf], [math.inf, 1.0]], grad=False), 1)],
        "norm": [S(T(3, 4), dtypes=FLOATS), S(T(3, 4), 1, 1), S(T(3, 4), math.inf, 0), S(T(3, 4), 3, (0, 1), True), S(T(3, 4), 0, 1, grad=False), S(T(values=[0.0, 0.0]), double=False)],
        "norm.name": [S(T(3, 4), "fro"), S(T(3, 4), "fro", 1, True)],
        "count_nonzero": [S(T(3, 4), dtypes=ALL), S(T(3, 4, dtype="int64"), 1)],
        "nansum": [S(T(values=SPECIAL[:4] + [math.nan], grad=False), dtypes=FLOATS), S(T(3, 4), 1, True)],
        "cumsum": [S(T(3, 4), 1, dtypes=ALL), S(T(3, 4), 0, dtype="float64"), S(T(3, 4, 5), 1), S(T(), 0), S(T(0, 3), 0)],
        "cumprod": [S(T(3, 4), 1, dtypes=NUMBERS), S(T(values=[[1.0, 0.0, 2.0, 3.0]]), 1), S(T(values=[[0.0, 2.0, 0.0, 3.0], [1.0, 4.0, 0.0, 0.0], [2.0, 1.0, 3.0, 0.0]]), 1), S(T(values=[[0.0, 2.0], [5.0, 0.0], [0.0, 3.0]]), 0), S(T(3, 4, 2), 1)],
    }
)  # fmt: skip
