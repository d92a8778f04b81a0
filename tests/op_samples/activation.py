"""Samples of eager/ops/activation.toml."""

from __future__ import annotations

from op_samples.sample import FLOATS, NUMBERS, S, Sample, T, unary

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES.update(
    {
        "relu": unary(dtypes=NUMBERS),
        "gelu": unary(dtypes=FLOATS, tolerance=4)[:5] + [S(T(5, 67), approximate="tanh", dtypes=FLOATS, tolerance=4)],
        "silu": unary(dtypes=FLOATS, tolerance=4), "softplus": unary(dtypes=FLOATS, tolerance=4) + [S(T(20), 2.0, 3.0)],
        "leaky_relu": unary(dtypes=FLOATS) + [S(T(20), 0.3)],
        "elu": unary(dtypes=FLOATS) + [S(T(20), 2.0)],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "gelu_erf": "gelu",
    "gelu_erf_slope": "gelu",
    "gelu_tanh": "gelu",
    "gelu_tanh_slope": "gelu",
    "gelu_tanh_curvature": "gelu",
}
