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
    expected = expected.detach().resolve_conj() if isinstance(expected, torch.Tensor) else expected.detach()
    np.testing.assert_allclose(got.detach().numpy(), expected.numpy(), rtol=tolerance, atol=tolerance)


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


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 0, 3), (2, 3, 0), (0, 2, 3)])
@pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")])
def test_matrix_norms_of_empty_matrices(shape, order):
    def norm(library):
        try:
            return library.linalg.matrix_norm(library.zeros(shape), order).tolist()
        except IndexError:  # the smallest of no numbers
            return "raises"

    assert norm(fj) == norm(torch)


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


# --- complex matrices -------------------------------------------------------------------------------------------------
def _hermitian(a):
    return a + a.mH


# of a square matrix a (3 x 3) and b (3 x 2)
COMPLEX = {
    "inv": lambda lib, a, b: lib.linalg.inv(a),
    "solve": lambda lib, a, b: lib.linalg.solve(a, b),
    "solve from the right": lambda lib, a, b: lib.linalg.solve(a, b.mT, left=False),
    "solve_triangular": lambda lib, a, b: lib.linalg.solve_triangular(a, b, upper=True),
    "det": lambda lib, a, b: lib.linalg.det(a),
    "slogdet": lambda lib, a, b: lib.linalg.slogdet(a).sign * lib.linalg.slogdet(a).logabsdet,
    "cholesky": lambda lib, a, b: lib.linalg.cholesky(a @ a.mH),
    "cholesky, upper": lambda lib, a, b: lib.linalg.cholesky(a @ a.mH, upper=True),
    "cholesky_solve": lambda lib, a, b: lib.cholesky_solve(b, a.tril()),
    "qr": lambda lib, a, b: lib.cat([*lib.linalg.qr(a)]),
    "qr of a tall matrix": lambda lib, a, b: lib.cat([*lib.linalg.qr(b)]),
    "lu_factor": lambda lib, a, b: lib.linalg.lu_factor(a).LU,
    "lu_solve": lambda lib, a, b: lib.linalg.lu_solve(*lib.linalg.lu_factor(a), b, adjoint=True),
    "svdvals": lambda lib, a, b: lib.linalg.svdvals(b),
    "svd": lambda lib, a, b: (lambda r: (r.U @ r.Vh) * (r.U.abs() ** 4).sum() * (r.Vh.abs() ** 4).sum())(lib.linalg.svd(b, full_matrices=False)),
    "eigvalsh": lambda lib, a, b: lib.linalg.eigvalsh(_hermitian(a)),
    "eigh": lambda lib, a, b: (lambda r: (r.eigenvectors.abs() ** 4).sum(-2) * r.eigenvalues)(lib.linalg.eigh(_hermitian(a))),
    "eig": lambda lib, a, b: (lambda r: ((r.eigenvectors.abs() ** 4) * r.eigenvalues**2).sum(-1))(lib.linalg.eig(a)),
    "pinv": lambda lib, a, b: lib.linalg.pinv(b),
    "matrix_exp": lambda lib, a, b: lib.linalg.matrix_exp(a * 0.3),
    "matrix_power": lambda lib, a, b: lib.linalg.matrix_power(a, -3),
    "norm": lambda lib, a, b: lib.linalg.norm(b),
    "nuclear norm": lambda lib, a, b: lib.linalg.matrix_norm(b, "nuc"),
    "vector_norm": lambda lib, a, b: lib.linalg.vector_norm(b, 3, dim=0),
    "vecdot": lambda lib, a, b: lib.linalg.vecdot(b, b.roll(1, 0), dim=0),
    "kron": lambda lib, a, b: lib.kron(a, b),
    "householder_product": lambda lib, a, b: lib.linalg.householder_product(b, b[0]),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex(name):
    """Values, and gradients of a real function of them."""
    rng = np.random.default_rng(8)
    arrays = [rng.normal(size=shape) + 1j * rng.normal(size=shape) for shape in ((3, 3), (3, 2))]
    found = []
    for library, at in ((fj, 0), (torch, 1)):
        leaves = [pair(array, grad=True)[at] for array in arrays]
        result = COMPLEX[name](library, *leaves)
        weights = library.from_numpy(np.arange(1.0, 1 + result.numel()).reshape(tuple(result.shape))) if result.ndim else 1.0
        loss = ((result.abs() ** 2) * weights).sum() + (library.real(result) * weights).sum()
        found.append((result, library.autograd.grad(loss, leaves, allow_unused=True)))
    (value, gradients), (expected_value, expected_gradients) = found
    close(value, expected_value)
    for got, expected in zip(gradients, expected_gradients):
        assert (got is None) == (expected is None)
        if got is not None:
            close(got, expected, 1e-8)


def test_eig_of_a_real_matrix():
    array = np.random.default_rng(9).normal(size=(2, 5, 5))
    a, reference = pair(array)
    values, vectors = fj.linalg.eig(a)
    close(a.to(fj.complex128) @ vectors, vectors * values.unsqueeze(-2))
    close(vectors.abs().square().sum(-2), fj.ones(2, 5, dtype=fj.float64))
    np.testing.assert_allclose(np.sort_complex(fj.linalg.eigvals(a).numpy()), np.sort_complex(torch.linalg.eigvals(reference).numpy()))

    def function(library, x):
        r = library.linalg.eig(x)
        return (library.real(r.eigenvalues**3) + r.eigenvectors.abs().pow(4).sum(-2) * r.eigenvalues.abs()).sum()

    compare_gradients(function, array[0])


# --- equal values -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "function",
    [
        lambda lib, a: lib.linalg.svdvals(a).sum(),
        lambda lib, a: lib.linalg.eigvalsh(a).sum(),
        lambda lib, a: lib.linalg.eigvals(a).abs().sum(),
        lambda lib, a: lib.linalg.matrix_norm(a, "nuc"),
        lambda lib, a: lib.linalg.eigh(a)[0].square().sum(),
    ],
)
@pytest.mark.parametrize("matrix", [np.eye(3), np.diag([2.0, 2.0, 1.0])])
def test_gradients_of_equal_values_are_those_of_their_sum(function, matrix):
    a, reference = pair(matrix, grad=True)
    function(fj, a).backward()
    function(torch, reference).backward()
    close(a.grad, reference.grad)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_nuclear_norm_of_zeros_has_a_subgradient(shape):
    a, reference = pair(np.zeros(shape), grad=True)
    fj.linalg.matrix_norm(a, "nuc").backward()
    torch.linalg.matrix_norm(reference, "nuc").backward()
    close(a.grad, reference.grad)


def hermitian_matrix() -> fj.Tensor:
    a = fj.randn(6, 6, dtype=fj.complex128)
    return a + a.mH - 2 * fj.eye(6)


@pytest.mark.parametrize("hermitian", [True, False])
def test_ldl_solves_indefinite_systems(hermitian):
    a = hermitian_matrix()
    a = a if hermitian else a + a.mT
    b = fj.randn(3, 6, 2, dtype=fj.complex128)
    factors = fj.linalg.ldl_factor(a, hermitian=hermitian)
    assert fj.allclose(a @ fj.linalg.ldl_solve(*factors, b, hermitian=hermitian), b)


def test_ldl_of_singular_matrices():
    assert fj.linalg.ldl_factor_ex(fj.zeros(2, 3, 3)).info.tolist() == [1, 1]
    with pytest.raises(fj.linalg.LinAlgError, match="Batch element 0.*row 1 is zero"):
        fj.linalg.ldl_factor(fj.zeros(2, 3, 3))


@pytest.mark.parametrize("pivots, text", [([1, 4, 3], "between 1 and 3 .* got 4"), ([1, 2, -3], "in pairs, but got -3"), ([0, 1, 2], "got 0")])
def test_ldl_pivots_are_checked(pivots, text):
    with pytest.raises(RuntimeError, match=text):
        fj.linalg.ldl_solve(fj.eye(3), fj.tensor(pivots), fj.ones(3, 1))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4)])
def test_geqrf_holds_q_and_r(shape):
    a = fj.randn(*shape, dtype=fj.complex128)
    reflections, tau = fj.geqrf(a)
    count = tau.shape[-1]
    q = fj.linalg.householder_product(reflections[..., :count], tau)
    assert fj.allclose(q @ reflections.triu()[..., :count, :], a)


def test_segment_lengths_are_checked():
    with pytest.raises(RuntimeError, match="sum to data.size.0., which is 6"):
        fj.segment_reduce(fj.ones(6), "sum", lengths=fj.tensor([1, 2]))
    with pytest.raises(RuntimeError, match="negative value"):
        fj.segment_reduce(fj.ones(6), "sum", lengths=fj.tensor([7, -1]))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_qr_of_huge_and_tiny_entries(dtype: str) -> None:
    """Their squares are beyond the range of the type."""
    for size in (1e30, 1e-30) if dtype == "float32" else (1e200, 1e-200, 1e300):
        array = (np.array([[3.0, 1.0], [4.0, 2.0]]) * size).astype(dtype)
        array = array * 1j if dtype == "complex128" else array
        q, r = fj.linalg.qr(fj.from_numpy(array))
        np.testing.assert_allclose(np.abs(r.numpy()[0]) / size, [5, 2.2], rtol=1e-5)
        np.testing.assert_allclose((q.mH @ q).numpy(), np.eye(2), atol=1e-6)
        packed, _ = fj.geqrf(fj.from_numpy(array))
        np.testing.assert_allclose(packed.triu().numpy(), r.numpy(), rtol=1e-5)


def test_least_squares_of_a_batch_with_a_singular_matrix():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 3, 6, 4)), rng.normal(size=(2, 3, 6, 2))
    a[0, 2, :, 3] = a[0, 2, :, 1]
    a[1, 1] = 0
    expected = torch.linalg.lstsq(torch.from_numpy(a), torch.from_numpy(b), driver="gelsd")
    for differentiated in (False, True):
        matrices = fj.from_numpy(a).requires_grad_(differentiated)
        found = fj.linalg.lstsq(matrices, fj.from_numpy(b))
        np.testing.assert_allclose(found.solution.detach().numpy(), expected.solution.numpy(), atol=1e-12)
        assert found.rank.tolist() == expected.rank.tolist() == [[4, 4, 3], [4, 0, 4]]
    (grad,) = fj.autograd.grad(found.solution.sum(), [matrices])
    good = torch.from_numpy(a[1, 0]).requires_grad_()
    (wanted,) = torch.autograd.grad((torch.linalg.pinv(good) @ torch.from_numpy(b[1, 0])).sum(), [good])
    np.testing.assert_allclose(grad[1, 0].numpy(), wanted.numpy(), atol=1e-10)
    assert np.isfinite(grad.numpy()).all()


@pytest.mark.parametrize("smallest, rank", [(1e-3, 64), (1e-4, 64), (1e-9, 63)])
def test_least_squares_of_nearly_singular_matrices(smallest, rank):
    rng = np.random.default_rng(0)
    u, v = (np.linalg.qr(rng.normal(size=(64, 64)))[0] for _ in range(2))
    a = (u * np.linspace(1, smallest, 64)) @ v
    x = rng.normal(size=(64, 1))
    found = fj.linalg.lstsq(fj.from_numpy(a.astype("f")), fj.from_numpy((a @ x).astype("f")))
    assert found.rank.item() == rank
    residual = a @ found.solution.numpy() - a @ x
    assert np.linalg.norm(residual) < 1e-5 * np.linalg.norm(x)
