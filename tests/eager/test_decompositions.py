"""Decompositions of matrices that need several blocks, or are degenerate, badly scaled or ill-conditioned: A is rebuilt
from its factors, which are orthogonal, to a few units of the last place of its largest element."""

from __future__ import annotations

import numpy as np
import pytest

import framejit as fj

SIZES = (1, 2, 3, 7, 8, 9, 31, 33, 64, 65, 100, 130)
DTYPES = (np.float32, np.float64, np.complex64, np.complex128)


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape)


def phases(n: int) -> np.ndarray:
    return np.exp(1j * np.arange(n) ** 2)


def typed(a: np.ndarray, dtype: type) -> np.ndarray:
    """With rows and columns turned where `dtype` is complex: singular values stay as they are."""
    if np.issubdtype(dtype, np.complexfloating):
        a = phases(a.shape[0])[:, None] * a * phases(a.shape[1] + 3)[3:]
    return a.astype(dtype)


def wide(a: np.ndarray) -> np.ndarray:
    return a.astype(complex if np.iscomplexobj(a) else float)


def adjoint(a: np.ndarray) -> np.ndarray:
    return a.conj().T


def orthogonal(n: int) -> np.ndarray:
    return np.linalg.qr(random(n, n))[0]


N = 45
SQUARE = {
    "zeros": np.zeros((N, N)),
    "identity": np.eye(N),
    "ones": np.ones((N, N)),
    "rank 3": random(N, 3) @ random(3, N),
    "orthogonal": orthogonal(N),
    "nilpotent": np.eye(N, k=1),
    "rows that grow": np.logspace(-18, 0, N)[:, None] * random(N, N),
    "rows that shrink": np.logspace(0, -18, N)[:, None] * random(N, N),
    "two clusters": orthogonal(N) @ np.diag([1.0] * 20 + [2.0] * (N - 20)) @ orthogonal(N).T,
    "Hilbert": 1 / (np.arange(N)[:, None] + np.arange(N) + 1),
    "Wilkinson": np.diag(np.abs(np.arange(N) - N // 2.0)) + np.eye(N, k=1) + np.eye(N, k=-1),
    "a zero on the diagonal": np.diag([1.0] * 10 + [0.0] + [1.0] * (N - 11)) + np.eye(N, k=1) / 2,
    "one large element": np.eye(N) + 1e10 * np.outer(np.arange(N) == 3, np.arange(N) == 7),
    "tiny": random(N, N) * 1e-37,
    "subnormal": random(N, N) * 1e-40,
    "huge": random(N, N) * 1e36,
}


def close(got: np.ndarray, expected: np.ndarray, dtype: type, scale: float = 1.0) -> None:
    tolerance = 20 * np.sqrt(max((1, *got.shape))) * np.finfo(dtype).eps
    smallest = np.finfo(dtype).smallest_subnormal  # below it nothing is exact
    assert np.abs(wide(got) - expected).max(initial=0) <= tolerance * scale + 4 * smallest


def is_orthogonal(columns: np.ndarray, dtype: type) -> None:
    close(adjoint(wide(columns)) @ columns, np.eye(columns.shape[1]), dtype)


def size_of(a: np.ndarray) -> float:
    return float(np.abs(a).max(initial=0)) * max(a.shape)


def numbers(tensors: object) -> list[np.ndarray]:
    return [x.numpy() for x in tensors]


def check_svd(a: np.ndarray, full: bool) -> None:
    u, s, vh = numbers(fj.linalg.svd(fj.from_numpy(a), full_matrices=full))
    k = len(s)
    close((wide(u[:, :k]) * s) @ vh[:k], a, a.dtype, size_of(a))
    is_orthogonal(u, a.dtype), is_orthogonal(adjoint(vh), a.dtype)
    assert (s >= 0).all() and (np.diff(s) <= 0).all()
    close(s, np.linalg.svd(wide(a), compute_uv=False), a.dtype, size_of(a))
    close(fj.linalg.svdvals(fj.from_numpy(a)).numpy(), s, a.dtype, size_of(a))


def check_eigh(a: np.ndarray) -> None:
    a = a / 2 + adjoint(a) / 2
    w, v = numbers(fj.linalg.eigh(fj.from_numpy(a)))
    close((wide(v) * w) @ adjoint(v), a, a.dtype, size_of(a))
    is_orthogonal(v, a.dtype)
    assert (np.diff(w) >= 0).all()
    close(w, np.linalg.eigvalsh(wide(a)), a.dtype, size_of(a))
    close(fj.linalg.eigvalsh(fj.from_numpy(a)).numpy(), w, a.dtype, size_of(a))


def check_eig(a: np.ndarray) -> None:
    w, v = numbers(fj.linalg.eig(fj.from_numpy(a)))
    exact, length = a.astype(complex), max(np.abs(a).max(), np.finfo(a.dtype).smallest_subnormal)
    assert np.abs(exact @ v - v * w.astype(complex)).max() <= 40 * np.finfo(a.dtype).eps * len(a) * length
    close(np.linalg.norm(v, axis=0), np.ones(len(a)), a.dtype)
    alone = fj.linalg.eigvals(fj.from_numpy(a)).numpy().astype(complex)
    close(alone.sum(), np.trace(exact), a.dtype, 4 * size_of(a))


def check_qr(a: np.ndarray, mode: str) -> None:
    q, r = numbers(fj.linalg.qr(fj.from_numpy(a), mode))
    close(wide(q) @ r, a, a.dtype, size_of(a))
    is_orthogonal(q, a.dtype)
    assert (np.tril(r, -1) == 0).all()
    close(np.abs(fj.linalg.qr(fj.from_numpy(a), "r").R.numpy()), np.abs(r[: min(a.shape)]), a.dtype, size_of(a))


def check_lu(a: np.ndarray) -> None:
    p, lower, upper = numbers(fj.linalg.lu(fj.from_numpy(a)))
    scores = np.abs(lower.real) + np.abs(lower.imag)  # by which pivots are chosen
    assert scores.max(initial=0) <= (2 if np.iscomplexobj(a) else 1)
    close(wide(p) @ lower @ upper, a, a.dtype, size_of(a))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SQUARE)
def test_of_special_matrices(name, dtype):
    a = typed(SQUARE[name], dtype)
    check_svd(a, False), check_eigh(a), check_eig(a), check_qr(a, "reduced"), check_lu(a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_of_many_sizes(n, dtype):
    a = typed(random(n, n), dtype)
    check_svd(a, False), check_eigh(a), check_eig(a), check_qr(a, "reduced"), check_lu(a)


@pytest.mark.parametrize("roots", [[1, -1, 2j, -2j, 3], [1j, -1j, 1j, -1j], [2] * 4, [0, 0, 1, 1]])
def test_eigenvalues_of_a_companion_matrix(roots):
    a = np.diag(np.ones(len(roots) - 1), -1)
    a[:, -1] = -np.poly(roots)[:0:-1].real
    found = fj.linalg.eigvals(fj.from_numpy(a)).numpy()
    tolerance = 1e-3 if len(set(roots)) < len(roots) else 1e-12  # roots that are equal are ill-conditioned
    assert max(np.abs(found - root).min() for root in roots) < tolerance


def test_shifts_that_get_nowhere_are_exchanged():
    a = np.roll(np.eye(6), 1, 0)  # orthogonal: all eigenvalues are of one size
    found = fj.linalg.eigvals(fj.from_numpy(a)).numpy()
    np.testing.assert_allclose(np.sort_complex(found**6), np.ones(6), atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (70, 40), (40, 70), (100, 33), (33, 100)])
def test_of_other_shapes(shape, dtype):
    a = typed(random(*shape), dtype)
    check_svd(a, False), check_svd(a, True), check_qr(a, "reduced"), check_qr(a, "complete"), check_lu(a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_solutions(n, dtype):
    a = typed(random(n, n) + 4 * np.sqrt(n) * np.eye(n), dtype)
    of_a, b, exact = fj.from_numpy(a), typed(random(n, 3), dtype), wide(a)
    right = fj.from_numpy(b)
    close(exact @ fj.linalg.solve(of_a, right).numpy(), b, dtype, 10)
    close(exact @ fj.linalg.inv(of_a).numpy(), np.eye(n), dtype, 10)
    sign, logarithm = np.linalg.slogdet(exact)
    close(fj.linalg.slogdet(of_a).logabsdet.numpy(), logarithm, dtype, 10 + abs(logarithm))
    close(fj.linalg.slogdet(of_a).sign.numpy(), sign, dtype, 10)
    for upper in (False, True):
        for unit in (False, True):
            given = of_a / n if unit else of_a
            triangle = (np.triu if upper else np.tril)(wide(given.numpy()))
            if unit:
                np.fill_diagonal(triangle, 1)
            x = fj.linalg.solve_triangular(given, right, upper=upper, unitriangular=unit).numpy()
            close(triangle @ x, b, dtype, 10 + float(np.abs(x).max()))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_cholesky(n, dtype):
    root = typed(random(n, n), dtype)
    a = (root @ adjoint(root) + n * np.eye(n)).astype(dtype)
    for upper in (False, True):
        half = np.triu(a) if upper else np.tril(a)  # the other triangle is not read
        factor = fj.linalg.cholesky(fj.from_numpy(half), upper=upper)
        lower = adjoint(factor.numpy()) if upper else factor.numpy()
        close(wide(lower) @ adjoint(lower), a, dtype, size_of(a))
        assert (np.triu(lower, 1) == 0).all()
        x = fj.cholesky_solve(fj.from_numpy(root), factor, upper=upper).numpy()
        close(wide(a) @ x, root, dtype, size_of(a))


def test_cholesky_says_which_minor():
    a = np.eye(80)
    a[50, 50] = -1
    assert fj.linalg.cholesky_ex(fj.from_numpy(a)).info.item() == 51
    a[50, 50] = np.nan
    assert fj.linalg.cholesky_ex(fj.from_numpy(a)).info.item() == 51


def test_a_singular_matrix_is_named():
    a = random(60, 60)
    a[:, 40] = 0
    assert fj.linalg.lu_factor_ex(fj.from_numpy(a)).info.item() == 41
    with pytest.raises(fj.linalg.LinAlgError, match="singular"):
        fj.linalg.inv(fj.from_numpy(a))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["svd", "svdvals", "eigh", "eigvalsh"])
def test_iterations_refuse_what_is_not_finite(name, bad):
    a = random(40, 40)
    a[20, 3] = bad
    with pytest.raises(fj.linalg.LinAlgError, match="failed to converge"):
        getattr(fj.linalg, name)(fj.from_numpy(a))


@pytest.mark.parametrize("name", ["inv", "lu_factor", "qr", "det"])
def test_nan_spoils_results_only(name):
    a = random(40, 40)
    a[:] = np.nan
    result = getattr(fj.linalg, name)(fj.from_numpy(a))
    assert fj.isnan(result if isinstance(result, fj.Tensor) else result[1 if name == "qr" else 0]).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm", [0, 1e-3, 0.3, 0.8, 1.5, 3, 4.5, 30])
def test_exponentials(norm, dtype):
    """Of every approximant, with and without squarings."""
    for n in (1, 3, 8, 33, 70):
        symmetric = random(n, n) + random(n, n).T
        symmetric *= norm / np.abs(symmetric).sum(1).max()
        a = orthogonal(n) @ symmetric.astype(np.finfo(dtype).dtype).astype(float) @ orthogonal(n).T if n > 8 else symmetric.astype(np.finfo(dtype).dtype)
        w, v = np.linalg.eigh((a + a.T).astype(float) / 2)
        turn = phases(n)[:, None] * phases(n).conj() if np.issubdtype(dtype, np.complexfloating) else 1
        got = fj.linalg.matrix_exp(fj.from_numpy((a * turn).astype(dtype))).numpy()
        close(got, (v * np.exp(w)) @ v.T * turn, dtype, np.exp(w.max()) * (1 + norm))


def test_exponential_of_a_rotation():
    a = fj.tensor([[[0.0, -9.0], [9.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]], dtype=fj.float64)
    turned = [[np.cos(9), -np.sin(9)], [np.sin(9), np.cos(9)]]
    np.testing.assert_allclose(fj.linalg.matrix_exp(a).numpy(), [turned, [[1, 1], [0, 1]]], atol=1e-14)
    assert np.isnan(fj.linalg.matrix_exp(fj.full((3, 3), float("nan"))).numpy()).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 2), (2, 3), (30, 9), (9, 30), (40, 40), (140, 130)])
def test_least_squares_of_any_rank(rows, columns, dtype):
    """A batch of which only the first is of full rank; solutions of least norm."""
    full = random(rows, columns)
    low = full[:, : columns // 3 + 1] @ random(columns // 3 + 1, columns)
    twice, empty = full.copy(), full.copy()
    twice[:, -1], empty[:, 0] = twice[:, 0], 0
    a = np.stack([typed(x, dtype) for x in (full, low, twice, empty, 0 * full)])
    b = np.stack([typed(random(rows, 2), dtype)] * len(a))
    found = fj.linalg.lstsq(fj.from_numpy(a), fj.from_numpy(b))
    rcond = np.finfo(dtype).eps * max(rows, columns)
    for i, exact in enumerate(np.linalg.pinv(wide(a), rcond=rcond) @ b):
        assert found.rank[i].item() == np.linalg.matrix_rank(a[i])
        singular_values = np.linalg.svd(a[i], compute_uv=False)
        condition = singular_values[0] / singular_values[singular_values > rcond * singular_values[0]].min(initial=1)
        close(found.solution[i].numpy(), exact, dtype, (1 + condition) ** 2 * (1 + np.abs(exact).max()))


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_imaginary_parts_on_the_diagonal_of_a_hermitian_matrix_do_not_count(triangle: str) -> None:
    numbers = np.random.default_rng(5)
    given = numbers.standard_normal((6, 6)) + 1j * numbers.standard_normal((6, 6))
    expected = np.linalg.eigvalsh(given, UPLO=triangle)
    for values in (fj.linalg.eigvalsh(fj.from_numpy(given), UPLO=triangle), fj.linalg.eigh(fj.from_numpy(given), UPLO=triangle)[0]):
        np.testing.assert_allclose(values.numpy(), expected, rtol=1e-12)
