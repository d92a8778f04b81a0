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


@pytest.mark.parametrize("dtype", [fj.bfloat16, fj.float16])
@pytest.mark.parametrize("sizes", [(), (24,), (40, 1), (40, 24)])
def test_addmm_rounds_once(sizes: tuple[int, ...], dtype: fj.dtype) -> None:
    numbers = np.random.default_rng(0)
    # Few bits: what float32 adds up is exact, so that one rounding has one result.
    added, a, b = (fj.from_numpy(np.asarray(numbers.integers(-9, 9, s) / 8)).to(dtype) for s in (sizes, (40, 70), (70, 24)))
    result = fj.addmm(added, a, b, beta=0.75, alpha=0.5)
    exact = 0.75 * added.double() + 0.5 * (a.double() @ b.double())
    assert fj.equal(result, exact.to(dtype))


def test_gradients_of_addmm() -> None:
    pytest.importorskip("torch")
    import torch

    arrays = [np.random.default_rng(i).standard_normal(s).astype(np.float32) for i, s in enumerate([(24,), (40, 70), (70, 24)])]
    gradients = []
    for t in (fj, torch):
        inputs = [t.from_numpy(x).to(t.bfloat16).requires_grad_() for x in arrays]
        made = t.autograd.grad(t.addmm(*inputs, beta=0.5, alpha=2).sum(), inputs)
        gradients.append([g.float().numpy() for g in made])
    for ours, theirs in zip(*gradients):
        np.testing.assert_allclose(ours, theirs, rtol=2**-7, atol=2**-5)


@pytest.mark.parametrize("dtype", [fj.bfloat16, fj.float16])
@pytest.mark.parametrize("side", [5, 40])
def test_what_is_added_is_not_rounded_before(side: int, dtype: fj.dtype) -> None:
    numbers = np.random.default_rng(side)

    def halves(*shape: int) -> fj.Tensor:
        return fj.from_numpy(numbers.standard_normal(shape).astype(np.float32)).to(dtype)

    a, b, bias, rows = halves(3, side, side), halves(3, side, side), halves(side), halves(2, 3, side)
    wide = [x.double() for x in (a, b, bias, rows)]
    cases = [
        (fj.baddbmm(bias, a, b), fj.baddbmm(wide[2], *wide[:2])),
        (fj.baddbmm(a, a, b, beta=0.5, alpha=2), fj.baddbmm(wide[0], *wide[:2], beta=0.5, alpha=2)),
        (fj.addmv(bias, a[0], b[0, 0]), fj.addmv(wide[2], wide[0][0], wide[1][0, 0])),
        (fj.nn.functional.linear(rows, a[0], bias), fj.nn.functional.linear(wide[3], wide[0][0], wide[2])),
        (fj.nn.functional.linear(bias, a[0], bias), fj.nn.functional.linear(wide[2], wide[0][0], wide[2])),
    ]
    unit = 2**-8 if dtype is fj.bfloat16 else 2**-11
    for result, expected in cases:
        assert result.dtype == dtype
        np.testing.assert_allclose(result.double().numpy(), expected.numpy(), rtol=unit * 1.01, atol=2e-5)
