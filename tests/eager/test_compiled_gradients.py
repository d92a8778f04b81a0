"""Gradients of every sample through a compiled function, against eager ones: of fixed sizes, of sizes that are symbols, and of
numbers that are arguments.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.eager.sample_call import Call, cases, differentiable, gradients, outcome
from tests.eager.test_compiled_ops import Source, has_numbers
from tests.op_samples import SAMPLES, Sample

import framejit as fj


def check_gradients(call: Call, compiled: Callable[..., Any], numbers: list[float]) -> None:
    expected = gradients(call, fj, twice=False)
    for _ in range(2):  # traced, then from the cache
        got = gradients(call, fj, twice=False, run=lambda *tensors: compiled(*tensors, *numbers))
        for ours, theirs in itertools.zip_longest(got, expected):
            if ours is None or theirs is None:  # a trace may say zeros where eager code says that there is no gradient
                assert all(tensor is None or not tensor.any() for tensor in (ours, theirs))
                continue
            assert ours.shape == theirs.shape and ours.dtype is theirs.dtype
            tolerance = 1e-5 if ours.dtype is fj.float32 else 1e-10
            np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=tolerance, atol=tolerance)
    assert fj.compiler.stats(compiled).failed_runs == 0


@pytest.mark.parametrize("dynamic", [None, True], ids=["fixed", "dynamic"])
@pytest.mark.parametrize(("name", "sample"), cases(SAMPLES, differentiable))
def test_compiled_gradient(name: str, sample: Sample, dynamic: bool | None) -> None:
    call = Call(name, sample, "float64")
    if isinstance(outcome(call, fj), Exception):
        return  # test_compiled_ops has compared the errors
    check_gradients(call, fj.compile(Source(sample).function(call.row), dynamic=dynamic), [])


def has_numbers_and_gradients(row: dict, sample: Sample) -> bool:
    return differentiable(row, sample) and has_numbers(row, sample)


@pytest.mark.parametrize(("name", "sample"), cases(SAMPLES, has_numbers_and_gradients))
def test_numbers_are_arguments(name: str, sample: Sample) -> None:
    call = Call(name, sample, "float64")
    if isinstance(outcome(call, fj), Exception):
        return
    source = Source(sample, numbers_too=True)
    check_gradients(call, fj.compile(source.function(call.row)), source.numbers)
