"""Samples of eager/ops/indexing.toml."""

from __future__ import annotations

from tests.op_samples.sample import ALL, NUMBERS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

rows, index = T(5, 4), T(2, 4, dtype="int64", low=0, high=5)
pick = T(3, dtype="int64", low=0, high=4)
SAMPLES.update(
    {
        "index_put": [S(rows, [T(values=[0, 3, 1], dtype="int64")], T(3, 4)), S(rows, [T(values=[0, 3, 0], dtype="int64")], T(4), True), S(rows, [T(5, 4, dtype="bool")], T())],
        "gather": [S(rows, 0, index, dtypes=ALL), S(rows, 1, T(5, 2, dtype="int64", low=0, high=4)), S(T(5, 4, layout="permuted"), 1, T(3, 6, dtype="int64", low=0, high=4)), S(rows, 0, T(2, 4, dtype="int64", low=5, high=9)), S(rows, 0, T(2, 5, dtype="int64", low=0)), S(T(), 0, T(dtype="int64", low=0, high=1))],
        "scatter": [S(rows, 0, T(values=[[0, 1, 2, 0], [3, 4, 0, 1]], dtype="int64"), T(3, 4), dtypes=NUMBERS), S(rows, 1, T(5, 1, dtype="int64", low=0, high=4), T(5, 1))],
        "scatter.value": [S(rows, 0, index, 2, dtypes=NUMBERS), S(rows, 0, index, 1.5)],
        "scatter.reduce": [S(rows, 0, index, T(2, 4), reduce="add", dtypes=NUMBERS), S(rows, 0, index, T(2, 4), reduce="multiply", dtypes=NUMBERS, grad=False), S(rows, 0, index, T(2, 4), reduce="max")],
        "scatter.value_reduce": [S(rows, 0, index, 2, reduce="add", dtypes=NUMBERS, grad=False), S(rows, 0, index, 1.5, reduce="multiply", grad=False)],
        "scatter_add": [S(rows, 0, index, T(2, 4), dtypes=NUMBERS), S(rows, 0, T(2, 4, dtype="int64", low=5, high=9), T(2, 4))],
        "index_select": [S(rows, 0, pick, dtypes=ALL), S(rows, 1, pick), S(T(5, 4, layout="permuted"), 0, pick), S(rows, 0, T(3, dtype="int64", low=7, high=9))],
        "index_add": [S(rows, 0, pick, T(3, 4), dtypes=NUMBERS), S(rows, 1, pick, T(5, 3), alpha=2)],
        "index_fill": [S(rows, 0, pick, 2.0), S(rows, 1, pick, 1)], "index_fill.tensor": [S(rows, 0, pick, T()), S(rows, 1, pick, T(), dtypes=NUMBERS), S(rows, 0, pick, T(1))], "index_copy": [S(rows, 0, T(values=[0, 3, 1], dtype="int64"), T(3, 4))],
        "take_along_dim": [S(rows, T(2, 4, dtype="int64", low=0, high=5), 0), S(rows, T(5, 1, dtype="int64", low=0, high=4), 1), S(rows, T(7, dtype="int64", low=0, high=20))],
        "take": [S(rows, T(2, 3, dtype="int64", low=0, high=20))],
        "masked_select": [S(rows, T(5, 4, dtype="bool")), S(rows, T(4, dtype="bool"))],
        "nonzero": [S(T(3, 4), dtypes=ALL, strides=False), S(T(0, 2))], "nonzero.as_tuple": [S(T(3, 4, dtype="bool"), as_tuple=True, strides=False)], "argwhere": [S(T(3, 4, dtype="bool"), strides=False)],
        "embedding": [S(rows, T(2, 3, dtype="int64", low=0, high=5)), S(rows, T(3, dtype="int32", low=0, high=5)), S(rows, T(values=[1, 2, 1], dtype="int64"), 1), S(rows, T(2, dtype="int64", low=5, high=8)), S(rows, T(2))],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "index": "take",
    "index_put_": "index_put",
    "index_elements": "take",
    "index_put_elements": "index_put",
    "embedding_backward": "embedding",
}
