"""Helpers of the tests of the bindings: PyTorch as the oracle, where it is installed."""

from __future__ import annotations

import gc
import importlib.util
import sys

import numpy as np
import pytest

import framejit as fj

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is the oracle")


def torch_module():
    import torch

    return torch


def same(ours, theirs) -> None:
    """Asserts that a framejit result equals a torch or NumPy one: type, dtype, shape, elements."""
    if isinstance(ours, fj.Tensor):
        expected = theirs.detach().numpy() if hasattr(theirs, "detach") else np.asarray(theirs)
        got = ours.detach().numpy()
        assert got.dtype == expected.dtype
        assert got.shape == expected.shape
        np.testing.assert_array_equal(got, expected)
    elif isinstance(ours, (tuple, list)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            same(one, other)
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs or (ours != ours and theirs != theirs)


def outcome(code: str, **names):
    """The value of an expression, or the exception it raises."""
    try:
        return eval(code, dict(names))
    except Exception as error:
        return error


def same_outcome(code: str, ours: dict, theirs: dict, same_message: bool = False) -> None:
    """Asserts that an expression has one meaning with our names and with PyTorch's: same value, or same exception type."""
    got, expected = outcome(code, **ours), outcome(code, **theirs)
    if isinstance(expected, Exception) or isinstance(got, Exception):
        # NotImplementedError is a RuntimeError.
        assert isinstance(got, Exception) and isinstance(got, type(expected)), f"{code}: got {got!r}, PyTorch: {expected!r}"
        if same_message:
            assert str(got) == str(expected).replace("torch.", "framejit."), code
    else:
        same(got, expected)


def allocated_blocks(function, calls: int) -> int:
    """How many more memory blocks Python holds after many calls of ``function`` than after a few: the least of three times, for
    other threads of the process (of the test runner) take blocks too."""

    def grown() -> int:
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(calls):
            function()
        gc.collect()
        return sys.getallocatedblocks() - before

    for _ in range(20):
        function()
    return min(grown() for _ in range(3))
