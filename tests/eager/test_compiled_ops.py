"""Every sample of the op table inside a compiled function gives what eager code gives: bit for bit where all is pointwise.

Each sample becomes the source of a one-line function, so that what is traced is the call and nothing else.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from tests.op_samples import ALL, FORMATS, SAMPLES, Sample, T
from tests.eager.sample_call import TABLE, Call, cases, function_of, outcome

import framejit as fj

pytestmark = pytest.mark.skipif(not hasattr(fj, "compile"), reason="needs the compiler")


class Source:
    """`def f(t0, t1, n0): return op(t0, [t1], dim=n0, keepdim=c0)`: the text, and the constants by name.

    With `numbers_too`, every int and float of the sample is an argument as well: `numbers` has their values.
    """

    def __init__(self, sample: Sample, numbers_too: bool = False) -> None:
        self.tensors: list[str] = []
        self.numbers: list[float] = []
        self.constants: dict[str, Any] = {}
        self.numbers_too = numbers_too
        self.parts = [self._text(value) for value in sample.args]
        self.parts += [f"{name}={self._text(value)}" for name, value in sample.kwargs.items()]

    def _text(self, value: Any) -> str:
        if isinstance(value, T):
            self.tensors.append(f"t{len(self.tensors)}")
            return self.tensors[-1]
        is_list = isinstance(value, (list, tuple))
        if is_list and (self.numbers_too or any(isinstance(entry, T) for entry in value)):
            return "[" + ", ".join(map(self._text, value)) + "]"
        if self.numbers_too and type(value) in (int, float):
            self.numbers.append(value)
            return f"n{len(self.numbers) - 1}"
        name = f"c{len(self.constants)}"
        self.constants[name] = getattr(fj, value) if isinstance(value, str) and value in (*ALL, *FORMATS) else value
        return name

    def function(self, row: dict) -> Callable[..., Any]:
        """The function itself, to be compiled or not."""
        names = dict(self.constants)
        if row["is_function"]:
            names["op"] = function_of(fj, row, row["name"])
            call = f"op({', '.join(self.parts)})"
        else:
            call = f"{self.parts[0]}.{row['name']}({', '.join(self.parts[1:])})"
        parameters = self.tensors + [f"n{i}" for i in range(len(self.numbers))]
        exec(f"def f({', '.join(parameters)}): return {call}", names)
        return names["f"]


def check_equal(got: Any, expected: Any, exact: bool) -> None:
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            check_equal(one, other, exact)
        return
    if not isinstance(expected, fj.Tensor):
        assert got == expected or (got != got and expected != expected)
        return
    assert got.dtype is expected.dtype
    assert got.shape == expected.shape
    ours, theirs = got.detach().numpy(), expected.detach().numpy()
    if exact or ours.dtype.kind != "f":
        np.testing.assert_array_equal(ours, theirs)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def check_compiled(compiled: Callable[..., Any], arguments: Callable[[], list], expected: Any, exact: bool) -> None:
    if isinstance(expected, Exception):
        with pytest.raises(type(expected)) as raised:
            compiled(*arguments())
        assert str(raised.value) == str(expected)
    else:
        failed = fj.compiler.stats(compiled).failed_runs
        check_equal(compiled(*arguments()), expected, exact)
        assert fj.compiler.stats(compiled).failed_runs == failed, "the graph raised, and the interpreter gave the result"


@pytest.mark.parametrize(("name", "sample"), cases(SAMPLES))
def test_compiled(name: str, sample: Sample) -> None:
    call = Call(name, sample, sample.dtypes[-1])
    compiled = fj.compile(Source(sample).function(call.row))
    for _ in range(2):  # traced, then from the cache
        check_compiled(compiled, lambda: call.tensors(fj), outcome(call, fj), exact=TABLE[name]["kind"] == "pointwise")


def memory(results: Any, inputs: list) -> list:
    """Strides of every result, and which inputs share their memory with it."""
    tensors = [r for r in (results if isinstance(results, (tuple, list)) else [results]) if isinstance(r, fj.Tensor)]
    places = [i.untyped_storage().data_ptr() for i in inputs]
    return [
        (result.stride(), [place == result.untyped_storage().data_ptr() for place in places])
        for result in tensors
        if result.numel() > 0
    ]


@pytest.mark.parametrize(("name", "sample"), cases(SAMPLES))
def test_memory(name: str, sample: Sample) -> None:
    call = Call(name, sample, sample.dtypes[-1])
    if isinstance(outcome(call, fj), Exception):
        return
    plain = Source(sample).function(call.row)
    inputs, others = call.tensors(fj), call.tensors(fj)
    assert memory(fj.compile(plain)(*inputs), inputs) == memory(plain(*others), others)


def has_numbers(row: dict, sample: Sample) -> bool:
    return bool(Source(sample, numbers_too=True).numbers)


@pytest.mark.parametrize(("name", "sample"), cases(SAMPLES, has_numbers))
def test_numbers_are_arguments(name: str, sample: Sample) -> None:
    """Whatever reads a number of the call reads the one given now: of the sample, then others, then the sample's."""
    call = Call(name, sample, sample.dtypes[-1])
    source = Source(sample, numbers_too=True)
    plain = source.function(call.row)
    compiled = fj.compile(plain)
    others = [number + 1 if isinstance(number, int) else number * 1.5 for number in source.numbers]
    for numbers in (source.numbers, others, [number - 1 for number in source.numbers], source.numbers):
        arguments = lambda: [*call.tensors(fj), *numbers]  # noqa: B023, E731
        try:
            expected = plain(*arguments())
        except Exception as error:
            expected = error
        check_compiled(compiled, arguments, expected, exact=TABLE[name]["kind"] == "pointwise")
