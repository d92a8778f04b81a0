"""Samples of eager/ops/padding.toml."""

from __future__ import annotations

from tests.op_samples.sample import ALL, COMPLEX, FLOATS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES.update(
    {
        "constant_pad_nd": [
            S(T(3, 4), [1, 2], dtypes=ALL), S(T(3, 4), [1, -1, 0, 2], 2.5, dtypes=FLOATS), S(T(3, 4, layout="permuted"), [-1, -2, -1, 1], 3), S(T(3), [1, 2, 3]), S(T(3, 4), [-2, -3]),
            S(T(3, 4), [-2, -2]), S(T(3), [1, 2, 3, 4]), S(T(3, 4), []), S(T(0, 4), [1, 1, 1, 1], 1),
        ],
        "pad": [
            S(T(2, 3, 4), (1, 2)), S(T(2, 3, 4), (1, 2, 3, 0), "constant", 1.5, dtypes=FLOATS), S(T(3, 4), (1,)), S(T(3), (1, 1, 1, 1)),
            S(T(2, 3, 5), (2, 3), "reflect", dtypes=FLOATS), S(T(3, 5), (4, 1), mode="reflect"), S(T(2, 2, 4, 5), (2, 1, 3, 0), mode="reflect"), S(T(2, 3, 3, 4, 4), (1, 1, 2, 0, 1, 2), mode="reflect"), S(T(2, 3, 5), (5, 0), mode="reflect"),
            S(T(2, 3, 5), (7, 3), "replicate"), S(T(2, 4, 5), (2, 1, 3, 0), mode="replicate"), S(T(2, 3, 4, 5), (-1, 2, 3, -2), mode="replicate"), S(T(2, 3, 3, 4, 4), (1, 1, 2, 0, 1, 2), mode="replicate"),
            S(T(2, 3, 5), (5, 2), "circular"), S(T(2, 4, 5), (2, 1, 3, 0), mode="circular"), S(T(2, 3, 3, 4, 4), (1, 1, 2, 0, 1, 2), mode="circular"), S(T(2, 3, 5), (6, 0), mode="circular"),
            S(T(2, 3, 4, 5), (1, 1), mode="reflect"), S(T(2, 3), (1, 1), mode="mirror"), S(T(2, 3, 5), (1, 1), mode="reflect", value=1.0),
            S(T(2, 3, 4, 5, layout="channels_last"), (2, 1, 3, 0), mode="reflect", dtypes=FLOATS), S(T(2, 3, 4, 5, layout="channels_last"), (-2, 7, 3, -3), mode="replicate"), S(T(2, 3, 4, 5, layout="channels_last"), (0, 0, 1, 1), mode="circular"), S(T(2, 3, 4, 5), (-6, 9, 0, 0), mode="replicate"), S(T(2, 3, 4, 5), (-2, 3, -1, 2), mode="circular"),
        ],
        "im2col": [
            S(T(2, 3, 5, 6), (2, 3), 1, 0, 1, name="unfold", dtypes=FLOATS + COMPLEX), S(T(3, 7, 6), 2, 2, 1, (2, 1), name="unfold"), S(T(2, 3, 4, 4, layout="permuted"), 3, 1, 1, 2, name="unfold"), S(T(2, 3, 2, 2), 3, 1, 0, 1, name="unfold"), S(T(2, 3), 3, 1, 0, 1, name="unfold"),
        ],
        "col2im": [
            S(T(2, 18, 16), (5, 6), (2, 3), 1, 0, 1, name="fold", dtypes=FLOATS + COMPLEX), S(T(12, 28), (7, 6), 2, 2, 1, (2, 1), name="fold"), S(T(2, 18, 15), (5, 6), (2, 3), 1, 0, 1, name="fold"), S(T(2, 17, 16), (5, 6), (2, 3), 1, 0, 1, name="fold"),
        ],
        "pixel_shuffle": [S(T(2, 12, 3, 4), 2), S(T(9, 1, 2), 3), S(T(2, 2, 2, 8, 1, 1), 2), S(T(2, 5, 3, 4), 2), S(T(4, 4), 2)],
        "pixel_unshuffle": [S(T(2, 3, 4, 6), 2), S(T(1, 3, 6), 3), S(T(2, 3, 4, 5), 2)],
        "channel_shuffle": [S(T(2, 6, 3, 2), 3, strides=False), S(T(2, 4, 3), 2, strides=False), S(T(2, 4, 3), 3)],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {"pad_by_elements": "pad", "pad_by_elements_backward": "pad"}
