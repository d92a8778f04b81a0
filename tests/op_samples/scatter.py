"""Samples of eager/ops/scatter.toml."""

from __future__ import annotations

from tests.op_samples.sample import ALL, FLOATS, NUMBERS, S, Sample, T

rows = T(5, 4)
index = T(3, 4, dtype="int64", low=0, high=5)
pick = T(3, dtype="int64", low=0, high=4)
with_zeros = T(values=[[2.0, 0.0, 1.5], [0.0, 0.0, 3.0]])
lengths = T(values=[2, 0, 1, 3], dtype="int64")
few = T(values=[[0, 0, 1], [1, 0, 1]], dtype="int64")

SAMPLES: dict[str, list[Sample]] = {
    "scatter_reduce": [
        *(S(rows, 0, index, T(3, 4), reduce, dtypes=NUMBERS) for reduce in ("sum", "prod", "amax", "amin")),
        S(rows, 0, index, T(3, 4), "mean", dtypes=FLOATS),
        S(T(5, 4, low=0, high=9), 0, index, T(3, 4, low=0, high=9), "mean", dtypes=("int32", "int64")),
        *(S(rows, 1, T(5, 2, dtype="int64", low=0, high=4), T(5, 2), reduce, include_self=False) for reduce in ("sum", "prod", "mean", "amax", "amin")),
        S(T(2, 2), 1, few, with_zeros, "prod", double=False), S(T(values=[[0.0, 1.0], [2.0, 0.0]]), 1, few, with_zeros, "prod", include_self=False, double=False),
        S(T(values=[[1.0, 2.0]]), 1, T(values=[[0, 0, 1]], dtype="int64"), T(values=[[3.0, 3.0, 2.0]]), "amax"),
        S(rows, 0, index, T(3, 4), "max", grad=False), S(rows, 0, index, T(3, 4), "median"), S(rows, 0, T(2, 4, dtype="int64", low=5, high=9), T(2, 4), "sum"), S(T(), 0, T(dtype="int64", low=0, high=1), T(), "sum"),
    ],
    "index_reduce": [
        *(S(rows, 0, pick, T(3, 4), reduce, dtypes=FLOATS) for reduce in ("prod", "mean", "amax", "amin")),
        S(rows, 1, T(3, dtype="int64", low=0, high=4), T(5, 3), "mean", include_self=False), S(rows, 0, pick, T(3, 4), "sum"),
    ],
    "masked_scatter": [
        S(rows, T(5, 4, dtype="bool"), T(20), dtypes=ALL), S(rows, T(4, dtype="bool"), T(5, 5)), S(rows, T(values=[[True], [False], [True], [False], [False]], dtype="bool"), T(4, 4)),
        S(T(4), T(5, 4, dtype="bool"), T(20)), S(rows, T(values=[True] * 4, dtype="bool"), T(3)), S(rows, T(5, 4, dtype="bool"), T(20, dtype="int64")),
    ],
    "put": [S(rows, T(values=[[0, 7], [-1, 3]], dtype="int64"), T(4), dtypes=NUMBERS), S(rows, T(values=[1, 1, 2], dtype="int64"), T(3), True), S(rows, T(values=[1, 2], dtype="int64"), T(3)), S(rows, T(values=[20], dtype="int64"), T(1))],
    "fill_diagonal_": [S(T(4, 3), 2.0, grad=False), S(T(8, 3), 1, True, dtypes=NUMBERS, grad=False), S(T(8, 3), 1, grad=False), S(T(3, 3, 3), 5, grad=False), S(T(3, 2, 3), 5, grad=False), S(T(3), 1, grad=False)],
    # PyTorch's gradient of self is that of the elements written over: only src is differentiated here.
    "as_strided_scatter": [S(T(3, 4, grad=False), T(2, 2), (2, 2), (4, 1), 1), S(T(12, grad=False), T(3), (3,), (3,)), S(T(3, 4), T(3), (2, 2), (1, 2))],
    "unravel_index": [S(T(values=[3, 7, 23], dtype="int64"), (4, 6), strides=False), S(T(values=[[3], [7]]), (2, 3, 4), dtypes=("int32", "int64"), strides=False), S(T(values=[3], dtype="int64"), 9), S(T(3), (4, 6))],
    "segment_reduce": [
        *(S(T(6, 2), reduce, lengths=lengths, dtypes=FLOATS, double=False) for reduce in ("sum", "prod", "max", "min", "mean")),
        *(S(T(3, 5), reduce, offsets=T(values=[[0, 1, 1, 4], [1, 2, 3, 5], [0, 0, 2, 2]], dtype="int64"), axis=1, initial=0.5, double=False) for reduce in ("sum", "prod", "max", "min", "mean")),
        S(T(6), "sum", lengths=T(values=[1, 2], dtype="int64"), unsafe=True, double=False),
        S(T(6), "median", lengths=lengths), S(T(6), "sum"), S(T(6), "sum", lengths=lengths, dtypes=("int64",)), S(T(6, 2), "sum", lengths=lengths, axis=1), S(T(0, 2), "max", lengths=T(values=[0, 0], dtype="int64"), double=False),
    ],
    "nonzero_static": [S(T(3, 4, dtype="bool"), size=4), S(T(3, 4), size=14, dtypes=ALL), S(T(5, dtype="bool"), size=7, fill_value=9)],
}  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "masked_scatter_elements": "masked_scatter",
    "masked_scatter_backward": "masked_scatter",
}
