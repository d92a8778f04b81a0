"""Samples of eager/ops/arithmetic.toml."""

from __future__ import annotations

from tests.op_samples.sample import ALL, FLOATS, INTS, NUMBERS, PAIRS, SPECIAL, S, Sample, T, binary, unary

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES.update(
    {
        "add": binary() + [S(T(5), T(5), alpha=3, dtypes=ALL), S(T(5), 2, alpha=0.5, dtypes=FLOATS), S(*PAIRS, grad=False)],
        "sub": binary() + [S(T(5), T(5), alpha=3, dtypes=ALL)],
        "rsub": binary() + [S(T(5), T(5), alpha=2, dtypes=NUMBERS)],
        "mul": binary() + [S(*PAIRS, grad=False)],
        "div": binary(low=1) + [S(*PAIRS, grad=False)],
        "div.mode": [
            S(T(40, low=-9, high=9), T(40, low=1, high=5), rounding_mode=mode, dtypes=NUMBERS)
            for mode in (None, "trunc", "floor")
        ],
        "floor_divide": binary(low=1, grad=False) + [S(T(values=[-7, 7, -8, 8]), T(values=[2, -2, -3, 3]), dtypes=("int32", "int64", *FLOATS), grad=False), S(*PAIRS, grad=False)],
        "remainder": binary(low=1) + [S(T(values=[-7, 7, -8, 8]), T(values=[2, -2, -3, 3]), dtypes=("int32", "int64", *FLOATS), grad=False), S(*PAIRS, grad=False)],
        "fmod": binary(low=1) + [S(T(values=[-7, 7, -8, 8]), T(values=[2, -2, -3, 3]), dtypes=("int32", "int64", *FLOATS), grad=False), S(*PAIRS, grad=False)],
        "neg": unary(), "positive": unary(), "abs": unary(), "sign": unary(), "square": unary(dtypes=NUMBERS),
        "reciprocal": unary(), "sqrt": unary(low=0.1), "rsqrt": unary(low=0.1),
        "floor": unary(), "ceil": unary(), "trunc": unary(), "frac": unary(), "round": unary(),
        "round.decimals": [S(T(20), decimals=1, dtypes=FLOATS), S(T(20, low=-200, high=200), decimals=-1, dtypes=FLOATS)],
        "maximum": binary(numbers=()) + [S(*PAIRS, grad=False)], "minimum": binary(numbers=()) + [S(*PAIRS, grad=False)],
        "fmax": binary(numbers=()) + [S(*PAIRS, grad=False)], "fmin": binary(numbers=()) + [S(*PAIRS, grad=False)],
        "clamp": [
            S(T(30), min=-1, max=1, dtypes=NUMBERS), S(T(30), min=0.5, dtypes=NUMBERS), S(T(30), max=T(30)),
            S(T(2, 5), T(5, low=-3, high=-1), T(2, 1, low=1, high=2)), S(T(5), 2, -2),
            S(T(values=SPECIAL), -1, 1, grad=False),
        ],
        "clamp_min": [S(T(30), 0.5), S(T(30), T(30)), S(T(30), 1, dtypes=INTS)],
        "clamp_max": [S(T(30), 0.5), S(T(30), T(30)), S(T(30), 1, dtypes=INTS)],
        "lerp": [S(T(4, 5), T(4, 5), 0.3), S(T(4, 5), T(5), T(4, 1, low=0, high=1), dtypes=FLOATS)],
        "addcmul": [S(T(4, 5), T(4, 5), T(5), value=2, dtypes=NUMBERS), S(T(4), T(4), T(4))],
        "addcdiv": [S(T(4, 5), T(4, 5), T(5, low=1), value=2, dtypes=FLOATS), S(T(4), T(4), T(4, low=1))],
        "pow": [
            S(T(30, low=0.1), T(30)), S(T(30), 2, dtypes=NUMBERS), S(T(30), 3), S(T(30, low=0.1), 0.5), S(T(30, low=0.5), -1),
            S(T(30, low=0.5), -2), S(T(30), 0), S(T(30), 1), S(T(5, low=0), T(5, low=0), dtypes=INTS), S(T(30, low=0.2), 2.7, dtypes=FLOATS),
            S(T(3, dtype="int64", low=0), 1.5), S(*PAIRS, grad=False),
        ],
        "copysign": binary(low=0.5) ,
        "nan_to_num": [S(T(values=SPECIAL, grad=False), dtypes=FLOATS), S(T(values=SPECIAL, grad=False), nan=1.0, posinf=9.0, neginf=-9.0), S(T(4), dtypes=INTS)],
        "heaviside": [S(T(values=SPECIAL, grad=False), T(low=0, high=1), dtypes=FLOATS)],
        "gcd": [S(T(20, low=-30, high=30), T(20, low=-30, high=30), dtypes=("int32", "int64"))],
        "deg2rad": unary(dtypes=NUMBERS), "rad2deg": unary(dtypes=NUMBERS),
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "div_trunc": "div.mode",
    "clamp_both": "clamp",
    "clamp_": "clamp",
    "replace_nonfinite": "nan_to_num",
}
