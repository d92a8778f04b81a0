"""Samples of eager/ops/normalization.toml."""

from __future__ import annotations

from tests.op_samples.sample import FLOATS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

LOOSE = {"tolerance": 10}


def statistics(channels: int) -> tuple[T, T]:
    return T(channels, grad=False), T(channels, low=0.1, grad=False)


SAMPLES.update(
    {
        "batch_norm": [
            S(T(4, 3, 5, 2), *statistics(3), T(3), T(3), training=True, dtypes=FLOATS, **LOOSE), S(T(4, 3), None, None, training=True, **LOOSE), S(T(4, 3, 37), *statistics(3), T(3), None, True, 0.3, 0.01, **LOOSE),
            S(T(4, 3, 5), *statistics(3), T(3), T(3), dtypes=FLOATS, **LOOSE), S(T(4, 3, 2, 2, 2), *statistics(3), **LOOSE), S(T(4, 3), None, None), S(T(1, 3), None, None, training=True), S(T(4, 3), *statistics(2)),
            S(T(4, 3, 5, layout="permuted"), None, None, T(3), T(3), training=True, strides=False, **LOOSE),
        ],
        "instance_norm": [
            S(T(2, 3, 5, 2), *statistics(3), T(3), T(3), dtypes=FLOATS, **LOOSE), S(T(2, 3, 7), **LOOSE), S(T(2, 3, 7), *statistics(3), use_input_stats=False, **LOOSE), S(T(2, 3, 1)),
        ],
        "group_norm": [S(T(2, 6, 5), 3, T(6), T(6), dtypes=FLOATS, **LOOSE), S(T(2, 6, 2, 2), 2, **LOOSE), S(T(2, 6, 5), 4), S(T(2, 6, 3), 3, T(6), None, 0.1, **LOOSE)],
        "local_response_norm": [S(T(2, 6, 5), 3, **LOOSE), S(T(2, 6, 3, 2), 4, 0.01, 0.5, 2.0, **LOOSE), S(T(2, 6), 3)],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {"batch_norm_train": "batch_norm", "scale_channels": "batch_norm", "group_norm_train": "group_norm"}
