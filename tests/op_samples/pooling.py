"""Samples of eager/ops/pooling.toml."""

from __future__ import annotations

import math

from tests.op_samples.sample import FLOATS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

places = T(values=[[[0, 3], [5, 7]]], dtype="int64")
SAMPLES.update(
    {
        "max_pool1d": [
            S(T(2, 3, 50), 3, dtypes=FLOATS), S(T(3, 20), 4, 2, 1, 2), S(T(2, 3, 11), (3,), 2, 1, ceil_mode=True), S(T(2, 3, 5), 7), S(T(2, 3, 5), 3, padding=2), S(T(5), 2), S(T(2, 3, 9), 3, 0),
            S(T(values=[[[1.0, math.nan, 2.0, math.inf, -math.inf, -math.inf, -math.inf, 5.0]]], grad=False), 3, 2),
        ],
        "max_pool1d_with_indices": [S(T(2, 3, 20), 3, 2), S(T(3, 20), 4, 2, 1, 2, True)],
        "max_pool2d": [
            S(T(2, 3, 9, 40), 3, 2, 1, dtypes=FLOATS), S(T(2, 3, 9, 8), 2), S(T(3, 9, 8), (3, 2), (2, 1), (1, 0), (1, 2)), S(T(2, 3, 9, 8), 3, 2, 1, ceil_mode=True), S(T(2, 3, 9, 8, layout="permuted"), 2, strides=False),
            S(T(2, 1, 7, 7), 3, 5), S(T(2, 3, 9), 2, 2), S(T(9), 2), S(T(0, 3, 9, 8), 2), S(T(2, 3, 20, 20), 5, 3, 2, 2), S(T(2, 3, 4, 5, dtype="int64", low=-9, high=9), 2, 1),
        ],
        "max_pool2d_with_indices": [S(T(2, 3, 9, 8), 2, 1), S(T(2, 3, 9, 8), 3, 2, 1, 1, True), S(T(2, 3, 9, 8), kernel_size=(3, 2), stride=(2, 2), dilation=2)],
        "max_pool3d": [S(T(2, 3, 5, 6, 7), 2, dtypes=FLOATS), S(T(3, 5, 6, 7), (2, 3, 3), 2, (1, 1, 0), 1, True)],
        "max_pool3d_with_indices": [S(T(2, 2, 5, 6, 7), 2, 1), S(T(2, 5, 6, 7), 2, 2, 0, 2)],
        "avg_pool1d": [S(T(2, 3, 20), 3, dtypes=FLOATS), S(T(3, 20), 4, 3, 2, True, False), S(T(3, 20), 4, 3, 2, True, True), S(T(3, 20), 4, 3, 3)],
        "avg_pool2d": [
            S(T(2, 3, 9, 8), 3, 2, 1, dtypes=FLOATS), S(T(2, 3, 9, 8), 2), S(T(3, 9, 8), (3, 2), (2, 1), (1, 0), True, False), S(T(2, 3, 9, 8), 3, 2, 1, True, True), S(T(2, 3, 9, 8), 3, divisor_override=2), S(T(2, 3, 9, 8), 3, divisor_override=0), S(T(2, 3, 2, 2), 3),
        ],
        "avg_pool3d": [S(T(2, 3, 5, 6, 7), 2, dtypes=FLOATS), S(T(3, 5, 6, 7), (2, 3, 3), 2, 1, True, False), S(T(3, 5, 6, 7), 3, 2, 1, True, divisor_override=5)],
        "adaptive_avg_pool1d": [S(T(2, 3, 20), 7, dtypes=FLOATS), S(T(3, 5), 8), S(T(3, 5), 1)],
        "adaptive_avg_pool2d": [S(T(2, 3, 9, 8), (4, 3), dtypes=FLOATS), S(T(2, 3, 9, 8), 1, strides=False), S(T(3, 5, 5), 7), S(T(2, 3, 9, 8), 0, grad=False), S(T(8), 2)],
        "adaptive_avg_pool3d": [S(T(2, 3, 5, 6, 7), (2, 4, 3)), S(T(3, 5, 6, 7), 1)],
        "adaptive_max_pool1d": [S(T(2, 3, 20), 7, dtypes=FLOATS), S(T(3, 5), 8)],
        "adaptive_max_pool1d_with_indices": [S(T(2, 3, 20), 7)],
        "adaptive_max_pool2d_with_indices": [S(T(2, 3, 9, 8), (4, 3), dtypes=FLOATS), S(T(3, 5, 5), 7)],
        "adaptive_max_pool3d_with_indices": [S(T(2, 3, 5, 6, 7), (2, 4, 3)), S(T(3, 5, 6, 7), 1)],
        "lp_pool1d": [S(T(2, 3, 20, low=0.1), 2.0, 3, tolerance=4), S(T(3, 20, low=0.1), 1.5, 4, 2, True, tolerance=4)],
        "lp_pool2d": [S(T(2, 3, 9, 8, low=0.1), 2.0, 3, tolerance=4), S(T(2, 3, 9, 8, low=0.1), 3.0, (3, 2), stride=2, tolerance=8)],
        "lp_pool3d": [S(T(2, 3, 5, 6, 7, low=0.1), 2.0, 2, tolerance=4)],
        "max_unpool1d": [S(T(1, 2, 2), places, 2, 4), S(T(1, 2, 2), places, 2, 4, 0, (8,)), S(T(1, 2, 2), places, 2, 2), S(T(1, 2, 2), places, 4, output_size=(1, 2, 20))],
        "max_unpool2d": [S(T(1, 2, 2), places, 2, strides=False), S(T(1, 1, 2, 2), T(values=[[[[0, 3], [5, 24]]]], dtype="int64"), (2, 2), None, 0, (5, 5), strides=False)],
        "max_unpool3d": [S(T(1, 1, 2, 2), T(values=[[[[0, 3], [5, 7]]]], dtype="int64"), 2, strides=False)],
        "fractional_max_pool2d_with_indices": [
            S(T(2, 3, 9, 8), 2, (4, 5), _random_samples=T(2, 3, 2, low=0, high=1, grad=False), dtypes=FLOATS), S(T(3, 9, 8), (3, 2), output_ratio=(0.5, 0.6), _random_samples=T(1, 3, 2, low=0, high=1, grad=False)),
        ],
        "fractional_max_pool3d_with_indices": [S(T(2, 3, 7, 9, 8), 2, (3, 4, 5), _random_samples=T(2, 3, 3, low=0, high=1, grad=False))],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "pool_max": "max_pool2d",
    "pool_adaptive_max": "adaptive_max_pool2d_with_indices",
    "pool_fractional_max": "fractional_max_pool2d_with_indices",
    "pool_scatter": "max_unpool2d",
    "pool_gather": "max_pool2d",
    "pool_average": "avg_pool2d",
    "pool_average_backward": "avg_pool2d",
    "pool_adaptive_average": "adaptive_avg_pool2d",
    "pool_adaptive_average_backward": "adaptive_avg_pool2d",
}
