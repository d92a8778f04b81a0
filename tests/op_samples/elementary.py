"""Samples of eager/ops/elementary.toml."""

from __future__ import annotations

from tests.op_samples.sample import COMPLEX, FLOATS, PAIRS, S, Sample, T, binary, unary

SAMPLES: dict[str, list[Sample]] = {}

for name in ("exp", "exp2", "expm1", "sin", "cos", "atan", "tanh", "asinh", "erf", "erfc", "sigmoid"):
    SAMPLES[name] = unary()
for name in ("sinh", "cosh", "tan"):
    SAMPLES[name] = unary(low=-1.4, high=1.4)
for name in ("log", "log2", "log10"):
    SAMPLES[name] = unary(low=0.1)
for name in ("asin", "acos", "atanh"):
    SAMPLES[name] = unary(low=-0.9, high=0.9)
SAMPLES["log1p"] = unary(low=-0.9)
SAMPLES["acosh"] = unary(low=1.1)
SAMPLES["lgamma"] = unary(low=0.1, double=False, tolerance=10)
SAMPLES["digamma"] = [S(T(40, low=0.1, high=9), dtypes=FLOATS, tolerance=10)]
SAMPLES["atan2"] = binary(low=0.5, numbers=()) + [S(*PAIRS, grad=False)]
SAMPLES["hypot"] = [S(T(4, 5), T(5), dtypes=FLOATS)]
SAMPLES["logaddexp"] = [S(T(4, 5), T(5), dtypes=FLOATS), S(T(4, 5), T(5), dtypes=COMPLEX), S(*PAIRS, grad=False)]
SAMPLES["xlogy"] = [S(T(4, 5), T(5, low=0.1), dtypes=FLOATS), S(*PAIRS, grad=False), S(T(4), 2)]
SAMPLES["logit"] = [S(T(20, low=0.1, high=0.9), dtypes=FLOATS), S(T(20, low=-0.5, high=1.5), eps=0.1)]
SAMPLES["sinc"] = [S(T(20), dtypes=FLOATS), S(T(values=[0.0, 1.0, -0.5]), double=False)]  # PyTorch: NaN

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {"log_odds": "logit"}
