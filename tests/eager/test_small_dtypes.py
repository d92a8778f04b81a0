"""Walks the op table in the dtypes that borrow kernels: int8, int16, halves and complex numbers.

Every sample that PyTorch can run in such a dtype must give the same here. What differs on purpose is in DIFFERENCES.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from tests.op_samples import SAMPLES
from tests.eager.sample_call import ROWS, Call, outcome
from tests.op_samples.sample import COMPLEX, HALVES, SMALL, T

import framejit as fj

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")
warnings.filterwarnings("ignore")

# Relative to the largest element, since results are rounded, and sums cancel.
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "complex64": 2e-5, "float64": 1e-11, "complex128": 1e-11}

# Rows where dtypes differ on purpose: (rows, dtypes, why). Nothing is compared there.
INTEGERS = ("int8", "int16")
DIFFERENCES = [
    ("add reciprocal pow softsign tanhshrink", COMPLEX, "infinite complex numbers, of which PyTorch makes NaN"),
    ("signbit", HALVES, "the sign of NaN"),
    ("complex view_as_complex", ("float16",), "no complex numbers of two halves"),
    ("logaddexp logsumexp logcumsumexp", COMPLEX, "real logarithms of sums only"),
    ("amax kthvalue mode searchsorted cummax", COMPLEX, "complex numbers have no order; PyTorch does not look at the dtype of an empty tensor"),
    ("col2im adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d", COMPLEX, "pooling is of real numbers"),
    ("lstm", COMPLEX, "recurrent layers in complex64 are ill-conditioned"),
    ("kthvalue", INTEGERS, "which of equal elements"),
    ("polygamma", INTEGERS, "at the poles PyTorch has large numbers"),
    ("hinge_embedding_loss", INTEGERS, "losses are of floats"),
    ("einsum", INTEGERS, "PyTorch sums in int64 where one operand is reduced alone, not where two are multiplied"),
    ("histc", HALVES, "PyTorch rounds the borders of bins to halves"),
    ("linalg_matrix_exp matrix_exp", HALVES, "PyTorch overflows"),
    ("linalg_lu_factor_ex linalg_eigvalsh lu_unpack", (*INTEGERS, *HALVES), "PyTorch does not look at the dtype of an empty matrix"),
    ("linalg_solve linalg_det linalg_cholesky_ex linalg_svdvals linalg_ldl_factor_ex linalg_ldl_solve", HALVES, "the same"),
    ("set_.strided", SMALL, "a storage does not grow"),
]
DIFFERENT = {(row, dtype) for rows, dtypes, _ in DIFFERENCES for row in rows.split() for dtype in dtypes}


def runs_in(sample: Any) -> bool:
    """Some tensor of the sample takes the dtype of the run."""
    specs = [v for value in (*sample.args, *sample.kwargs.values()) for v in (value if isinstance(value, list) else [value])]
    return any(isinstance(spec, T) and spec.dtype is None for spec in specs)


def plain(tensor: Any) -> np.ndarray:
    tensor = tensor.detach().resolve_conj().resolve_neg()
    return (tensor.float() if str(tensor.dtype).split(".")[1] in HALVES else tensor).numpy()


def differences(got: Any, expected: Any, looser: float) -> str | None:
    if isinstance(expected, (tuple, list)):
        if len(got) != len(expected):
            return f"{len(got)} results, expected {len(expected)}"
        found = [differences(one, other, looser) for one, other in zip(got, expected)]
        return next(filter(None, found), None)
    if not isinstance(expected, torch.Tensor):
        same = got == expected or (isinstance(got, (float, complex)) and abs(got - expected) < 1e-2)
        return None if same else f"got {got!r}, expected {expected!r}"
    dtype = str(expected.dtype).split(".")[1]
    if (str(got.dtype), tuple(got.shape)) != (f"framejit.{dtype}", tuple(expected.shape)):
        return f"got {got.dtype} {tuple(got.shape)}, expected {dtype} {tuple(expected.shape)}"
    ours, theirs = plain(got), plain(expected)
    if ours.size == 0 or np.array_equal(ours, theirs):
        return None
    if ours.dtype.kind == "c":  # part by part: an infinite one says nothing of the other
        ours, theirs = (array[..., None].view(array.real.dtype) for array in (ours, theirs))
    finite = np.abs(theirs[np.isfinite(theirs)])
    allowed = TOLERANCE.get(dtype, 0) * looser * max(1.0, float(finite.max(initial=0)))
    if ours.dtype.kind not in "fc":
        return f"{int((ours != theirs).sum())} of {ours.size} elements"
    with np.errstate(invalid="ignore"):
        same = (ours == theirs) | (np.abs(ours - theirs) <= allowed) | (np.isnan(ours) & np.isnan(theirs))
    if same.all():
        return None
    where = tuple(np.argwhere(~same)[0])
    return f"{int((~same).sum())} of {same.size} elements: {ours[where]!r}, expected {theirs[where]!r}"


@pytest.mark.parametrize("name", [name for name in SAMPLES if name in ROWS])
def test_sample_in_small_dtypes(name: str) -> None:
    found = []
    for i, sample in enumerate(SAMPLES[name]):
        for dtype in SMALL:
            if (name, dtype) in DIFFERENT or dtype in sample.dtypes or not runs_in(sample):
                continue
            call = Call(name, sample, dtype)
            expected = outcome(call, torch)
            if isinstance(expected, Exception):
                continue  # we may know more dtypes
            got = outcome(call, fj)
            text = f"raised {got!r}" if isinstance(got, Exception) else differences(got, expected, sample.tolerance)
            if text:
                found.append(f"sample {i}, {dtype}: {text}")
    assert not found, "\n".join(found)


def test_differences_name_rows() -> None:
    assert {row for row, _ in DIFFERENT} <= set(SAMPLES)


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_signs_of_all_halves(name: str) -> None:
    """Changes of sign work on bits: of every number, with infinities and both zeros."""
    mine, theirs = (library.arange(-32768, 32768).to(library.int16).view(getattr(library, name)) for library in (fj, torch))
    for op in ("neg", "abs", "neg_", "abs_"):
        got, expected = getattr(mine.clone(), op)(), getattr(theirs.clone(), op)()
        assert repr(got.float().tolist()) == repr(expected.float().tolist())
