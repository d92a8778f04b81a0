"""Samples of eager/ops/linalg.toml.

Strides are not compared: PyTorch keeps LAPACK's column-major results. Eigenvectors and singular vectors are unique up to
signs, so tests/eager/test_linalg.py compares what does not depend on them.
"""

from __future__ import annotations

import math

import numpy as np
from tests.op_samples.sample import FLOATS, INTS, S, Sample, T

_rng = np.random.default_rng(7)


def _square(*batch: int, n: int = 4) -> T:
    """Well-conditioned."""
    return T(values=_rng.uniform(-1, 1, (*batch, n, n)) + 2 * np.eye(n))


def _positive(*batch: int, n: int = 4) -> T:
    a = _rng.uniform(-1, 1, (*batch, n, n))
    return T(values=a @ np.swapaxes(a, -1, -2) + n * np.eye(n))


def _triangular(*batch: int, n: int = 4, upper: bool = True) -> T:
    a = _rng.uniform(-1, 1, (*batch, n, n)) + 3 * np.eye(n)
    return T(values=np.triu(a) if upper else np.tril(a))


def s(*args: object, dtypes: tuple[str, ...] = FLOATS, tolerance: float = 40, **options: object) -> Sample:
    return S(*args, dtypes=dtypes, strides=False, tolerance=tolerance, **options)


_SINGULAR = T(values=[[1.0, 2.0], [2.0, 4.0]])
_INDEFINITE = [[0.0, 3, 1, 2], [3, 0.1, 4, 1], [1, 4, 0, 2], [2, 1, 2, 0.3]]  # blocks of two rows
_EMPTY = T(0, 0)
_WRONG = [
    s(T(2, 3), grad=False),
    s(T(3), grad=False),
    S(T(3, 3, dtype="int64"), grad=False),
]  # not square, no matrix, integers
_factors = np.linalg.qr(_rng.uniform(-1, 1, (5, 3)), mode="raw")

SAMPLES: dict[str, list[Sample]] = {
    "linalg_inv_ex": [s(_square()), s(_square(2, 3)), s(_EMPTY), s(T(2, 0, 0)), s(_SINGULAR, check_errors=True, grad=False), *_WRONG],
    "linalg_inv": [s(_square()), s(_square(2)), s(T(5, 5, layout="permuted")), s(_SINGULAR, grad=False), *_WRONG],
    "inverse": [s(_square())],
    "linalg_solve_ex": [s(_square(), T(4, 2)), s(_SINGULAR, T(2, 2), check_errors=True, grad=False)],
    "linalg_solve": [
        s(_square(), T(4, 2)), s(_square(), T(4)), s(_square(2), T(2, 4, 3)), s(_square(2), T(2, 4)), s(_square(3, 1), T(2, 4, 1)), s(_square(), T(2, 4), left=False),
        s(_EMPTY, T(0, 2)), s(_square(), T(4, 0)), s(_SINGULAR, T(2), grad=False), s(_square(), T(3, 2), grad=False), s(T(2, 3), T(2), grad=False),
    ],
    "linalg_solve_triangular": [
        s(_triangular(), T(4, 2), upper=True), s(_triangular(upper=False), T(4, 2), upper=False), s(_triangular(2), T(4, 3), upper=True), s(_triangular(), T(2, 4), upper=True, left=False),
        s(_triangular(), T(4, 2), upper=True, unitriangular=True), s(_triangular(upper=False), T(3, 4), upper=False, left=False, unitriangular=True), s(_EMPTY, T(0, 2), upper=True),
        s(_square(), T(4, 2), upper=True),
    ],
    "triangular_solve": [s(T(4, 2), _triangular()), s(T(4, 2), _triangular(), transpose=True), s(T(4, 2), _triangular(upper=False), upper=False), s(T(2, 4, 2), _triangular(), unitriangular=True)],
    "linalg_lu_factor_ex": [s(_square()), s(T(2, 4, 4)), s(T(5, 3)), s(T(3, 5)), s(T(2, 3, 20), grad=False), s(T(40, 40), tolerance=400, grad=False), s(T(30, 50), tolerance=400, grad=False), s(T(0, 3)), s(_SINGULAR, grad=False)],
    "linalg_lu_factor": [s(_square())],
    "linalg_lu": [s(_square()), s(T(2, 5, 3)), s(T(3, 5))],
    "linalg_ldl_factor_ex": [s(_square()), s(_square(2), hermitian=True), s(T(values=_INDEFINITE)), s(T(values=_INDEFINITE), hermitian=True), s(_EMPTY), s(T(2, 2, low=0, high=0), check_errors=True), *_WRONG],
    "linalg_ldl_factor": [s(_square(2), grad=False), s(T(values=_INDEFINITE), grad=False)],
    "linalg_ldl_solve": [
        s(_square(), T(values=[2, 2, -4, -4], dtype="int32"), T(4, 2), grad=False), s(_square(), T(values=[2, 2, -4, -4], dtype="int32"), T(3, 4, 2), hermitian=True, grad=False),
        s(_EMPTY, T(0, dtype="int32"), T(0, 2), grad=False), s(_square(), T(values=[1, 2], dtype="int32"), T(4, 2), grad=False), s(_square(), T(values=[1, 2, 3, 4], dtype="int32"), T(3, 2), grad=False),
    ],
    "geqrf": [s(_square()), s(T(2, 5, 3)), s(T(3, 5)), s(T(0, 3)), s(T(3))],
    "lu_unpack": [s(_square(), T(values=[3, 3, 4, 4], dtype="int32")), s(_square(), T(values=[3, 3, 4, 4], dtype="int32"), unpack_pivots=False), s(_square(), T(values=[3, 3, 4, 4], dtype="int32"), unpack_data=False, grad=False), s(T(5, 3), T(values=[5, 2, 3], dtype="int32"))],
    "linalg_lu_solve": [s(_square(), T(values=[3, 3, 4, 4], dtype="int32"), T(4, 2)), s(_square(), T(values=[1, 3, 3, 4], dtype="int32"), T(2, 4), left=False), s(_square(), T(values=[2, 2, 3, 4], dtype="int32"), T(4, 2), adjoint=True), s(_square(), T(values=[2, 2, 4, 4], dtype="int32"), T(2, 4), left=False, adjoint=True)],
    "lu_solve": [s(T(4, 2), _square(), T(values=[3, 3, 4, 4], dtype="int32"))],
    "linalg_det": [s(_square()), s(_square(2, 3)), s(_EMPTY), s(_SINGULAR, grad=False), s(T(values=[[0.0, 1.0], [1.0, 0.0]])), *_WRONG],
    "det": [s(_square())],
    "linalg_slogdet": [s(_square()), s(_square(2)), s(T(values=[[0.0, 1.0], [1.0, 0.0]])), s(_SINGULAR, grad=False), s(_EMPTY), *_WRONG],
    "slogdet": [s(_square())], "logdet": [s(_positive()), s(_square(3)), s(T(values=[[0.0, 1.0], [1.0, 0.0]]), grad=False)],
    "linalg_cholesky_ex": [s(_positive()), s(_positive(2), upper=True), s(_EMPTY), s(T(values=[[1.0, 2.0], [2.0, 1.0]]), check_errors=True, grad=False), *_WRONG],
    "linalg_cholesky": [s(_positive()), s(_positive(2, 2)), s(_positive(), upper=True), s(T(values=[[1.0, 2.0], [2.0, 1.0]]), grad=False)],
    "cholesky": [s(_positive()), s(_positive(), True)],
    "cholesky_solve": [s(T(4, 2), _triangular(upper=False)), s(T(2, 4, 2), _triangular(), True)],
    "cholesky_inverse": [s(_triangular(upper=False)), s(_triangular(2), True)],
    "linalg_qr": [s(_square()), s(T(5, 3)), s(T(2, 3, 5)), s(T(5, 3), "complete", grad=False), s(T(3, 5), "complete"), s(T(5, 3), "r", grad=False), s(T(0, 3)), s(T(3, 0)), s(T(3, 0), "complete", grad=False), s(T(3, 3), "other", grad=False), s(T(3), grad=False)],
    "qr": [s(T(5, 3)), s(T(5, 3), False, grad=False)],
    "linalg_svdvals": [s(_square()), s(T(2, 5, 3)), s(T(3, 5)), s(T(0, 3)), s(T(30, 40), tolerance=400, grad=False), s(T(values=[[math.nan, 1.0], [0.0, 1.0]]), grad=False)],
    "linalg_eig": [s(T(3, 1, 1), grad=False), s(_EMPTY, grad=False), *_WRONG],
    "linalg_eigvalsh": [s(_positive()), s(_positive(2)), s(_positive(), "U", grad=False), s(_EMPTY), s(_positive(), "X", grad=False), *_WRONG],
    "linalg_pinv": [s(_square()), s(T(2, 5, 3)), s(T(3, 5)), s(_SINGULAR, double=False, grad=False), s(T(5, 3), atol=0.1, rtol=0.01), s(_square(2), atol=T(values=[0.1, 0.2], grad=False)), s(_positive(), hermitian=True, tolerance=100), s(T(0, 3))],
    "linalg_pinv.rcond": [s(T(5, 3), 0.01), s(_square(2), T(values=[0.1, 0.2], grad=False))],
    "pinverse": [s(T(5, 3))],
    "linalg_lstsq": [s(_square(), T(4, 2), tolerance=200), s(T(5, 3), T(5, 2), tolerance=200), s(T(3, 5), T(3, 2), tolerance=200), s(T(2, 5, 3), T(2, 5), driver="gels", tolerance=200, double=False), s(T(5, 3), T(5, 2), driver="gelsd", tolerance=200, grad=False), s(_SINGULAR, T(2, 1), tolerance=200, grad=False), s(T(5, 3), T(4, 2), grad=False)],
    "linalg_matrix_exp": [s(_square()), s(T(2, 3, 3, low=-1, high=1)), s(T(1, 1)), s(_EMPTY), *_WRONG], "matrix_exp": [s(_square(n=3))],
    "linalg_matrix_rank": [s(_square()), s(_SINGULAR), s(T(2, 5, 3)), s(_square(2), atol=T(values=[1.5, 9.0])), s(_positive(), hermitian=True), s(_square(), rtol=0.5), s(T(0, 3))],
    "linalg_matrix_rank.tol": [s(_square(), 1.5), s(_square(2), T(values=[1.5, 9.0]))],
    "linalg_norm": [
        s(T(4)), s(T(3, 4)), s(T(2, 3, 4)), s(T(4), 3), s(T(3, 4), 1), s(T(3, 4), -1), s(T(3, 4), 2), s(T(3, 4), -2), s(T(3, 4), math.inf), s(T(3, 4), -math.inf), s(T(2, 3, 4), 1, 1),
        s(T(2, 3, 4), 1, (0, 2), True), s(T(2, 3, 4), 2, (2, 0), True), s(T(2, 3, 4), None, (0, 1)), s(T(2, 3, 4), None, 1, True), s(T(3, 4), dtype="float64"), s(T(2, 3, 4), 2, grad=False), s(T(3, 4), 3, grad=False), s(T(3, dtype="int64"), grad=False),
    ],
    "linalg_norm.ord_str": [s(T(3, 4), "fro"), s(T(3, 4), "nuc"), s(T(2, 3, 4), "nuc", (0, 2)), s(T(3, 4), "max", grad=False)],
    "linalg_vector_norm": [s(T(3, 4)), s(T(3, 4), 3, 1), s(T(3, 4), -math.inf, 0), s(T(3, 4), 0, grad=False), s(T(3, 4), 1, (0, 1), True), s(T(3, 4), 0.5, 1), s(T(), 2), s(T(0), 2)],
    "linalg_matrix_norm": [s(T(2, 3, 4), 1), s(T(2, 3, 4), -2, (0, 1)), s(T(2, 3, 4), math.inf, keepdim=True), s(T(2, 3, 4), 2, (1, 2), True, dtype="float64"), s(T(3), 2, grad=False), s(T(2, 3, 4), 5, grad=False)],
    "linalg_matrix_norm.str_ord": [s(T(2, 3, 4)), s(T(2, 3, 4), "nuc", (-3, -1)), s(T(3, 4), "fro", keepdim=True)],
    "nuclear_norm": [s(T(3, 4)), s(T(2, 3, 4), (0, 2), True)],
    "linalg_cond": [s(_square()), s(_square(2), 1, grad=False), s(_square(), -2), s(_square(), math.inf, grad=False), s(T(5, 3)), s(_SINGULAR, 1, grad=False), s(T(2, 3), 1, grad=False)],
    "linalg_cond.p_str": [s(_square(), "fro", grad=False), s(_square(2), "nuc", grad=False)],
    "linalg_matrix_power": [s(_square(), n) for n in (0, 1, 2, 3, 5, -1, -2)] + [s(T(2, 3), 2, grad=False)], "matrix_power": [s(_square(2), 3)],
    "linalg_multi_dot": [s([T(2, 3), T(3, 4), T(4, 2)]), s([T(3), T(3, 4), T(4, 5), T(5)]), s([T(2, 3), T(3, 4)]), s([T(2, 3), T(4, 2)], grad=False)], "chain_matmul": [s(T(2, 3), T(3, 4), T(4, 2))],
    "linalg_cross": [s(T(4, 3), T(4, 3)), s(T(3, 4), T(3, 1), dim=0), s(T(4, 2), T(4, 2), grad=False), S(T(2, 3), T(2, 3), dtypes=INTS[1:], strides=False)], "cross": [s(T(4, 3), T(4, 3)), s(T(3, 4, 3), T(3, 4, 3)), s(T(4, 3), T(4, 3), dim=1), s(T(2, 2), T(2, 2), grad=False)],
    "linalg_vecdot": [s(T(2, 3), T(2, 3)), s(T(4, 3), T(3)), s(T(3, 2), T(3, 2), dim=0)], "linalg_matmul": [s(T(2, 3), T(3, 4))],
    "linalg_vander": [s(T(4)), s(T(2, 3), N=5), S(T(3, dtype="int32")), s(T(4), N=1, grad=False)], "vander": [s(T(4), grad=False), s(T(4), 3, True, grad=False), s(T(4), 0, grad=False), s(T(2, 2), grad=False)],
    "linalg_diagonal": [s(T(3, 4)), s(T(2, 3, 4), offset=1), s(T(2, 3, 4), dim1=0, dim2=2)],
    "linalg_tensorinv": [s(T(values=_rng.uniform(-1, 1, (2, 3, 6))), 2), s(T(values=_rng.uniform(-1, 1, (4, 2, 2))), ind=1), s(T(2, 3, 4), grad=False)],
    "linalg_tensorsolve": [s(T(values=_rng.uniform(-1, 1, (2, 3, 6))), T(2, 3)), s(T(values=_rng.uniform(-1, 1, (6, 2, 3))), T(2, 3), (0,)), s(T(2, 3, 4), T(2, 3), grad=False)],
    "linalg_householder_product": [s(T(values=_factors[0].T), T(values=_factors[1])), s(T(2, 4, 2, low=-1, high=1), T(2, 2, low=0.1, high=1)), s(T(2, 3), T(2), grad=False)],
    "tensordot": [s(T(2, 3, 4), T(3, 4, 5)), s(T(2, 3), T(2, 3), 0), s(T(2, 3), T(3, 2), 1), s(T(2, 1), T(3, 2), 1), s(T(2, 3), T(4, 2), 1, grad=False)],
    "inner": [s(T(3), T(3)), s(T(2, 3), T(4, 3)), s(T(), T(2)), s(T(2), T(3), grad=False)],
    "kron": [s(T(2, 3), T(3, 2)), s(T(2), T(3, 2)), s(T(2, 1, 2), T(2))],
    "addr": [s(T(3, 4), T(3), T(4)), s(T(4), T(3), T(4), beta=0.5, alpha=2)], "addbmm": [s(T(3, 4), T(2, 3, 5), T(2, 5, 4)), s(T(4), T(2, 3, 5), T(2, 5, 4), beta=0.5, alpha=2)],
    "block_diag": [s(T(2, 3), T(2), T(), T(3, 1)), s(T(2, 2)), s(T(2, 2, 2), grad=False)],
}  # fmt: skip

# --- compared in tests/eager/test_linalg.py; here shape and dtype only --------------------------------------------------
UNSPECIFIED = {
    "linalg_svd": [s(T(5, 3)), s(T(2, 3, 5)), s(T(3, 5), False)],
    "svd": [s(T(5, 3)), s(T(2, 3, 5), False), s(T(5, 3), compute_uv=False)],
    "linalg_eigvals": [s(T(3, 3))],
    "linalg_eigh": [s(T(3, 3)), s(T(2, 3, 3), "U")],
}

INTERNAL = {
    "cross_product": "cross",
    "_linalg_solve": "linalg_solve",
    "_linalg_permutation": "linalg_lu",
    "_linalg_ldl_solve": "linalg_ldl_solve",
    "_linalg_adjugate": "linalg_det",
    "_linalg_solve_triangular": "linalg_solve_triangular",
    "_cholesky_solve": "cholesky_solve",
    "_linalg_svd": "linalg_svdvals",
    "_linalg_matrix_exp": "linalg_matrix_exp",
    "_linalg_pinv": "linalg_pinv",
    "_linalg_eigh": "linalg_eigvalsh",
    "_linalg_eig": "linalg_eigvals",
}
