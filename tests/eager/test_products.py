"""Products of matrices of the sizes and layouts that have loops of their own, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import framejit as fj


@pytest.mark.parametrize("left, right", list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("m, k, n", [(7, 20, 30), (8, 30, 17), (16, 16, 16), (50, 60, 70), (130, 300, 65)])
def test_complex(m: int, k: int, n: int, dtype: str, left: bool, right: bool) -> None:
    numbers = np.random.default_rng(m)

    def matrix(rows: int, columns: int, transposed: bool) -> np.ndarray:
        shape = (columns, rows) if transposed else (rows, columns)
        made = (numbers.standard_normal(shape) + 1j * numbers.standard_normal(shape)).astype(dtype)
        return made.T if transposed else made

    a, b = matrix(m, k, left), matrix(k, n, right)
    result = (fj.from_numpy(a) @ fj.from_numpy(b)).numpy()
    expected = a.astype(np.complex128) @ b.astype(np.complex128)
    np.testing.assert_allclose(result, expected, atol=(1e-5 if dtype == "complex64" else 1e-13) * k)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("m, k, n", [(1, 70, 90), (3, 5, 2), (30, 40, 50), (16, 300, 17), (90, 100, 1), (130, 300, 65)])
def test_integers_wrap(m: int, k: int, n: int, dtype: str, right: bool) -> None:
    bounds = np.iinfo(dtype)
    numbers = np.random.default_rng(m)
    a = numbers.integers(bounds.min, bounds.max, (m, k), dtype=dtype, endpoint=True)
    b = numbers.integers(bounds.min, bounds.max, (n, k) if right else (k, n), dtype=dtype, endpoint=True)
    of_b = fj.from_numpy(b)
    product = (fj.from_numpy(a) @ (of_b.T if right else of_b)).numpy()
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(product, a @ (b.T if right else b))


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("m, k, n", [(1, 70, 90), (5, 33, 70), (8, 100, 64), (20, 300, 100), (47, 5000, 10), (60, 70, 80)])
def test_layers_of_halves(m: int, k: int, n: int, dtype: str, bias: bool) -> None:
    numbers = np.random.default_rng(m)
    x, weight, added = (
        fj.from_numpy(numbers.standard_normal(shape)).to(getattr(fj, dtype)) for shape in [(m, k), (n, k), (n,)]
    )
    result = fj.nn.functional.linear(x, weight, added if bias else None)
    assert result.dtype == x.dtype
    exact = x.double() @ weight.double().T + (added.double() if bias else 0)
    largest = exact.abs().max().item()
    unit = 2.0 ** (-11 if dtype == "float16" else -8)
    assert (result.double() - exact).abs().max().item() <= unit * largest + 1e-6 * k
