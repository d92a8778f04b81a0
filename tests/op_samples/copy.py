"""Samples of eager/ops/copy.toml."""

from __future__ import annotations

import math

from tests.op_samples.sample import ALL, NUMBERS, SPECIAL, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

x = T(3, 4)
SAMPLES.update(
    {
        "clone": [S(x, dtypes=ALL), S(T(3, 4, layout="permuted")), S(T(3, 4, layout="sliced")), S(T(3, 4, layout="expanded"))],
        "detach": [S(x), S(T(3, 4, layout="permuted"))], "clone.format": [S(T(2, 3, 4, 5), memory_format="channels_last"), S(T(2, 3, 4, 5, layout="permuted"), memory_format="contiguous_format"), S(T(3, 4, layout="permuted"), memory_format="preserve_format"), S(x, memory_format="channels_last"), S(T(2, 3, 4, 5, 2), memory_format="channels_last_3d")],
        "contiguous": [S(T(2, 3, 4, 5), memory_format="channels_last"), S(T(2, 1, 4, 5), memory_format="channels_last"), S(x), S(T(3, 4, layout="permuted"))],
        "to.dtype": [S(T(20, low=-300, high=300), dtype, dtypes=NUMBERS + ("bool",), grad=dtype == "float64") for dtype in ("int32", "int64", "float32", "float64", "bool")] + [S(T(20, low=0, high=200), "uint8", dtypes=NUMBERS, grad=False)],
        "to.device": [S(x, "cpu"), S(x, "cpu", "float64")],
        "to.other": [S(x, T(2, dtype="float64", grad=False)), S(x, T(2, dtype="int64"), grad=False)],
        "type_as": [S(x, T(2, dtype="float64", grad=False))],
        "fill": [S(x, 2.5, dtypes=NUMBERS, strides=False), S(x, T())],
        "item": [S(T(1, 1), dtypes=ALL), S(T(), dtypes=ALL), S(T(2))],
        "equal": [S(x, x, dtypes=ALL), S(T(values=[1, 2]), T(values=[1, 2])), S(T(3), T(4))],
        "allclose": [S(T(values=[1.0, 2.0]), T(values=[1.0, 2.000001])), S(T(values=[1.0, math.nan]), T(values=[1.0, math.nan]), equal_nan=True), S(x, T(3, 4))],
        "isclose": [S(T(values=SPECIAL, grad=False), T(values=SPECIAL[::-1], grad=False)), S(T(values=SPECIAL, grad=False), T(values=SPECIAL, grad=False), equal_nan=True), S(T(3), T(3), dtypes=("int64", "float64"))],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "contiguous_copy": "contiguous",
    "cast": "to.dtype",
    "copy": "index_put",
    "zero": "zeros",
}
