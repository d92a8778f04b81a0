"""Calling samples in framejit or PyTorch, and differentiating the calls."""

from __future__ import annotations

import operator
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framejit as fj
from tests.op_samples import ALL, FLOATS, FORMATS, SAMPLES, UNSPECIFIED, Sample, T

TABLE = {row["full_name"]: row for row in fj._C.op_table()}
ROWS = {name: row for name, row in TABLE.items() if row["functional"] is None}
KNOWN = {**SAMPLES, **UNSPECIFIED}


def function_of(library: Any, row: dict, name: str) -> Any:
    """The Python callable of a row in framejit or PyTorch."""
    if not row["is_function"]:
        return lambda self, *args, **kwargs: getattr(self, name)(*args, **kwargs)
    if library is fj:
        module = getattr(fj._C, row["module"].replace(".", "_") or "ops")
    else:
        module = operator.attrgetter(row["module"])(library) if row["module"] else library
    return getattr(module, name.removeprefix(row["module"] + "_"))


class Call:
    """A sample with its arrays drawn, for one dtype."""

    def __init__(self, full_name: str, sample: Sample, dtype: str) -> None:
        self.row, self.sample, self.dtype = TABLE[full_name], sample, dtype
        self.name = sample.name or self.row["name"]
        rng = np.random.default_rng(zlib.crc32(full_name.encode()))
        self.specs: list[T] = []
        for value in (*sample.args, *sample.kwargs.values()):
            self.specs += [value] if isinstance(value, T) else [v for v in value if isinstance(v, T)] if isinstance(value, list) else []
        self.arrays = [spec.array(dtype, rng) for spec in self.specs]

    def tensors(self, library: Any, requires_grad: bool = False) -> list:
        tensors = [spec.build(library, array, self.dtype) for spec, array in zip(self.specs, self.arrays)]
        if requires_grad:
            tensors = [t.requires_grad_() if t.is_floating_point() and spec.grad and t.is_leaf else t for t, spec in zip(tensors, self.specs)]
        return tensors

    def arguments(self, library: Any, tensors: list) -> tuple[list, dict]:
        left = iter(tensors)

        def convert(value: Any) -> Any:
            if isinstance(value, T):
                return next(left)
            if isinstance(value, list):
                return [convert(entry) for entry in value]
            return getattr(library, value) if isinstance(value, str) and value in (*ALL, *FORMATS) else value

        args = [convert(value) for value in self.sample.args]
        return args, {name: convert(value) for name, value in self.sample.kwargs.items()}

    def run(self, library: Any, tensors: list, function: Any = None, **more: Any) -> Any:
        args, kwargs = self.arguments(library, tensors)
        function = function or function_of(library, self.row, self.name)
        return function(*args, **kwargs, **more)


def outcome(call: Call, library: Any) -> Any:
    try:
        return call.run(library, call.tensors(library))
    except Exception as error:
        return error


def cases(names: Any, filtered: Any = lambda row, sample: True) -> list:
    """(full name, sample) for each sample, with a readable id."""
    return [
        pytest.param(name, sample, id=f"{name}-{i}")
        for name in names
        for i, sample in enumerate(KNOWN[name])
        if name in TABLE and filtered(TABLE[name], sample)
    ]


def differentiable(row: dict, sample: Sample) -> bool:
    """Rows with a derivative, and composites, whose gradient is that of what they call."""
    return sample.grad and (bool(row["differentiable"]) or row["kind"] == "composite") and sample.dtypes[0] in FLOATS


def flat_results(results: Any) -> list:
    return [r for r in (results if isinstance(results, (tuple, list)) else [results]) if hasattr(r, "requires_grad") and r.requires_grad]


def weighted_sum(library: Any, results: list) -> Any:
    """A scalar that depends on every element of every result, on each in another way."""
    total = 0
    for result in results:
        if result.is_complex():
            result = library.stack([library.real(result), library.imag(result)], -1)
        weights = np.cos(np.arange(result.numel(), dtype="float64")).reshape(tuple(result.shape)) + 1.5
        total = total + (result * library.tensor(weights.tolist(), dtype=result.dtype).reshape(tuple(result.shape))).sum()
    return total


def gradients(call: Call, library: Any, twice: bool, run: Callable[..., Any] | None = None) -> list:
    """Of every input that requires one; then the gradients of a function of those. None where there is none.

    ``run``, of the tensors of the sample, stands in for the call.
    """
    inputs = call.tensors(library, requires_grad=True)
    leaves = [t for t in inputs if t.requires_grad]
    if not leaves:
        return []
    # A leaf cannot be a view of another tensor here, so the layout was made before requires_grad_().
    tensors = [t * 1 if t.requires_grad else t for t in inputs]
    results = flat_results(run(*tensors) if run else call.run(library, tensors))
    if not results:
        return []
    first = library.autograd.grad(weighted_sum(library, results), leaves, create_graph=twice, allow_unused=True)
    found = list(first)
    differentiable_first = [g for g in first if g is not None and g.requires_grad]
    if twice and differentiable_first:
        found += library.autograd.grad(weighted_sum(library, differentiable_first), leaves, allow_unused=True)
    return found
