"""Linear algebra beyond the samples: what is unique only up to signs, derivatives where PyTorch has none, errors, large matrices."""

from __future__ import annotations

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")


def pair(array: np.ndarray, grad: bool = False) -> tuple:
    """The array as a tensor of both libraries."""
    return fj.from_numpy(array.copy()).requires_grad_(grad), torch.from_numpy(array.copy()).requires_grad_(grad)


def close(got: object, expected: object, tolerance: float = 1e-10) -> None:
    np.testing.assert_allclose(np.asarray(got.detach()), np.asarray(expected.detach()), rtol=tolerance, atol=tolerance)


# --- decompositions ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (2, 3, 4, 3), (0, 3), (3, 0), (2, 0, 0)])
@pytest.mark.parametrize("full", [False, True])
def test_svd_rebuilds_its_argument(shape, full):
    a, reference = pair(np.random.default_rng(0).normal(size=shape))
    u, s, vh = fj.linalg.svd(a, full_matrices=full)
    expected = torch.linalg.svd(reference, full_matrices=full)
    assert [tuple(x.shape) for x in (u, s, vh)] == [tuple(x.shape) for x in expected]
    close(s, expected[1])
    k = min(shape[-2:])
    close((u[..., :k] * s.unsqueeze(-2)) @ vh[..., :k, :], a)
    close(u.mT @ u, fj.eye(u.shape[-1], dtype=fj.float64).expand((*shape[:-2], u.shape[-1], u.shape[-1])))
    close(vh @ vh.mT, fj.eye(vh.shape[-2], dtype=fj.float64).expand((*shape[:-2], vh.shape[-2], vh.shape[-2])))


def test_svd_of_the_old_name_returns_v():
    a, _ = pair(np.random.default_rng(1).normal(size=(5, 3)))
    result = fj.svd(a)
    close(result.U @ fj.diag(result.S) @ result.V.mT, a)


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigh_reads_one_triangle(triangle):
    array = np.random.default_rng(2).normal(size=(3, 4, 4))
    values, vectors = fj.linalg.eigh(fj.from_numpy(array), triangle)
    close(values, torch.linalg.eigh(torch.from_numpy(array), triangle)[0])
    half = np.tril(array) if triangle == "L" else np.triu(array)
    whole = half + np.swapaxes(half, -1, -2) - array * np.eye(4)
    np.testing.assert_allclose((vectors @ fj.diag_embed(values) @ vectors.mT).numpy(), whole, atol=1e-10)


def test_results_are_named():
    a = fj.eye(3)
    assert fj.linalg.svd(a).Vh.shape == (3, 3)
    assert fj.linalg.qr(a).Q.shape == fj.linalg.eigh(a).eigenvectors.shape == fj.linalg.lu(a).P.shape == (3, 3)
    assert fj.linalg.slogdet(a).logabsdet == 0


# --- derivatives of functions that do not depend on signs -------------------------------------------------------------
def compare_gradients(function, array, tolerance=1e-8):
    """First and second derivatives of `function(library, tensor)`, a scalar."""
    found = []
    for library, leaf in zip((fj, torch), pair(array, grad=True)):
        (first,) = library.autograd.grad(function(library, leaf), [leaf], create_graph=True)
        weights = library.from_numpy(np.cos(np.arange(array.size, dtype="float64")).reshape(array.shape))
        (second,) = library.autograd.grad((first * weights).sum(), [leaf])
        found.append((first, second))
    for got, expected in zip(*found):
        close(got, expected, tolerance)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_svd_derivative(shape):
    def function(library, a):
        u, s, vh = library.linalg.svd(a, full_matrices=False)
        return (library.exp(s) * (u * u).sum(-2) ** 2).sum() + ((u @ vh) ** 3).sum() + (vh**4).sum()

    compare_gradients(function, np.random.default_rng(3).normal(size=shape))


def test_eigh_derivative():
    def function(library, a):
        values, vectors = library.linalg.eigh(a + a.mT)
        return (library.sin(values) * (vectors**4).sum(-2)).sum()

    compare_gradients(function, np.random.default_rng(4).normal(size=(2, 4, 4)))


@pytest.mark.parametrize("array", [[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
def test_derivative_of_the_determinant_of_a_singular_matrix(array):
    a = fj.tensor(array, dtype=fj.float64, requires_grad=True)
    fj.det(a).backward()
    step = 1e-6
    for index in np.ndindex(*a.shape):
        moved = np.array(array)
        moved[index] += step
        assert abs(np.linalg.det(moved) / step - a.grad[index].item()) < 1e-5


def test_norm_at_zero_has_a_gradient():
    a = fj.zeros(3, 4, requires_grad=True)
    fj.linalg.norm(a).backward()
    assert not a.grad.any()


# --- sizes, errors ----------------------------------------------------------------------------------------------------
def test_large_matrices():
    array = np.random.default_rng(5).normal(size=(200, 200))
    a, reference = pair(array)
    close(fj.linalg.inv(a) @ a, fj.eye(200, dtype=fj.float64), 1e-8)
    close(fj.linalg.svdvals(a), torch.linalg.svdvals(reference))
    close(fj.linalg.solve(a, a[:, :3]), fj.eye(200, 3, dtype=fj.float64), 1e-8)
    close(fj.linalg.matrix_exp(a / 20), torch.linalg.matrix_exp(reference / 20), 1e-9)


def test_linalg_error_is_a_runtime_error():
    assert issubclass(fj.linalg.LinAlgError, RuntimeError)
    batch = fj.stack([fj.eye(2), fj.ones(2, 2)])
    with pytest.raises(fj.linalg.LinAlgError, match=r"linalg.inv: \(Batch element 1\): The diagonal element 2 is zero"):
        fj.linalg.inv(batch)
    with pytest.raises(fj.linalg.LinAlgError, match=r"leading minor of order 2 is not positive-definite"):
        fj.linalg.cholesky(-batch[0] + 2 * fj.diag(fj.tensor([1.0, 0.0])))
    with pytest.raises(fj.linalg.LinAlgError, match="singular"):
        fj.linalg.solve(batch, fj.ones(2))


def test_shape_errors_name_sizes():
    with pytest.raises(RuntimeError, match="batches of square matrices, but they are 2 by 3 matrices"):
        fj.linalg.det(fj.ones(2, 3))
    with pytest.raises(RuntimeError, match=r"AX = B \(2x2 and 3x1\)"):
        fj.linalg.solve(fj.eye(2), fj.ones(3, 1))
    with pytest.raises(RuntimeError, match=r"Expected a floating point or complex tensor as input. Got Long"):
        fj.linalg.inv(fj.ones(2, 2, dtype=fj.int64))


# --- functions in Python ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dims", [1, 0, ([1], [0]), ([2, 0], [1, 0]), ((-1,), (-2,))])
def test_tensordot(dims):
    rng = np.random.default_rng(6)
    a, reference_a = pair(rng.normal(size=(4, 3, 3)))
    b, reference_b = pair(rng.normal(size=(4, 3, 2) if dims == ([2, 0], [1, 0]) else (3, 3, 2)))
    close(fj.tensordot(a, b, dims), torch.tensordot(reference_a, reference_b, dims))


def test_lu_with_infos():
    a, reference = pair(np.random.default_rng(7).normal(size=(2, 3, 3)))
    for got, expected in zip(fj.lu(a, get_infos=True), torch.lu(reference, get_infos=True)):
        close(got, expected)
