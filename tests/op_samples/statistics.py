"""Samples of eager/ops/statistics.toml."""

from __future__ import annotations

import math

from tests.op_samples.sample import FLOATS, INTS, NUMBERS, S, Sample, T

values = T(values=[[0.1, 0.9, 1.4, 2.0], [3.0, 3.9, 4.0, -1.0]], grad=False)
samples = T(3, 7)
x = T(3, 4)

SAMPLES: dict[str, list[Sample]] = {
    "histc": [S(values, dtypes=FLOATS), S(values, 4, 0, 4), S(values, bins=3), S(T(values=[2.0, 2.0], grad=False), 2), S(values, 0), S(values, 3, 4, 1), S(T(0), 3), S(T(values=[1.0, math.inf], grad=False), 3), S(T(3, dtype="int64"), 3)],
    "histogram": [
        S(values, 4, dtypes=FLOATS), S(values, 4, range=(0.0, 4.0)), S(values, 3, range=(0.0, 4.0), density=True), S(values, 3, weight=T(2, 4, grad=False), tolerance=4),
        S(values, 0), S(values, 3, range=(2.0, 1.0)), S(T(values=[2.0, 2.0], grad=False), 2), S(values, 3, weight=T(3, grad=False)),
    ],
    "histogram.edges": [S(values, T(values=[0.0, 1.0, 3.0, 4.0], grad=False), dtypes=FLOATS), S(values, T(values=[0.0, 1.0, 3.5], grad=False), density=True, weight=T(2, 4, grad=False), tolerance=4), S(values, T(2, 2, grad=False))],
    "bincount": [S(T(values=[1, 0, 3, 3]), dtypes=INTS), S(T(values=[1, 0, 3], dtype="int64"), T(3, grad=False), dtypes=("float32", "float64", "int32")), S(T(values=[1], dtype="int64"), minlength=4), S(T(0, dtype="int64")), S(T(values=[-1], dtype="int64")), S(T(2, 2, dtype="int64")), S(T(3))],
    "nanmean": [S(T(values=[[1.0, math.nan], [math.nan, 2.0]], grad=False), dtypes=FLOATS), S(T(values=[[1.0, math.nan], [math.nan, math.nan]], grad=False), 1, True), S(x, (0, 1)), S(T(3, dtype="int64"))],
    "std_mean": [S(x, dtypes=FLOATS), S(x, 1, correction=0, keepdim=True)], "std_mean.dim": [S(x, 1, False), S(x, (0, 1), True, True)], "std_mean.unbiased": [S(x, False)],
    "dist": [S(x, T(3, 4), dtypes=FLOATS), S(x, T(4), 1), S(x, T(3, 4), 3.5), S(x, T(3, 4), math.inf)],
    "renorm": [S(x, 2, 0, 1.0, dtypes=FLOATS, tolerance=2), S(x, 1, 1, 2.5, tolerance=2), S(T(2, 3, 4), 2, -1, 1.5, tolerance=2), S(x, 0, 0, 1.0), S(T(3), 2, 0, 1.0), S(x, 2, 0, -1.0)],
    "trapezoid": [S(x, T(3, 4), dtypes=NUMBERS), S(x, T(4)), S(x, T(3), dim=0), S(x, T(3)), S(T(2, 3, 4), T(4)), S(T(0), T(0))],
    "trapezoid.dx": [S(x, dtypes=NUMBERS), S(x, dx=0.5, dim=0), S(T(0, 3), dim=0)],
    "cumulative_trapezoid": [S(x, T(3, 4)), S(x, T(4)), S(x, T(3), dim=0)],
    "cumulative_trapezoid.dx": [S(x, dtypes=FLOATS), S(x, dx=0.5, dim=0)],
    "diff": [S(x, dtypes=NUMBERS), S(T(3, 4, dtype="bool")), S(x, 2, 0), S(x, 1, 1, T(3, 1), T(3, 2)), S(x, 5), S(x, 0), S(T()), S(x, -1)],
    "cov": [
        S(samples, dtypes=FLOATS, tolerance=4), S(samples, correction=0, tolerance=4), S(T(7), tolerance=4), S(samples, fweights=T(7, dtype="int64", low=1, high=4), tolerance=4), S(T(3, 4, dtype="int64"), tolerance=4),
        S(samples, aweights=T(7, low=0.1, high=1, grad=False), tolerance=4), S(samples, fweights=T(7, dtype="int64", low=1, high=4), aweights=T(7, low=0.1, high=1, grad=False), correction=2, tolerance=4), S(T(2, 2, 2)), S(samples, fweights=T(3, dtype="int64")),
    ],
    "corrcoef": [S(samples, dtypes=FLOATS, tolerance=4), S(T(7), tolerance=4), S(T(2, 2, 2))],
}  # fmt: skip
