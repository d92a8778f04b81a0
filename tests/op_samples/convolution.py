"""Samples of eager/ops/convolution.toml."""

from __future__ import annotations

from tests.op_samples.sample import FLOATS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

# Sums of dozens of products, in another order than PyTorch's.
LOOSE = {"tolerance": 200}
SAMPLES.update(
    {
        "convolution": [
            S(T(2, 4, 6, 5), T(6, 2, 3, 2), T(6), [2, 1], [1, 0], [1, 2], False, [0, 0], 2, **LOOSE),
            S(T(2, 4, 3, 5), T(4, 3, 3, 2), T(6), [2, 1], [1, 0], [1, 2], True, [1, 0], 2, **LOOSE),
            S(T(2, 4, 6), T(6, 4, 3), None, [1], [1], [1], False, [0], 1, **LOOSE),
        ],
        "conv1d": [
            S(T(2, 3, 50), T(5, 3, 3), T(5), dtypes=FLOATS, **LOOSE), S(T(3, 20), T(4, 3, 5), padding=2, stride=2, **LOOSE),
            S(T(2, 4, 20), T(4, 1, 3), T(4), groups=4, dilation=2, **LOOSE), S(T(1, 1, 5), T(1, 1, 7)), S(T(2, 3, 9), T(5, 4, 3)), S(T(2, 3, 9), T(5, 3, 3), T(4)),
            S(T(2, 3, 9), T(5, 3, 3), stride=0), S(T(2, 3, 9), T(5, 3, 3), padding=-1), S(T(9), T(5, 3, 3)), S(T(2, 3, 9, dtype="int64"), T(5, 3, 3)),
        ],
        "conv1d.padding": [S(T(2, 3, 11), T(5, 3, 4), T(5), padding="same", dilation=2, **LOOSE), S(T(3, 11), T(5, 3, 3), padding="valid", **LOOSE), S(T(3, 11), T(5, 3, 3), stride=2, padding="same"), S(T(3, 11), T(5, 3, 3), padding="full")],
        "conv2d": [
            S(T(2, 3, 9, 8), T(10, 3, 3, 3), T(10), padding=1, dtypes=FLOATS, **LOOSE), S(T(2, 3, 12, 9), T(6, 3, 3, 2), T(6), stride=(2, 1), padding=(2, 1), dilation=(1, 2), **LOOSE),
            S(T(2, 12, 5, 5), T(12, 6, 3, 3), None, 1, 1, 1, 2, **LOOSE), S(T(2, 6, 7, 7), T(6, 1, 3, 3), T(6), padding=1, groups=6, **LOOSE), S(T(2, 6, 7, 7), T(12, 1, 3, 3), stride=2, groups=6, **LOOSE),
            S(T(3, 8, 8), T(9, 3, 1, 1), T(9), **LOOSE), S(T(2, 16, 3, 3), T(9, 16, 3, 3), **LOOSE), S(T(2, 3, 8, 8, layout="permuted"), T(9, 3, 3, 3, layout="permuted"), **LOOSE),
            S(T(2, 300, 3, 4), T(9, 300, 1, 1), double=False, **LOOSE), S(T(0, 3, 8, 8), T(9, 3, 3, 3)), S(T(2, 3, 2, 2), T(9, 3, 3, 3)), S(T(2, 3, 8, 8), T(9, 3, 3)), S(T(2, 4, 8, 8), T(9, 2, 3, 3), groups=2),
            S(T(2, 3, 8, 8), T(9, 3, 3, 3), stride=(1, 1, 1)), S(T(2, 3, 8, 8), T(9, 3, 3, 3), T(9, dtype="float64")),
        ],
        "conv2d.padding": [S(T(2, 3, 6, 7), T(5, 3, 2, 3), T(5), padding="same", **LOOSE), S(T(2, 3, 6, 7), T(5, 3, 2, 3), None, (2, 1), "valid", **LOOSE)],
        "conv3d": [
            S(T(2, 3, 4, 5, 6), T(4, 3, 2, 3, 2), T(4), padding=1, stride=(1, 2, 2), dtypes=FLOATS, **LOOSE), S(T(3, 4, 5, 6), T(9, 3, 2, 2, 2), dilation=2, **LOOSE),
            S(T(1, 4, 4, 4, 4), T(8, 2, 3, 3, 3), groups=2, padding=(0, 1, 1), **LOOSE),
        ],
        "conv3d.padding": [S(T(1, 2, 4, 4, 4), T(8, 2, 2, 3, 3), padding="same", **LOOSE)],
        "conv_transpose1d": [
            S(T(2, 4, 7), T(4, 5, 3), T(5), dtypes=FLOATS, **LOOSE), S(T(4, 7), T(4, 3, 4), T(3), stride=3, padding=1, output_padding=2, **LOOSE),
            S(T(2, 4, 7), T(4, 2, 3), groups=2, dilation=2, stride=2, **LOOSE), S(T(2, 4, 7), T(4, 3, 4), output_padding=1), S(T(2, 3, 7), T(4, 3, 4)), S(T(2, 4, 1), T(4, 3, 3), padding=2),
            S(T(2, 4, 7), T(4, 3, 2), dilation=3, output_padding=2, **LOOSE),
        ],
        "conv_transpose2d": [
            S(T(2, 4, 5, 6), T(4, 9, 3, 3), T(9), dtypes=FLOATS, **LOOSE), S(T(2, 4, 5, 6), T(4, 3, 3, 2), T(6), stride=(2, 3), padding=(1, 0), output_padding=(1, 2), groups=2, **LOOSE),
            S(T(4, 5, 6), T(4, 9, 3, 3), padding=2, **LOOSE), S(T(2, 6, 4, 4), T(6, 1, 3, 3), stride=2, padding=1, groups=6, **LOOSE), S(T(2, 4, 5, 6), T(4, 9, 1, 1), padding=1, **LOOSE),
        ],
        "conv_transpose3d": [S(T(2, 3, 2, 3, 4), T(3, 4, 2, 2, 3), T(4), stride=2, padding=1, output_padding=1, **LOOSE), S(T(3, 2, 3, 4), T(3, 4, 2, 2, 3), **LOOSE)],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {"convolution_weight": "conv2d"}
