"""Every sample of the op table inside a compiled function gives what eager code gives: bit for bit where all is pointwise.

Each sample becomes the source of a one-line function, so that what is traced is the call and nothing else.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from op_samples import ALL, SAMPLES, Sample, T

import framejit as fj

pytest.importorskip("torch", reason="test_ops needs it")
from eager.test_ops import TABLE, Call, cases, function_of, outcome  # noqa: E402

pytestmark = pytest.mark.skipif(not hasattr(fj, "compile"), reason="needs the compiler")


def source_of(sample: Sample) -> tuple[str, dict[str, Any]]:
    """`def f(t0, t1): return op(t0, [t1], dim=c0)`, and the constants by name."""
    tensors: list[str] = []
    constants: dict[str, Any] = {}

    def text(value: Any) -> str:
        if isinstance(value, T):
            tensors.append(f"t{len(tensors)}")
            return tensors[-1]
        if isinstance(value, list) and any(isinstance(entry, T) for entry in value):
            return "[" + ", ".join(map(text, value)) + "]"
        name = f"c{len(constants)}"
        constants[name] = getattr(fj, value) if isinstance(value, str) and value in ALL else value
        return name

    parts = [text(value) for value in sample.args] + [f"{name}={text(value)}" for name, value in sample.kwargs.items()]
    return f"def f({', '.join(tensors)}): return op({', '.join(parts)})", constants


def compiled_function(call: Call) -> Callable[..., Any]:
    source, constants = source_of(call.sample)
    if call.row["is_function"]:
        names = {"op": function_of(fj, call.row, call.row["name"]), **constants}
    else:
        self, _, rest = source.partition("op(")[2].partition(", ")
        source = source.partition("op(")[0] + f"{self.rstrip(')')}.{call.row['name']}({rest or ')'}"
        names = constants
    exec(source, names)
    return fj.compile(names["f"])


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


@pytest.mark.parametrize(("name", "sample"), cases(SAMPLES))
def test_compiled(name: str, sample: Sample) -> None:
    call = Call(name, sample, sample.dtypes[-1])
    expected = outcome(call, fj)
    function = compiled_function(call)
    for _ in range(2):  # traced, then from the cache
        if isinstance(expected, Exception):
            with pytest.raises(type(expected)) as raised:
                function(*call.tensors(fj))
            assert str(raised.value) == str(expected)
        else:
            check_equal(function(*call.tensors(fj)), expected, exact=TABLE[name]["kind"] == "pointwise")
