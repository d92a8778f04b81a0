"""Samples of eager/ops/activation.toml."""

from __future__ import annotations

from tests.op_samples.sample import FLOATS, NUMBERS, S, Sample, T, unary

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES.update(
    {
        "relu": unary(dtypes=NUMBERS),
        "gelu": unary(dtypes=FLOATS, tolerance=4)[:5] + [S(T(5, 67), approximate="tanh", dtypes=FLOATS, tolerance=4)],
        "silu": unary(dtypes=FLOATS, tolerance=4), "softplus": unary(dtypes=FLOATS, tolerance=4) + [S(T(20), 2.0, 3.0)],
        "leaky_relu": unary(dtypes=FLOATS) + [S(T(20), 0.3)],
        "elu": unary(dtypes=FLOATS) + [S(T(20), 2.0)],
        "relu6": unary(low=-9, high=9, dtypes=FLOATS), "hardtanh": unary(dtypes=FLOATS) + [S(T(20), -2.0, 0.5), S(T(20), -2, 1, dtypes=("int64",))],
        "hardsigmoid": unary(low=-5, high=5, dtypes=FLOATS, double=False), "hardswish": unary(low=-5, high=5, dtypes=FLOATS), "mish": unary(dtypes=FLOATS, tolerance=4)[:5],
        "softsign": unary(dtypes=FLOATS), "tanhshrink": unary(dtypes=FLOATS, tolerance=20), "logsigmoid": unary(dtypes=FLOATS, tolerance=4, strides=False),
        "hardshrink": unary(dtypes=FLOATS) + [S(T(20), 2.0)], "softshrink": unary(dtypes=FLOATS) + [S(T(20), 2.0)],
        "selu": unary(dtypes=FLOATS), "celu": unary(dtypes=FLOATS) + [S(T(20), 2.0)],
        "threshold": [S(T(5, 67), 0.5, -1.5, dtypes=FLOATS), S(T(20), 1, 7, dtypes=("int64", "float32"))],
        "prelu": [S(T(2, 3, 4), T(3), dtypes=FLOATS), S(T(2, 3), T(1)), S(T(), T(1)), S(T(2, 3), T(2)), S(T(3), T()), S(T(2, 3), T(3, dtype="float64"))],
        "glu": [S(T(3, 6), dtypes=FLOATS), S(T(4, 3), 0), S(T(3, 5)), S(T())],
        "rrelu": [S(T(5, 7), dtypes=FLOATS), S(T(5, 7), 0.1, 0.5), S(T(5), 0.5, 0.1)],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "gated": "glu",
    "gated_slope": "glu",
    "gated_halves": "glu",
    "prelu_elements": "prelu",
    "gelu_erf": "gelu",
    "gelu_erf_slope": "gelu",
    "hardswish_gradient": "hardswish",
    "silu_gradient": "silu",
    "mish_gradient": "mish",
    "elu_gradient": "celu",
    "softplus_gradient": "softplus",
    "shrink_gradient": "hardshrink",
    "threshold_gradient": "threshold",
    "leaky_relu_gradient": "leaky_relu",
    "hardtanh_gradient": "hardtanh",
    "hardsigmoid_gradient": "hardsigmoid",
    "gelu_tanh": "gelu",
    "gelu_tanh_slope": "gelu",
    "gelu_tanh_curvature": "gelu",
}
