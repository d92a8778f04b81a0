"""Samples of eager/ops/joining.toml."""

from __future__ import annotations

import math
import numpy as np

from tests.op_samples.sample import ALL, NUMBERS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

x = T(3, 4)
ordered = T(4, 6, values=np.random.default_rng(3).permutation(24).reshape(4, 6))
SAMPLES.update(
    {
        "cat": [S([x, T(2, 4)], dtypes=ALL), S([x, T(3, 1)], 1), S([x, T(3, 4, dtype="int64")], -1), S([T(0), x]), S([x, T(2, 3)]), S([]), S([T()])],
        "stack": [S([x, x]), S([x, x], -1), S([x, T(4, 3)]), S([])],
        "hstack": [S([T(2), T(3)]), S([x, T(3, 1)])], "vstack": [S([T(4), x])],
        "repeat": [S(x, (2, 1)), S(x, (2, 1, 3)), S(x, (2,)), S(T(), (3,)), S(x, (1, 1))], "tile": [S(x, (2,)), S(x, (2, 1, 3))],
        "repeat_interleave": [S(x, 2), S(x, 3, 1), S(x, 2, dim=0), S(x, 2, dim=1, output_size=8)],
        "repeat_interleave.counts": [S(x, T(values=[1, 0, 2], dtype="int64"), 0), S(x, T(values=[2], dtype="int32"), 1), S(x, T(values=2, dtype="int64")), S(x, T(values=[1, 0, 2], dtype="int64"), 0, output_size=3), S(x, T(values=[1, 2], dtype="int64"), 0)],
        "repeat_interleave.indices": [S(T(values=[1, 0, 2]), dtypes=("int32", "int64")), S(T(values=[1, -1], dtype="int64")), S(T(2, 2, dtype="int64"))],
        "flip": [S(x, (0,), dtypes=ALL), S(x, (0, 1)), S(T(3, 4, layout="permuted"), (1,)), S(x, (0, 0)), S(T(0, 2), (0,))],
        "roll": [S(x, 1, 0), S(x, (1, -2), (0, 1)), S(x, 5), S(x, (1, 2), (0,)), S(x, (1, -9), (-1, -1))],
        "sort": [S(ordered, dtypes=NUMBERS), S(ordered, 0, True), S(T(values=[3.0, math.nan, -math.inf, 1.0], grad=False)), S(T(values=[3.0, math.nan, 1.0], grad=False), descending=True), S(T())],
        "argsort": [S(ordered), S(ordered, 0, True)],
        "topk": [S(ordered, 2, dtypes=NUMBERS), S(ordered, 2, 0, False), S(ordered, 9), S(T(values=[3.0, math.nan, 1.0], grad=False), 2)],
    }
)  # fmt: skip
