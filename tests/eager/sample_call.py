"""Calling samples in framejit or PyTorch."""

from __future__ import annotations

import operator
import zlib
from typing import Any

import numpy as np
import pytest

import framejit as fj
from tests.op_samples import ALL, FORMATS, SAMPLES, UNSPECIFIED, Sample, T

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
