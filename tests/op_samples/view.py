"""Samples of eager/ops/view.toml."""

from __future__ import annotations

from tests.op_samples.sample import S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

x, tall = T(2, 3, 4), T(4, 6)
SAMPLES.update(
    {
        "view": [S(x, (6, 4)), S(x, (-1,)), S(x, (2, -1, 2)), S(x, (5, 5)), S(x, (-1, -1)), S(T(3, 4, layout="permuted"), (12,)), S(T(0, 3), (3, 0)), S(T(), (1, 1)), S(T(2, 1, 3, layout="permuted"), (2, 3))],
        "view.dtype": [S(T(2, 4, grad=False), "int32", dtypes=("float32", "int32")), S(T(2, 4, grad=False), "float64"), S(T(2, 3, grad=False), "float64"), S(T(2, 4, grad=False), "uint8"), S(T(), "uint8"), S(T(3, 4, layout="permuted", grad=False), "uint8")],
        "reshape": [S(x, (6, 4)), S(T(3, 4, layout="permuted"), (2, 6)), S(T(), (1,)), S(x, (7, -1)), S(T(2, 6, layout="sliced"), (3, 4))],
        "expand": [S(T(3, 1), (2, 3, 4)), S(T(3, 1), (-1, 4)), S(T(3), (4,)), S(T(), (2, 2)), S(T(2, 3), (3,))],
        "permute": [S(x, (2, 0, 1)), S(x, (-1, 0, 1)), S(x, (0, 0, 1)), S(x, (0, 1)), S(T(), ())],
        "transpose": [S(x, 0, 2), S(x, -1, -2), S(x, 0, 3), S(T(), 0, -1)],
        "t": [S(T(2, 3)), S(T(3)), S(T()), S(x)],
        "unsqueeze": [S(x, 0), S(x, -1), S(x, 3), S(x, 5), S(T(3, 4, layout="permuted"), 1), S(T(), 0)],
        "squeeze": [S(T(1, 3, 1)), S(T(1, 3, 1), 0), S(T(1, 3, 1), (0, 2)), S(T(1, 3, 1), 1), S(T(3), 4), S(T())],
        "select": [S(x, 1, 2), S(x, -1, -1), S(x, 1, 3), S(T(), 0, 0)],
        "narrow": [S(x, 1, 1, 2), S(x, -1, -3, 2), S(x, 1, 2, 2), S(x, 0, 5, 1)],
        "diagonal": [S(T(3, 4)), S(x, 1, 1, 2), S(x, -1, 0, 2), S(T(3, 4), 9), S(T(3, 4), 0, 1, 1)],
        "unfold": [S(T(7), 0, 3, 2), S(tall, 1, 2, 2), S(T(7), 0, 9, 1)],
        "as_strided": [S(T(12), (3, 2), (4, 1)), S(T(12), (2, 2), (1, 1), 3), S(T(3, 4), (2, 3, 2), (2, 2, 1)), S(T(4), (9,), (1,), grad=False)],
        "view_as": [S(x, T(6, 4))], "reshape_as": [S(T(3, 4, layout="permuted"), T(12))], "expand_as": [S(T(3, 1), T(3, 4))],
        "broadcast_to": [S(T(3, 1), (2, 3, 4))], "broadcast_tensors": [S(T(3, 1), T(4), name="broadcast_tensors")],
        "flatten": [S(x), S(x, 1), S(x, 0, 1), S(x, 2, 1), S(T())],
        "unflatten": [S(T(2, 6), 1, (2, 3)), S(T(2, 6), 1, (-1, 3)), S(T(2, 6), 1, (4, 2))],
        "ravel": [S(T(3, 4, layout="permuted"))],
        "movedim": [S(x, 0, 2), S(x, (0, 1), (2, 0)), S(x, (0, 0), (1, 2))],
        "split": [S(tall, 2), S(tall, 4, 1), S(tall, [1, 3]), S(tall, [2, 4], 1), S(tall, [1, 1])],
        "split_with_sizes": [S(tall, [1, 3])], "chunk": [S(tall, 3), S(tall, 4, 1), S(tall, 0)],
        "tensor_split": [S(tall, 3), S(tall, 4, -1)],
        "tensor_split.indices": [S(tall, [1, 3]), S(tall, (2, 2, 9), 1), S(tall, [])], "tensor_split.tensor": [S(tall, T(values=3, dtype="int64")), S(tall, T(values=[1, 2], dtype="int64"), 1), S(tall, T(2))],
        "unbind": [S(x), S(x, 2), S(T())],
        "slice_scatter": [S(tall, T(2, 6), 0, 1, 3), S(tall, T(4, 3), 1, 0, 6, 2), S(tall, T(3, 6), 0, 1, 3)],
        "select_scatter": [S(tall, T(6), 0, 2), S(tall, T(4), 1, -1), S(tall, T(5), 0, 0)],
        "diagonal_scatter": [S(tall, T(4)), S(tall, T(3), -1)],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "slice": "narrow",
    "alias": "t",
    "unfold_backward": "unfold",
    "as_strided_backward": "as_strided",
}
