"""Samples of eager/ops/shapes.toml."""

from __future__ import annotations

from tests.op_samples.sample import S, Sample, T

x, cube, tall = T(3, 4), T(2, 3, 4), T(4, 6)
lists = [T(), T(3), T(2, 3)]

SAMPLES: dict[str, list[Sample]] = {
    "squeeze_": [S(T(1, 3, 1)), S(T(1, 3, 1), 0), S(T(1, 3, 1), (0, 2)), S(T(3), 4)],
    "unsqueeze_": [S(x, 0), S(x, -1), S(x, 5), S(T(), 0)],
    "transpose_": [S(cube, 0, 2), S(cube, -1, -2), S(cube, 0, 3)],
    "t_": [S(x), S(T(3)), S(cube)],
    "as_strided_": [S(T(12, grad=False), (3, 2), (4, 1)), S(T(12, grad=False), (2, 2), (1, 1), 3), S(T(4), (9,), (1,))],
    "resize_": [S(x, (2, 3), grad=False), S(x, (4,), grad=False), S(x, (-1,), grad=False)],
    "resize_as_": [S(x, T(2, 5), grad=False)],
    "set_": [S(x, T(2, 5, grad=False), grad=False), S(x, T(2, dtype="int64"), grad=False)],
    "set_.strided": [S(x, T(12, grad=False), 2, (2, 3), (4, 1), grad=False), S(x, T(12, grad=False), 2, (2, 3), grad=False), S(x, T(2, grad=False), 0, (2, 3), grad=False)],
    "set_.empty": [S(x, grad=False)],
    "view_copy": [S(cube, (6, 4)), S(cube, (5,))], "alias_copy": [S(x)], "detach_copy": [S(x, grad=False)],
    "expand_copy": [S(T(3, 1), (2, 3, 4))], "permute_copy": [S(cube, (2, 0, 1))], "transpose_copy": [S(cube, 0, 2)], "t_copy": [S(x)],
    "unsqueeze_copy": [S(x, 1)], "squeeze_copy": [S(T(1, 3, 1)), S(T(1, 3, 1), 0), S(T(1, 3, 1), (0, 2))], "slice_copy": [S(tall, 1, 1, 5, 2)], "select_copy": [S(x, 1, 2)],
    "narrow_copy": [S(tall, 1, 1, 3)], "diagonal_copy": [S(x, 1)], "unfold_copy": [S(T(7), 0, 3, 2)], "as_strided_copy": [S(T(12), (3, 2), (4, 1))],
    "split_copy": [S(tall, 2)], "split_with_sizes_copy": [S(tall, [1, 3])], "unbind_copy": [S(x), S(x, 1)],
    "unsafe_chunk": [S(tall, 3, 1)], "unsafe_split": [S(tall, 3)], "unsafe_split_with_sizes": [S(tall, [1, 3])],
    **{f"atleast_{n}d": [S(T()), S(T(3)), S(x), S(cube)] for n in (1, 2, 3)},
    **{f"atleast_{n}d.list": [S(lists), S(*lists)] for n in (1, 2, 3)},
    "hsplit": [S(tall, 2), S(T(6), 3), S(tall, 4), S(tall, 0), S(T(), 1)], "hsplit.indices": [S(tall, [1, 3]), S(T(6), (2, 9))],
    "vsplit": [S(tall, 2), S(tall, 3), S(T(6), 2)], "vsplit.indices": [S(tall, [1, 3])],
    "dsplit": [S(cube, 2), S(cube, 3), S(x, 2)], "dsplit.indices": [S(cube, [1, 3])],
    "dstack": [S([T(3), T(3)]), S([x, x]), S([cube, cube])], "column_stack": [S([T(3), x]), S([T(), T()]), S([T(3), T(4)])],
    "fliplr": [S(x), S(T(3))], "flipud": [S(x), S(T(3)), S(T())],
    "rot90": [S(x, k) for k in (-1, 0, 1, 2, 3, 6)] + [S(cube, 1, (1, 2)), S(cube, 1, (1, 1)), S(T(3)), S(x, 1, (0,))],
    "diagflat": [S(T(3)), S(T(2, 2), 1), S(T(3), -2)],
    "cartesian_prod": [S(T(3), T(2)), S(T(3)), S(T(2), T(2), T(3)), S(x, T(3))],
    "combinations": [S(T(4)), S(T(4), 3), S(T(3), 2, True), S(T(3), with_replacement=True, r=3), S(T(2), 3), S(T(3), 0), S(T(3), 1), S(x)],
    "tril_indices": [S(3, 4), S(4, 3, 1), S(3, 3, -1), S(2, 3, 9), S(0, 3), S(3, 3, 0, dtype="int32"), S(-1, 2), S(3, 3, -7)],
    "triu_indices": [S(3, 4), S(4, 3, 1), S(3, 3, -1), S(2, 3, 9), S(0, 3), S(3, 3, 0, dtype="int32"), S(3, 3, -7)],
}  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "combination_indices": "combinations",
}
