"""Products of matrices, decompositions, Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eager_ops.case import LARGE, UP_TO_1M, Arrays, Case, K, M, floats, square


def _definite(n: int) -> Arrays:
    """Well-conditioned symmetric matrices of 32 x 32."""
    (a,) = floats((-1, 32, 32))(n)
    return [a @ a.transpose(0, 2, 1) + 32 * np.eye(32, dtype=np.float32)]


def _integers(n: int) -> Arrays:
    return [(10 * x).astype(np.int64) for x in floats((), ())(n)]


def _as(dtype: str) -> Callable[..., list[Any]]:
    return lambda t, *tensors: [x.to(getattr(t, dtype)) for x in tensors]


COMPLEX_LINES = floats((-1, 256), dtype=np.complex64)
COMPLEX_LINE = floats((-1,), dtype=np.complex64)
COMPLEX_SQUARE = floats(dtype=np.complex64)

CASES = (
    Case("matmul", lambda t, a, b: a @ b, floats((), ()), (K, 64 * K, M, 4 * M), np.matmul),
    Case("matmul transposed", lambda t, a, b: a @ b.T, floats((), ()), UP_TO_1M, lambda a, b: a @ b.T),
    Case("matmul float64", lambda t, a, b: a @ b, floats((), (), dtype=np.float64), UP_TO_1M, np.matmul),
    Case("matmul float16", lambda t, a, b: a @ b, floats((), ()), LARGE, prepare=_as("float16")),
    Case("matmul bfloat16", lambda t, a, b: a @ b, floats((), ()), LARGE, prepare=_as("bfloat16")),
    Case("matmul int64", lambda t, a, b: a @ b, _integers, (K, 64 * K), np.matmul),
    Case("matmul complex64", lambda t, a, b: a @ b, floats((), (), dtype=np.complex64), LARGE, np.matmul),
    Case("matrix by vector", lambda t, a, b: a @ b[0], floats((), ()), numpy=lambda a, b: a @ b[0]),
    Case("bmm 32", lambda t, a, b: t.bmm(a, b), floats((-1, 32, 32), (-1, 32, 32)), numpy=np.matmul),
    Case("bmm 128", lambda t, a, b: t.bmm(a, b), floats((-1, 128, 128), (-1, 128, 128)), LARGE, np.matmul),
    Case("outer", lambda t, a: t.outer(a[0], a[1]), numpy=lambda a: np.outer(a[0], a[1])),
    Case("einsum", lambda t, a, b: t.einsum("bij,bkj->bik", a, b), floats((-1, 64, 32), (-1, 64, 32)), LARGE),
    Case("solve", lambda t, a: t.linalg.solve(a, a), _definite, numpy=lambda a: np.linalg.solve(a, a)),
    Case("cholesky", lambda t, a: t.linalg.cholesky(a), _definite, numpy=np.linalg.cholesky),
    Case("inv", lambda t, a: t.linalg.inv(a), _definite, numpy=np.linalg.inv),
    Case("det", lambda t, a: t.linalg.det(a), _definite, numpy=np.linalg.det),
    Case("qr", lambda t, a: t.linalg.qr(a), floats((-1, 32, 32)), numpy=np.linalg.qr),
    Case("svd", lambda t, a: t.linalg.svd(a), floats((-1, 32, 32)), numpy=np.linalg.svd),
    Case("eigh", lambda t, a: t.linalg.eigh(a), _definite, numpy=np.linalg.eigh),
    Case("eigvals", lambda t, a: t.linalg.eigvals(a), floats((-1, 32, 32)), numpy=np.linalg.eigvals),
    Case("inv 256", lambda t, a: t.linalg.inv(a), lambda n: floats((256, 256))(n), (64 * K,), np.linalg.inv),
    Case("fft rows of 256", lambda t, a: t.fft.fft(a), COMPLEX_LINES, numpy=np.fft.fft),
    Case(
        "fft rows of 360", lambda t, a: t.fft.fft(a), floats((-1, 360), dtype=np.complex64), LARGE, np.fft.fft
    ),
    Case(
        "fft rows of 251", lambda t, a: t.fft.fft(a), floats((-1, 251), dtype=np.complex64), LARGE, np.fft.fft
    ),
    Case("fft one line", lambda t, a: t.fft.fft(a), COMPLEX_LINE, numpy=np.fft.fft),
    Case(
        "fft dim 0", lambda t, a: t.fft.fft(a, dim=0), COMPLEX_SQUARE, numpy=lambda a: np.fft.fft(a, axis=0)
    ),
    Case("fft2", lambda t, a: t.fft.fft2(a), COMPLEX_SQUARE, numpy=np.fft.fft2),
    Case("ifft rows of 256", lambda t, a: t.fft.ifft(a), COMPLEX_LINES, numpy=np.fft.ifft),
    Case("rfft rows of 256", lambda t, a: t.fft.rfft(a), floats((-1, 256)), numpy=np.fft.rfft),
    Case("irfft rows of 256", lambda t, a: t.fft.irfft(a), COMPLEX_LINES, numpy=np.fft.irfft),
    Case("rfft one line", lambda t, a: t.fft.rfft(a), floats((-1,)), numpy=np.fft.rfft),
    Case("rfft2", lambda t, a: t.fft.rfft2(a), floats(), numpy=np.fft.rfft2),
    Case(
        "fft complex128", lambda t, a: t.fft.fft(a), lambda n: [np.ones(square(n), complex)], numpy=np.fft.fft
    ),
)
