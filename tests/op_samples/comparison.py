"""Samples of eager/ops/comparison.toml."""

from __future__ import annotations

import math

from tests.op_samples.sample import ALL, INTS, NUMBERS, PAIRS, S, Sample, T, binary, unary

SAMPLES: dict[str, list[Sample]] = {}

for name in ("eq", "ne", "lt", "le", "gt", "ge"):
    SAMPLES[name] = binary() + [S(*PAIRS)]
for name in ("logical_and", "logical_or", "logical_xor"):
    SAMPLES[name] = binary(numbers=())
SAMPLES["logical_not"] = unary()
for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    SAMPLES[name] = [
        S(T(20), T(20), dtypes=ALL),
        S(T(20, dtype="int64"), 3),
        S(T(4, 1, dtype="uint8"), T(3, dtype="int32")),
    ]
SAMPLES["bitwise_not"] = [S(T(20), dtypes=ALL)]
for name in ("bitwise_left_shift", "bitwise_right_shift"):
    SAMPLES[name] = [S(T(20, low=-50, high=50), T(20, low=0, high=7), dtypes=INTS), S(T(5, dtype="int64"), 2)]
for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit"):
    SAMPLES[name] = unary()
mask = T(4, 5, dtype="bool")
SAMPLES.update(
    {
        "where": [
            S(mask, T(4, 5), T(4, 5), dtypes=ALL), S(T(5, dtype="bool"), T(4, 1), T()), S(mask, 1.0, T(4, 5)), S(mask, T(4, 5), 0),
            S(mask, T(4, 5, dtype="int64"), T(4, 5)), S(mask, T(4, 5, dtype="int64"), 1.5),
        ],
        "where.nonzero": [S(T(4, 5, dtype="bool"), strides=False)],
        "masked_fill": [S(T(4, 5), mask, 2, dtypes=NUMBERS), S(T(4, 5), T(5, dtype="bool"), T()), S(T(4, 5), mask, -math.inf)],
    }
)  # fmt: skip
