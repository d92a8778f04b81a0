"""Samples of eager/ops/embedding.toml."""

from __future__ import annotations

from tests.op_samples.sample import FLOATS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

table = T(6, 4)
pairs = T(values=[[0, 2, 1], [5, 5, 3]], dtype="int64")
row = T(values=[0, 2, 1, 5, 5, 3, 2], dtype="int64")
offsets = T(values=[0, 3, 3, 5], dtype="int64")
LOOSE = {"tolerance": 4}
SAMPLES.update(
    {
        "embedding_bag": [
            S(pairs, table, mode="sum", dtypes=FLOATS, double=False, **LOOSE), S(pairs, table, double=False, **LOOSE), S(pairs, table, mode="max", double=False), S(row, table, offsets, double=False, **LOOSE), S(row, table, offsets, mode="sum", per_sample_weights=T(7), double=False, **LOOSE),
            S(row, table, offsets, mode="max", double=False), S(row, table, T(values=[0, 3, 3, 7], dtype="int64"), include_last_offset=True, mode="sum", double=False, **LOOSE), S(row, table, offsets, mode="mean", padding_idx=5, double=False, **LOOSE), S(row, table, offsets, mode="max", padding_idx=-1, double=False),
            S(row, table), S(pairs, table, offsets), S(pairs, table, mode="median"),
        ],
        "embedding_renorm_": [S(T(6, 4, grad=False), row, 1.5, 2.0, **LOOSE), S(T(6, 4, grad=False), pairs, 1.0, 1.0, **LOOSE)],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = dict.fromkeys(("segment_argmax", "bag_sums", "bag_sums_backward"), "embedding_bag")
