"""Products of bfloat16 matrices, which machines with AVX512_BF16 multiply in pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import framejit as fj


def matrix(rows: int, columns: int, transposed: bool) -> fj.Tensor:
    numbers = np.random.default_rng(rows * columns).standard_normal((rows, columns)).astype(np.float32)
    made = fj.from_numpy(numbers.T.copy()).T if transposed else fj.from_numpy(numbers)
    return made.bfloat16()


def close(result: fj.Tensor, a: fj.Tensor, b: fj.Tensor) -> None:
    """Sums in float32, rounded once: half a unit in the last of 8 bits, and what float32 loses."""
    expected = a.double().numpy() @ b.double().numpy()
    np.testing.assert_allclose(result.double().numpy(), expected, rtol=2**-8, atol=2**-8 * 1e-1)


@pytest.mark.parametrize("left, right", list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("m, k, n", [(16, 16, 16), (17, 33, 19), (130, 515, 261), (64, 256, 32)])
def test_layouts_and_odd_sizes(m: int, k: int, n: int, left: bool, right: bool) -> None:
    a, b = matrix(m, k, left), matrix(k, n, right)
    result = a @ b
    assert result.dtype == fj.bfloat16
    close(result, a, b)


def test_batches_and_rows_of_larger_matrices() -> None:
    a, b = matrix(3 * 40, 70, False).reshape(3, 40, 70)[:, 1:39, 3:], matrix(67, 50, True)
    result = fj.bmm(a, b.expand(3, 67, 50))
    for i in range(3):
        close(result[i], a[i], b)


def test_threads_do_not_matter() -> None:
    a, b = matrix(300, 200, False), matrix(200, 300, False)
    threads = fj.get_num_threads()
    try:
        results = []
        for count in (1, 2):
            fj.set_num_threads(count)
            results.append((a @ b).float().numpy())
    finally:
        fj.set_num_threads(threads)
    assert np.array_equal(*results)
