"""Walks the op table: every row has a doc line and samples, and every sample gives what PyTorch gives.

Values, dtypes, shapes, strides, errors, gradients, second derivatives, in-place and ``out=`` forms. The samples are in
``tests/op_samples/``. Nothing here lists ops.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from tests.op_samples import INTERNAL, SAMPLES, UNSPECIFIED, Sample, T
from tests.eager.sample_call import KNOWN, ROWS, TABLE, Call, cases, differentiable, gradients, outcome

import framejit as fj

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")
warnings.filterwarnings("ignore")

EXACT = {"float32": (2e-6, 1e-6), "float64": (1e-13, 1e-14), "complex64": (2e-6, 1e-6), "complex128": (1e-13, 1e-14)}  # relative and absolute difference allowed


# --- comparing --------------------------------------------------------------------------------------------------------
def numpy_of(tensor: Any) -> np.ndarray:
    return tensor.detach().numpy(force=True) if isinstance(tensor, torch.Tensor) else tensor.detach().numpy()


def check_same(got: Any, expected: Any, tolerance: float = 1.0, strides: bool = True) -> None:
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            check_same(one, other, tolerance, strides)
        return
    if not isinstance(expected, torch.Tensor):
        assert type(got) is type(expected)
        assert got == expected or (got != got and expected != expected)
        return
    assert str(got.dtype).split(".")[1] == str(expected.dtype).split(".")[1]
    assert tuple(got.shape) == tuple(expected.shape)
    if strides and expected.numel() > 0:
        assert got.stride() == expected.stride()
    ours, theirs = numpy_of(got), numpy_of(expected)
    if ours.dtype.kind not in "fc":
        np.testing.assert_array_equal(ours, theirs)
        return
    relative, absolute = EXACT[str(ours.dtype)]
    np.testing.assert_allclose(ours, theirs, rtol=relative * tolerance, atol=absolute * tolerance)


def same_error(got: Any, expected: Exception) -> bool:
    """Both failed. PyTorch's RuntimeError may be one of our more telling types."""
    if not isinstance(got, Exception):
        return False
    return type(got) is type(expected) or isinstance(expected, (RuntimeError, NotImplementedError, IndexError))


# --- the table itself -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ROWS)
def test_row_is_documented_and_sampled(name: str) -> None:
    row = ROWS[name]
    assert row["doc"].strip(), "no doc line"
    if name in INTERNAL:
        assert not row["is_function"] or row["name"].startswith("_")
        assert INTERNAL[name] in KNOWN
    else:
        assert KNOWN.get(name), "no sample in tests/op_samples/"


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row["differentiable"] and name not in INTERNAL])
def test_derivative_is_tested(name: str) -> None:
    assert any(sample.grad for sample in SAMPLES[name])


def test_samples_name_rows() -> None:
    assert set(KNOWN) | set(INTERNAL) <= set(ROWS)


# --- values and errors ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "sample"), cases(SAMPLES))
def test_value(name: str, sample: Sample) -> None:
    for dtype in sample.dtypes:
        call = Call(name, sample, dtype)
        got, expected = outcome(call, fj), outcome(call, torch)
        if isinstance(expected, Exception):
            assert same_error(got, expected), f"{dtype}: PyTorch raised {expected!r}, framejit gave {got!r}"
        else:
            assert not isinstance(got, Exception), f"{dtype}: framejit raised {got!r}, PyTorch gave {expected!r}"
            check_same(got, expected, sample.tolerance, sample.strides)


@pytest.mark.parametrize(("name", "sample"), cases(UNSPECIFIED))
def test_shape_and_dtype(name: str, sample: Sample) -> None:
    call = Call(name, sample, "float32")
    got, expected = outcome(call, fj), outcome(call, torch)
    pairs = zip(got, expected, strict=True) if isinstance(expected, tuple) else [(got, expected)]
    for ours, theirs in pairs:
        assert tuple(ours.shape) == tuple(theirs.shape)
        assert str(ours.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
        assert not sample.strides or ours.stride() == theirs.stride()


# --- gradients --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "sample"), cases(SAMPLES, differentiable))
def test_gradient(name: str, sample: Sample) -> None:
    call = Call(name, sample, "float64")
    if isinstance(outcome(call, torch), Exception):
        return  # test_value has compared the errors
    got, expected = gradients(call, fj, sample.double), gradients(call, torch, sample.double)
    for ours, theirs in itertools.zip_longest(got, expected):
        # PyTorch says None for a gradient that is zero everywhere in some places where we say zeros, and the reverse.
        if ours is None or theirs is None:
            assert ours is None or not numpy_of(ours).any()
            assert theirs is None or not numpy_of(theirs).any()
            continue
        assert tuple(ours.shape) == tuple(theirs.shape)
        single = ours.dtype is fj.float32  # an input of its own dtype among float64 ones
        np.testing.assert_allclose(numpy_of(ours), numpy_of(theirs), rtol=1e-4 if single else 1e-7, atol=1e-9)


# --- derived rows -----------------------------------------------------------------------------------------------------
def derived(kind: str) -> list[str]:
    return [row["functional"] for row in TABLE.values() if row["kind"] == kind and row["functional"] in SAMPLES]


@pytest.mark.parametrize(("name", "sample"), cases(derived("inplace")))
def test_inplace(name: str, sample: Sample) -> None:
    method = TABLE[name]["name"] + "_"
    if not hasattr(torch.Tensor, method) or not isinstance(sample.args[0], T) or sample.args[0].layout == "expanded":
        return
    if "dtype" in sample.kwargs:  # the result would not fit, and PyTorch's messages differ from op to op
        return
    results = []
    for library in (fj, torch):
        call = Call(name, sample, sample.dtypes[0])
        tensors = call.tensors(library)
        try:
            result = call.run(library, tensors, getattr(library.Tensor, method))
            assert result is tensors[0]
            results.append(tensors[0])
        except Exception as error:
            results.append(error)
    got, expected = results
    if isinstance(expected, Exception):
        assert same_error(got, expected), f"PyTorch raised {expected!r}, framejit gave {got!r}"
    else:
        assert not isinstance(got, Exception), f"framejit raised {got!r}"
        check_same(got, expected, sample.tolerance)


@pytest.mark.parametrize(("name", "sample"), cases(derived("out")))
def test_out(name: str, sample: Sample) -> None:
    call = Call(name, sample, sample.dtypes[0])
    expected = outcome(call, fj)
    if isinstance(expected, Exception) or not TABLE[name]["is_function"]:
        return
    out = fj.empty((0,), dtype=expected.dtype)
    assert call.run(fj, call.tensors(fj), out=out) is out
    assert out.shape == expected.shape
    np.testing.assert_array_equal(numpy_of(out), numpy_of(expected))
