"""Samples of eager/ops/creation.toml."""

from __future__ import annotations

from tests.op_samples.sample import ALL, INTS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

x = T(2, 3)
SAMPLES.update(
    {
        "full": [S((2, 3), 1.5), S((2,), 3), S((2,), True), S((), 2, dtype="float64"), S((2,), 2.5, dtype="int32"), S((-1,), 0)],
        "zeros": [S((2, 3)), S((), dtype="int64"), S((0, 2))], "ones": [S((2, 3)), S((2,), dtype="bool")],
        "scalar_tensor": [S(1.5), S(2, dtype="int64")],
        "zeros_like": [S(x, dtypes=ALL), S(T(2, 3, layout="permuted")), S(x, dtype="int64"), S(T(3, 4, layout="expanded"))],
        "ones_like": [S(T(2, 3, 4, 5), memory_format="channels_last"), S(T(2, 3, layout="permuted"), memory_format="contiguous_format"), S(x, memory_format="channels_last"), S(x), S(x, dtype="float64")], "full_like": [S(x, 2), S(x, 2.5, dtype="float64"), S(T(2, 3, layout="permuted"), 1)],
        "new_zeros": [S(x, (2, 2))], "new_ones": [S(x, (2,), dtype="int64")], "new_full": [S(x, (2, 2), 3)],
        "arange": [S(5), S(2.5), S(5, dtype="float32"), S(-1)],
        "arange.start_step": [S(1, 7), S(1, 7, 2), S(0, 1, 0.1), S(7, 1, -2), S(1, 5, 0), S(0, 5, -1), S(1.0, 3, dtype="int64")],
        "linspace": [S(0, 1, 5), S(-3, 3, 1), S(0, 10, 0), S(1, 9, 7, dtype="float64"), S(0, 10, 4, dtype="int64")],
        "logspace": [S(0, 2, 5), S(0, 3, 4, 2.0)],
        "eye": [S(3), S(2, dtype="int64")], "eye.m": [S(2, 4), S(4, 2), S(-1, 2)],
        "tril": [S(T(4, 5), dtypes=ALL), S(T(2, 3, 4), 1), S(T(4, 5), -2), S(T(3))], "triu": [S(T(4, 5), dtypes=ALL), S(T(2, 3, 4), 1), S(T(4, 5), -2)],
        "diag_embed": [S(x), S(x, 1), S(T(2, 3), 0, 0, 2)], "diag": [S(T(3)), S(T(3), 1), S(T(3, 4)), S(T(3, 4), -1), S(T(2, 2, 2))],
        "trace": [S(T(3, 4)), S(T(3, 3), dtypes=INTS), S(T(3))],
        "meshgrid": [S(T(3), T(4), indexing="ij"), S(T(3), T(4), T(2), indexing="xy")],
        "one_hot": [S(T(5, dtype="int64", low=0), 3), S(T(2, 2, dtype="int64", low=0)), S(T(2))],
    }
)  # fmt: skip

# Values are not PyTorch's by nature: shape and dtype only; see also tests/eager/test_random.py.
UNSPECIFIED = {
    "empty": [S((2, 3)), S((0,), dtype="int64")],
    "empty_strided": [S((2, 3), (1, 2))],
    "empty_like": [S(T(2, 3)), S(T(2, 3, layout="permuted"))],
    "new_empty": [S(T(2, 3), (4,), dtype="int64")],
}
