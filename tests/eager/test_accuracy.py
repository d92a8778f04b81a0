"""Errors of the elementary functions, in units in the last place of the result, against NumPy in float64 (float32) and
PyTorch (float64). The bounds are what was measured, rounded up: a change that loses accuracy fails here."""

from __future__ import annotations

import math

import numpy as np
import pytest

import framejit as fj

erf = np.vectorize(math.erf)

# name: (reference, low, high, largest error in ulp)
FLOAT32 = {
    "exp": (np.exp, -87, 88, 5),
    "expm1": (np.expm1, -20, 20, 4),
    "exp2": (np.exp2, -125, 127, 1),
    "log": (np.log, 1e-30, 1e30, 2),
    "log1p": (np.log1p, -0.99, 100, 4),
    "log2": (np.log2, 1e-30, 1e30, 1),
    "log10": (np.log10, 1e-30, 1e30, 2),
    "sin": (np.sin, -100, 100, 2),
    "cos": (np.cos, -100, 100, 2),
    "tan": (np.tan, -1.5, 1.5, 1),
    "tanh": (np.tanh, -10, 10, 5),
    "sinh": (np.sinh, -10, 10, 2),
    "cosh": (np.cosh, -10, 10, 2),
    "asin": (np.arcsin, -1, 1, 1),
    "atan": (np.arctan, -50, 50, 1),
    "erf": (erf, -4, 4, 6),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -80, 80, 5),
    "sqrt": (np.sqrt, 0, 1e30, 0.51),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1e-30, 1e30, 1.5),
}


def samples(low: float, high: float) -> np.ndarray:
    """Evenly spread, and near zero at every scale."""
    rng = np.random.default_rng(0)
    even = rng.uniform(low, high, 20_000)
    scaled = np.exp(rng.uniform(-40, np.log(max(abs(low), abs(high))), 20_000)) * rng.choice([-1, 1], 20_000)
    return np.concatenate([even, scaled[(scaled > low) & (scaled < high)]]).astype("float32")


def error_in_ulp(got: np.ndarray, exact: np.ndarray) -> float:
    unit = np.spacing(np.maximum(np.abs(exact), np.finfo("float32").tiny).astype("float32")).astype("float64")
    return float((np.abs(got.astype("float64") - exact) / unit).max())


@pytest.mark.parametrize("name", FLOAT32)
def test_float32(name: str) -> None:
    reference, low, high, bound = FLOAT32[name]
    x = samples(low, high)
    got = getattr(fj, name)(fj.from_numpy(x)).numpy()
    assert error_in_ulp(got, reference(x.astype("float64"))) <= bound


def test_pow_float32() -> None:
    rng = np.random.default_rng(1)
    x = np.exp(rng.uniform(-10, 10, 50_000)).astype("float32")
    y = rng.uniform(-4, 4, 50_000).astype("float32")
    got = fj.pow(fj.from_numpy(x), fj.from_numpy(y)).numpy()
    assert error_in_ulp(got, x.astype("float64") ** y.astype("float64")) <= 2


@pytest.mark.parametrize("name", [name for name in FLOAT32 if name != "sigmoid"])
def test_float64(name: str) -> None:
    reference, low, high, _ = FLOAT32[name]
    x = samples(low, high).astype("float64")
    np.testing.assert_allclose(getattr(fj, name)(fj.from_numpy(x)).numpy(), reference(x), rtol=4e-15, atol=1e-300)


@pytest.mark.parametrize("name", [name for name in FLOAT32 if name not in ("sqrt", "rsqrt")])
def test_bits_do_not_depend_on_the_place(name: str) -> None:
    """Whatever the offset, the length and the stride: fused code cuts tensors in other places than eager code."""
    _, low, high, _ = FLOAT32[name]
    x = samples(low, high)[:1000]
    whole = getattr(fj, name)(fj.from_numpy(x)).numpy()
    for start, stop in ((0, 1), (1, 4), (3, 20), (5, 999), (17, 33)):
        np.testing.assert_array_equal(getattr(fj, name)(fj.from_numpy(x)[start:stop]).numpy(), whole[start:stop])
    np.testing.assert_array_equal(getattr(fj, name)(fj.from_numpy(x)[::3]).numpy(), whole[::3])
