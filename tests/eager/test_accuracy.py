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
    "expm1": (np.expm1, -20, 20, 0.51),
    "exp2": (np.exp2, -125, 127, 1.2),
    "log": (np.log, 1e-30, 1e30, 0.51),
    "log1p": (np.log1p, -0.99, 100, 0.51),
    "log2": (np.log2, 1e-30, 1e30, 0.51),
    "log10": (np.log10, 1e-30, 1e30, 0.51),
    "sin": (np.sin, -100, 100, 0.51),
    "cos": (np.cos, -100, 100, 0.51),
    "tan": (np.tan, -1.5, 1.5, 0.51),
    "tanh": (np.tanh, -10, 10, 5),
    "sinh": (np.sinh, -10, 10, 0.51),
    "cosh": (np.cosh, -10, 10, 0.51),
    "asinh": (np.arcsinh, -1e30, 1e30, 0.51),
    "acosh": (np.arccosh, 1, 1e30, 0.51),
    "atanh": (np.arctanh, -1, 1, 0.51),
    "asin": (np.arcsin, -1, 1, 0.51),
    "acos": (np.arccos, -1, 1, 0.51),
    "atan": (np.arctan, -1e30, 1e30, 0.51),
    "erfc": (np.vectorize(math.erfc), -6, 9, 0.51),
    "erf": (erf, -4, 4, 6),
    "lgamma": (np.vectorize(math.lgamma), 1e-30, 1e6, 0.51),
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


# name: (reference, first argument, second argument, largest error in ulp)
OF_TWO = {
    "pow": (np.power, (1e-3, 1e3), (-8, 8), 0.51),
    "atan2": (np.arctan2, (-10, 10), (-10, 10), 0.51),
    "hypot": (np.hypot, (-1e20, 1e20), (-1e20, 1e20), 0.51),
    "logaddexp": (np.logaddexp, (0, 30), (0, 30), 0.51),
    "fmod": (np.fmod, (-1e4, 1e4), (-2, 2), 0),
    "remainder": (np.remainder, (-1e4, 1e4), (-2, 2), 0.51),
}


@pytest.mark.parametrize("name", OF_TWO)
def test_float32_of_two(name: str) -> None:
    reference, first, second, bound = OF_TWO[name]
    rng = np.random.default_rng(1)
    x, y = (rng.uniform(*limits, 50_000).astype("float32") for limits in (first, second))
    got = getattr(fj, name)(fj.from_numpy(x), fj.from_numpy(y)).numpy()
    assert error_in_ulp(got, reference(x.astype("float64"), y.astype("float64"))) <= bound
    at = float(y[0])
    got = getattr(fj, name)(fj.from_numpy(x), fj.tensor(at)).numpy()
    assert error_in_ulp(got, reference(x.astype("float64"), at)) <= bound


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1e-42, -1e-42, 1e30, -1e30, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("name", ["pow", "atan2", "hypot", "logaddexp", "fmod", "remainder", "floor_divide"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values_of_two(name: str, dtype: str) -> None:
    """Of zeros, infinities, NaN and negative bases; tensors long enough for whole blocks. PyTorch has NaN for the remainder
    of a division by a subnormal number; NumPy has it right."""
    torch = pytest.importorskip("torch")
    x, y = (a.ravel() for a in np.meshgrid(np.array(SPECIAL, dtype), np.array(SPECIAL, dtype)))
    got = getattr(fj, name)(fj.from_numpy(x), fj.from_numpy(y)).numpy()
    if name in ("fmod", "remainder"):
        with np.errstate(invalid="ignore"):
            expected = getattr(np, name)(x, y)
    else:
        expected = getattr(torch, name)(torch.from_numpy(x), torch.from_numpy(y)).numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    signed = ~np.isnan(expected) & (expected != 0 if name == "remainder" else True)  # of zero, PyTorch keeps x's sign
    np.testing.assert_array_equal(np.signbit(got)[signed], np.signbit(expected)[signed])


@pytest.mark.parametrize("name", [name for name in FLOAT32 if name not in ("sqrt", "rsqrt")] + ["erfinv"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x = np.array(SPECIAL * 2, dtype)
    got = getattr(fj, name)(fj.from_numpy(x)).numpy()
    np.testing.assert_allclose(got, getattr(torch, name)(torch.from_numpy(x)).numpy(), rtol=1e-6, atol=1e-43)


def test_pow_float64() -> None:
    """Near a unit, at exponents of any size; what is a whole number comes out as such."""
    rng = np.random.default_rng(2)
    x = np.exp(rng.uniform(-30, 30, 20_000))
    y = rng.uniform(-20, 20, 20_000)
    got, exact = fj.pow(fj.from_numpy(x), fj.from_numpy(y)).numpy(), x**y
    assert (np.abs(got - exact) / np.spacing(exact)).max() <= 1
    for exponent in (4.0, 5.0, 7.0):
        whole = np.arange(1.0, 100.0)
        np.testing.assert_array_equal(fj.pow(fj.from_numpy(whole), exponent).numpy(), whole**exponent)


# name: (reference, low, high, largest error in ulp)
FLOAT64 = {
    "exp2": (np.exp2, -1000, 1000, 1),
    "expm1": (np.expm1, -40, 700, 1.2),
    "log": (np.log, 1e-300, 1e300, 0.9),
    "log2": (np.log2, 1e-300, 1e300, 0.9),
    "log10": (np.log10, 1e-300, 1e300, 0.9),
    "log1p": (np.log1p, -0.999, 1e300, 0.9),
    "tan": (np.tan, -1e5, 1e5, 1),
    "sinh": (np.sinh, -700, 700, 1.3),
    "cosh": (np.cosh, -700, 700, 1.3),
    "asin": (np.arcsin, -1, 1, 0.8),
    "acos": (np.arccos, -1, 1, 0.8),
    "atan": (np.arctan, -1e300, 1e300, 0.8),
    "atanh": (np.arctanh, -1, 1, 0.9),
    "atan2": (np.arctan2, -10, 10, 0.8),
    "hypot": (np.hypot, -1e100, 1e100, 0.9),
}


@pytest.mark.parametrize("name", FLOAT64)
def test_ulp_of_float64(name: str) -> None:
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("nothing wider than double to compare with")
    reference, low, high, bound = FLOAT64[name]
    rng = np.random.default_rng(3)
    scaled = np.exp(rng.uniform(-40, np.log(max(abs(low), abs(high))), 50_000)) * rng.choice([-1, 1], 50_000)
    x = np.concatenate([rng.uniform(max(low, -1e9), min(high, 1e9), 50_000), scaled[(scaled > low) & (scaled < high)]])
    arguments = [x, rng.permutation(x)][: 2 if name in OF_TWO else 1]
    exact = reference(*(argument.astype(np.longdouble) for argument in arguments))
    got = getattr(fj, name)(*map(fj.from_numpy, arguments)).numpy()
    assert float((np.abs(got - exact) / np.spacing(np.abs(exact).astype("float64"))).max()) <= bound


@pytest.mark.parametrize("name", [name for name in FLOAT32 if name not in ("sigmoid", "lgamma")])
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
