"""Samples of eager/ops/numeric.toml."""

from __future__ import annotations

import math

from tests.op_samples.sample import COMPLEX, FLOATS, NUMBERS, S, Sample, T

ends = T(values=[0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 1e-40], grad=False)

SAMPLES: dict[str, list[Sample]] = {
    "lcm": [S(T(20, low=-9, high=9), T(20, low=-9, high=9), dtypes=("int32", "int64")), S(T(4, 1, dtype="int64", low=0, high=9), T(3, dtype="int32", low=0, high=9)), S(T(3), T(3))],
    "float_power": [S(T(20, low=0.1), T(20), dtypes=NUMBERS), S(T(20, low=0.1), 2, dtypes=("float64",)), S(2, T(20)), S(T(4, 1, low=0.1), T(3)), S(T(5, dtype="int64", low=1), 0.5), S(T(5), 2.5, dtypes=COMPLEX)],
    "ldexp": [S(T(20), T(20, dtype="int64", low=-5, high=5), dtypes=NUMBERS), S(T(4, 1), T(3)), S(T(5, dtype="int64"), T(5, dtype="int64"))],
    "frexp": [S(T(20, low=-40, high=40), dtypes=FLOATS, double=False), S(T(values=[0.0, -3.0, 1e-40], grad=False)), S(T(3, 4, low=0.1, layout="permuted"), strides=False, double=False), S(T(3, dtype="int64"))],
    "nextafter": [S(T(20), T(20), dtypes=FLOATS, grad=False), S(ends, T(values=3.0, grad=False)), S(T(4, 1, grad=False), T(3, grad=False)), S(T(3, dtype="int64"), T(3, dtype="int64"))],
    "logaddexp2": [S(T(20), T(20), dtypes=FLOATS, tolerance=4), S(T(4, 1), T(3), tolerance=4), S(ends, T(values=-math.inf, grad=False), tolerance=4)],
}  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "nextafter_elements": "nextafter",
    "float_power_": "float_power",
}
