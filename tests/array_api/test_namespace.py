"""`framejit.array_api` against NumPy, whose main namespace follows the same standard.

A fixed sample of every function; the data-apis suite is run on demand, with `ARRAY_API_TESTS_MODULE=framejit.array_api pytest array_api_tests`
in a checkout of data-apis/array-api-tests.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import framejit as fj
from framejit import array_api as xp

if np.lib.NumpyVersion(np.__version__) < "2.1.0":
    pytest.skip("NumPy follows the standard from 2.1 on", allow_module_level=True)

rng = np.random.default_rng(0)
A = rng.normal(size=(3, 4))
B = rng.uniform(0.2, 0.9, size=(3, 4))
SQUARE = rng.normal(size=(2, 3, 3)) + 3 * np.eye(3)
SYMMETRIC = SQUARE @ np.swapaxes(SQUARE, -1, -2)
N = rng.integers(-9, 9, size=(3, 4))
J = rng.integers(1, 5, size=(3, 4))
MASK = rng.integers(0, 2, size=(3, 4)).astype(bool)
VECTOR = np.array([3.0, 1.0, 2.0, 1.0, np.nan])

# function name: calls, as (arguments, keywords); arrays are converted
CALLS = {
    **{name: [((A,), {})] for name in "abs ceil exp expm1 floor isfinite isinf isnan negative positive round sign signbit sin cos tan sinh cosh tanh square trunc atan asinh".split()},
    **{name: [((B,), {})] for name in "acos asin atanh log log1p log2 log10 sqrt reciprocal".split()},
    "acosh": [((B + 1,), {})], "bitwise_invert": [((N,), {}), ((MASK,), {})], "logical_not": [((MASK,), {})],
    **{name: [((A, B), {}), ((A, B[0]), {}), ((A, 2.0), {})] for name in "add subtract multiply divide maximum minimum less less_equal greater greater_equal equal not_equal".split()},
    **{name: [((A, B), {})] for name in "atan2 copysign hypot logaddexp nextafter".split()},
    **{name: [((N, J), {}), ((A, B), {})] for name in "floor_divide remainder".split()}, "pow": [((B, A), {}), ((J, J), {}), ((A, 2), {})],
    **{name: [((N, J), {}), ((MASK, MASK[0]), {})] for name in "bitwise_and bitwise_or bitwise_xor".split()},
    **{name: [((N, J), {})] for name in "bitwise_left_shift bitwise_right_shift".split()},
    **{name: [((MASK, MASK[0]), {})] for name in "logical_and logical_or logical_xor".split()},
    "clip": [((A,), {"min": -0.5, "max": 0.5}), ((A, None, B), {}), ((N,), {"min": -2, "max": 2})],
    **{name: [((A,), {}), ((A,), {"axis": 1}), ((A,), {"axis": (0, 1), "keepdims": True}), ((N,), {"axis": 0})] for name in "max min prod sum".split()},
    **{name: [((A,), {}), ((A,), {"axis": 1, "keepdims": True})] for name in "mean".split()},
    **{name: [((A,), {}), ((A,), {"axis": 0, "correction": 1.0}), ((A,), {"axis": (0, 1), "keepdims": True})] for name in "std var".split()},
    **{name: [((MASK,), {}), ((N,), {"axis": 1}), ((MASK,), {"axis": (), "keepdims": False})] for name in "all any".split()},
    **{name: [((A,), {"axis": 1}), ((A[0],), {}), ((A,), {"axis": 0, "include_initial": True}), ((N,), {"axis": 0})] for name in "cumulative_sum cumulative_prod".split()},
    "diff": [((A,), {}), ((A,), {"axis": 0, "n": 2}), ((A,), {"prepend": A[:, :1], "append": A[:, :1]})],
    **{name: [((A,), {}), ((A,), {"axis": 1, "keepdims": True})] for name in "argmax argmin".split()},
    "sort": [((A,), {}), ((A,), {"axis": 0})], "argsort": [((A,), {}), ((N,), {"axis": 0, "stable": True})],
    "nonzero": [((MASK,), {})], "count_nonzero": [((MASK,), {}), ((N,), {"axis": 1, "keepdims": True})],
    "searchsorted": [((np.sort(A[0]), A[1]), {}), ((A[0], A[1]), {"side": "right", "sorter": np.argsort(A[0])})],
    "where": [((MASK, A, B), {}), ((MASK, A, 0.0), {})], "take": [((A, np.array([2, 0])), {"axis": 0}), ((A[0], np.array([1, -1])), {})],
    "take_along_axis": [((A, np.argsort(A, axis=1)), {"axis": 1})],
    "unique_values": [((N,), {}), ((VECTOR,), {})], "unique_counts": [((N,), {})], "unique_inverse": [((N,), {})], "unique_all": [((N,), {})],
    "broadcast_to": [((A[0], (2, 4)), {})], "broadcast_arrays": [((A, A[0]), {})], "concat": [(([A, B],), {}), (([A, B],), {"axis": None})], "stack": [(([A, B],), {"axis": 1})],
    "expand_dims": [((A,), {"axis": 1})], "flip": [((A,), {}), ((A,), {"axis": 1})], "moveaxis": [((SQUARE, 0, 2), {})], "permute_dims": [((SQUARE, (2, 0, 1)), {})],
    "repeat": [((A, 2), {}), ((A, 2), {"axis": 1}), ((A, np.array([1, 0, 2])), {"axis": 0})], "reshape": [((A, (4, 3)), {})], "roll": [((A, 1), {}), ((A, (1, 2)), {"axis": (0, 1)})],
    "squeeze": [((A[None], 0), {})], "tile": [((A, (2, 1, 2)), {})], "unstack": [((A,), {"axis": 1})],
    "arange": [((5,), {"dtype": "int64"}), ((1, 9, 3), {"dtype": "int64"}), ((5, 1), {"dtype": "float64"})], "linspace": [((0.0, 1.0, 5), {"dtype": "float64"}), ((0.0, 1.0, 5), {"dtype": "float64", "endpoint": False})],
    "eye": [((3, 4), {"k": 1, "dtype": "float64"}), ((3,), {"k": -1, "dtype": "float64"})], "full": [((2, 3), {"dtype": "float64"})], "zeros": [((2,), {"dtype": "int64"})], "ones": [(((2, 3),), {"dtype": "bool"})],
    "full_like": [((A, 2), {})], "zeros_like": [((A,), {})], "ones_like": [((N,), {})], "tril": [((A,), {"k": 1})], "triu": [((SQUARE,), {"k": -1})], "meshgrid": [((A[0], B[:, 0]), {}), ((A[0], B[:, 0]), {"indexing": "ij"})],
    "matmul": [((A, B.T), {}), ((SQUARE, A[0, :3]), {})], "matrix_transpose": [((SQUARE,), {})], "tensordot": [((A, B.T), {"axes": 1}), ((A, B), {"axes": ((0, 1), (0, 1))})], "vecdot": [((A, B), {}), ((A, B[:, :1] * np.ones(4)), {"axis": -2})],
    "linalg.cholesky": [((SYMMETRIC,), {}), ((SYMMETRIC,), {"upper": True})], "linalg.det": [((SQUARE,), {})], "linalg.inv": [((SQUARE,), {})], "linalg.solve": [((SQUARE, A[0, :3]), {}), ((SQUARE, SQUARE[0]), {})],
    "linalg.eigvalsh": [((SYMMETRIC,), {})], "linalg.svdvals": [((A,), {})], "linalg.slogdet": [((SQUARE,), {})], "linalg.pinv": [((A,), {})], "linalg.matrix_power": [((SQUARE, 3), {})], "linalg.matrix_rank": [((A,), {})],
    "linalg.matrix_norm": [((A,), {}), ((A,), {"ord": 2, "keepdims": True}), ((A,), {"ord": "nuc"})], "linalg.vector_norm": [((A,), {}), ((A,), {"axis": 1, "ord": 3, "keepdims": True})], "linalg.diagonal": [((SQUARE,), {"offset": 1})], "linalg.trace": [((SQUARE,), {})], "linalg.outer": [((A[0], B[0]), {})], "linalg.cross": [((SQUARE, SQUARE[0]), {})],
    **{f"fft.{name}": [((A,), {}), ((A,), {"n": 6, "axis": 0, "norm": "ortho"})] for name in "fft ifft rfft ihfft".split()}, "fft.irfft": [((A + 1j * B,), {}), ((A + 1j * B,), {"n": 5})], "fft.hfft": [((A + 1j * B,), {})],
    **{f"fft.{name}": [((A,), {}), ((A,), {"s": (2, 5), "axes": (1, 0)})] for name in "fftn ifftn rfftn".split()}, "fft.irfftn": [((A + 1j * B,), {})],
    "fft.fftshift": [((A,), {}), ((A,), {"axes": 1})], "fft.ifftshift": [((A,), {})], "fft.fftfreq": [((5,), {"d": 0.5, "dtype": "float64"})], "fft.rfftfreq": [((5,), {"d": 0.5, "dtype": "float64"})],
}  # fmt: skip


def find(namespace, name):
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


def convert(value, make):
    if isinstance(value, np.ndarray):
        return make(value)
    if isinstance(value, (list, tuple)) and any(isinstance(entry, np.ndarray) for entry in value):
        return [convert(entry, make) for entry in value]
    return value


def tensor(array):
    return fj.from_numpy(np.ascontiguousarray(array)) if array.ndim else fj.tensor(array.item(), dtype=getattr(fj, str(array.dtype)))


def call(namespace, name, args, kwargs, make, dtypes):
    kwargs = {key: getattr(dtypes, value) if key == "dtype" else convert(value, make) for key, value in kwargs.items()}
    if name in ("fft.fftfreq", "fft.rfftfreq") and namespace is np:
        return find(namespace, name)(*args, d=kwargs["d"])
    return find(namespace, name)(*[convert(value, make) for value in args], **kwargs)


def check(got, expected):
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            check(one, other)
        return
    assert isinstance(got, fj.Tensor)
    expected = np.asarray(expected)
    assert got.shape == expected.shape
    assert str(got.dtype).removeprefix("framejit.") == str(expected.dtype)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name):
    for args, kwargs in CALLS[name]:
        expected = call(np, name, args, kwargs, lambda array: array, np)
        check(call(xp, name, args, kwargs, tensor, xp), np.sort(expected) if name == "unique_values" else expected)


def test_every_function_is_called():
    known = set(CALLS) | {"linalg.eigh", "linalg.qr", "linalg.svd", "linalg.matmul", "linalg.matrix_transpose", "linalg.tensordot", "linalg.vecdot"}
    known |= {"asarray", "astype", "can_cast", "empty", "empty_like", "finfo", "from_dlpack", "iinfo", "isdtype", "result_type", "real", "imag", "conj"}
    found = {name for name, value in vars(xp).items() if inspect.isfunction(value) and not name.startswith("_")}
    found |= {f"{part}.{name}" for part in ("linalg", "fft") for name in getattr(xp, part).__all__}
    assert found == known


def test_namespace_of_a_tensor():
    x = xp.asarray([1, 2])
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2023.12") is xp
    with pytest.raises(ValueError, match="expected 2024.12 or an earlier one"):
        x.__array_namespace__(api_version="1999.01")
    assert x.to_device("cpu").device == xp.__array_namespace_info__().default_device()


def test_decompositions_rebuild_their_argument():
    x = tensor(A)
    q, r = xp.linalg.qr(x)
    u, s, vh = xp.linalg.svd(x, full_matrices=False)
    values, vectors = xp.linalg.eigh(tensor(SYMMETRIC))
    check(q @ r, A)
    check((u * s) @ vh, A)
    check((vectors * values[..., None, :]) @ xp.matrix_transpose(vectors), SYMMETRIC)
    assert xp.linalg.svd(x).Vh.shape == (4, 4)


def test_dtypes():
    info = xp.__array_namespace_info__()
    assert info.dtypes(kind="real floating") == {"float32": fj.float32, "float64": fj.float64}
    assert info.default_dtypes()["integral"] is fj.int64
    assert xp.isdtype(fj.int32, ("bool", "signed integer"))
    assert not xp.isdtype(fj.bool, "numeric")
    assert xp.can_cast(fj.float32, fj.float64)
    assert not xp.can_cast(fj.float64, fj.float32)
    assert xp.result_type(fj.float32, fj.zeros((), dtype=fj.float64)) is fj.float64
    assert xp.result_type(fj.int32, 2.5) is fj.float32
    assert xp.finfo(fj.float64).eps == 2.0**-52
    assert xp.iinfo(xp.asarray(1)).max == 2**63 - 1


def test_asarray():
    x = xp.asarray([[1.0, 2.0]], dtype=xp.float64)
    assert xp.asarray(x) is x
    assert xp.asarray(x, copy=True) is not x
    assert xp.asarray(x, dtype=xp.float32).dtype is xp.float32
    with pytest.raises(ValueError, match="another dtype needs a copy"):
        xp.asarray(x, dtype=xp.float32, copy=False)
    assert xp.astype(x, xp.int64).dtype is xp.int64
    assert xp.astype(x, xp.float64, copy=False) is x


def test_zero_dim_arrays_take_part_in_promotion():
    single, double = xp.ones(3, dtype=xp.float32), xp.asarray(1.0, dtype=xp.float64)
    assert xp.add(single, double).dtype is xp.float64
    assert xp.where(single > 0, single, double).dtype is xp.float64


def test_round_of_complex_numbers():
    assert xp.round(fj.tensor([1.5 - 2.5j, 0.4 + 0.6j])).tolist() == [2 - 2j, 1j]


def test_zeros_of_complex_functions():
    """Their signs, as the standard has them."""
    got = xp.expm1(xp.asarray([complex(-0.0, 0.0), complex(0.0, -0.0)]))
    assert not np.signbit(got.numpy().real).any() and np.signbit(got.numpy().imag).tolist() == [False, True]
    limit = xp.tanh(xp.asarray([complex(np.inf, 2.0), complex(-np.inf, -2.0), 1j])).numpy()
    assert limit[:2].tolist() == [1, -1] and np.signbit(limit.imag).tolist() == [False, True, False]
