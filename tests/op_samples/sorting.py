"""Samples of eager/ops/sorting.toml. Elements differ where PyTorch does not say which index of equal ones it returns."""

from __future__ import annotations

import math

import numpy as np
from tests.op_samples.sample import COMPLEX, FLOATS, NUMBERS, S, Sample, T

ordered = T(4, 6, values=np.random.default_rng(3).permutation(24).reshape(4, 6))
cube = T(3, 4, 5, values=np.random.default_rng(4).permutation(60).reshape(3, 4, 5) / 7)
with_nan = T(values=[[3.0, math.nan, 1.0, 2.0], [4.0, 7.0, 5.0, 6.0]], grad=False)
repeated = T(values=[[1, 2, 2, 3, 3], [4, 4, 1, 0, 0]])
edges = T(values=[1.0, 3.0, 5.0, 7.0, 9.0])
wanted = T(values=[[0.0, 1.0, 4.0], [9.0, 10.0, math.nan]])

SAMPLES: dict[str, list[Sample]] = {
    "msort": [S(ordered, dtypes=NUMBERS), S(cube)],
    "kthvalue": [S(ordered, 2, dtypes=NUMBERS), S(ordered, 3, 0, True), S(with_nan, 4), S(ordered, 7), S(ordered, 0), S(T(), 1), S(cube, 2, 1)],
    "median": [S(ordered, dtypes=NUMBERS), S(with_nan), S(T(0)), S(T())],
    "median.dim": [S(ordered, 1, dtypes=NUMBERS), S(ordered, 0, True), S(with_nan, 1), S(T(0, 3), 0), S(T(), 0), S(cube, -2)],
    "nanmedian": [S(ordered, dtypes=NUMBERS), S(with_nan)],
    "nanmedian.dim": [S(ordered, 1), S(with_nan, 1), S(T(values=[[math.nan, math.nan]], grad=False), 0, True)],
    "mode": [S(repeated, dtypes=NUMBERS), S(repeated, 1, True), S(T(values=[5.0, 5.0, 7.0])), S(T())],
    "quantile": [
        S(cube, T(values=[0.0, 0.3, 0.75, 1.0], grad=False), dtypes=FLOATS), S(cube, T(values=[0.2, 0.5], grad=False), 1, True), S(cube, T(values=0.4, grad=False), -1),
        S(with_nan, T(values=[0.2, 0.9], grad=False), 1), *(S(cube, T(values=[0.3, 0.62], grad=False), 2, interpolation=how) for how in ("lower", "higher", "midpoint", "nearest")),
        S(cube, T(values=[0.3, 0.62], grad=False), 2, interpolation="cubic"), S(T(3, dtype="int64"), T(values=[0.5], grad=False)), S(cube, T(2, 2, low=0, high=1, grad=False)), S(T(0), T(values=[0.5], grad=False)),
    ],
    "quantile.scalar": [S(cube, 0.3, dtypes=FLOATS), S(cube, 0.3, 0), S(cube, 0.3, None, True), S(cube, 1, 1, True), S(cube, 1.5), S(T(), 0.5)],
    "nanquantile": [S(with_nan, T(values=[0.2, 0.9], grad=False), 1, dtypes=FLOATS), S(cube, T(values=[0.2, 0.9], grad=False))],
    "nanquantile.scalar": [S(with_nan, 0.3, 1), S(T(values=[[math.nan, math.nan]], grad=False), 0.5, 1), S(cube, 0.3, 0, True)],
    "searchsorted": [
        S(edges, wanted, dtypes=FLOATS), S(edges, wanted, right=True), S(edges, wanted, side="right", out_int32=True), S(edges, wanted, side="left", right=True), S(edges, wanted, side="middle"),
        S(T(values=[[1, 3, 5], [2, 4, 6]]), T(values=[[3, 4], [3, 9]]), dtypes=NUMBERS), S(T(values=[[1, 3, 5], [2, 4, 6]]), T(3, 2)), S(edges, T(dtype="int64")),
        S(T(values=[5.0, 1.0, 3.0]), T(values=[2.0, 4.0]), sorter=T(values=[1, 2, 0], dtype="int64")), S(T(values=[5.0, 1.0, 3.0]), T(2), sorter=T(values=[1, 2, 3], dtype="int64")), S(edges, T(0)),
    ],
    "searchsorted.scalar": [S(edges, 4), S(edges, 5, right=True), S(T(values=[1, 3, 5], dtype="int64"), 2.5), S(T(2, 3), 1)],
    "bucketize": [S(wanted, edges, dtypes=FLOATS), S(wanted, edges, right=True, out_int32=True), S(wanted, T(2, 2)), S(T(3, dtype="int64"), edges)],
    "bucketize.scalar": [S(4, edges), S(3.0, edges, right=True)],
    "isin": [
        S(repeated, T(values=[2, 4, 9]), dtypes=NUMBERS), S(repeated, T(values=[2, 4]), invert=True), S(repeated, 3), S(2, repeated), S(with_nan, T(values=[math.nan, 7.0], grad=False)),
        S(repeated, T(0)), S(T(0), repeated), S(T(4, dtype="int64"), T(values=[1.0, 2.5])),
    ],
    "cummax": [S(ordered, 1, dtypes=NUMBERS), S(repeated, 0), S(with_nan, 1), S(T(), 0), S(cube, -2), S(T(0, 3), 1)],
    "cummin": [S(ordered, 1, dtypes=NUMBERS), S(repeated, 0), S(with_nan, 1)],
    "logcumsumexp": [S(cube, 1, dtypes=FLOATS, tolerance=4), S(T(4, 5), 0, dtypes=COMPLEX, tolerance=4), S(T(4, 5), 0), S(T(values=[-math.inf, -math.inf, 1.0, math.inf], grad=False), 0), S(T(3, dtype="int64"), 0), S(T(), 0)],
}  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "order_statistic_index": "median",
    "running_extremum_index": "cummax",
    "_unique_elements": "isin",
    "_unique_slices": "isin",
}
