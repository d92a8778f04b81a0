"""Samples of eager/ops/random.toml."""

from __future__ import annotations

from tests.op_samples.sample import S, T


# Values are not PyTorch's by nature: shape and dtype only; see also tests/eager/test_random.py.
UNSPECIFIED = {
    "rand": [S((2, 3)), S((2,), dtype="float64")],
    "randn": [S((2, 3)), S((2,), dtype="float64")],
    "randint": [S(5, (2, 3))],
    "randint.low": [S(2, 5, (2, 3))],
    "randperm": [S(7)],
    "rand_like": [S(T(2, 3))],
    "randn_like": [S(T(2, 3))],
    "randint_like": [S(T(2, 3), 5)],
    "bernoulli": [S(T(2, 3, low=0, high=1))],
    "normal.tensor_float": [S(T(2, 3), 0.5), S(T(2, 3))],
    "normal.tensors": [S(T(2, 3), T(3, low=0.1))],
    "normal.float_tensor": [S(0.5, T(2, 3, low=0.1))],
    "normal.sizes": [S(0.5, 2.0, (2, 3)), S(0.0, 1.0, (2,), dtype="float64")],
    "randint_like.low": [S(T(2, 3), 2, 5)],
    "poisson": [S(T(2, 3, low=0, high=30))],
    "binomial": [S(T(2, 3, low=1, high=9), T(2, 3, low=0, high=1))],
    "bernoulli.p": [S(T(2, 3), 0.5)],
    "multinomial": [S(T(2, 5, low=0.1), 3)],
    "dropout": [S(T(4, 5), 0.5, True)],
}

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "uniform": "rand",
    "normal": "randn",
    "random": "randint",
    "random.to": "randint",
    "random.all": "randint",
    "geometric": "bernoulli",
    "bernoulli.tensor": "bernoulli",
    "cauchy": "rand",
    "log_normal": "randn",
    "binomial_counts": "binomial",
    "exponential": "rand",
    "bernoulli_fill": "bernoulli.p",
}
