"""Samples of eager/ops/recurrent.toml."""

from __future__ import annotations

from tests.op_samples.sample import FLOATS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

# PyTorch has no second derivative of its fused cells.
LOOSE = {"tolerance": 20, "double": False}


def cell(gates: int) -> list[T]:
    return [T(gates * 3, 4), T(gates * 3, 3), T(gates * 3), T(gates * 3)]


def layers(gates: int, bidirectional: bool) -> list[T]:
    """Two layers of width 3 over input of width 4."""
    params = []
    for width in (4, 6 if bidirectional else 3):
        for _ in range(2 if bidirectional else 1):
            params += [T(gates * 3, width), T(gates * 3, 3), T(gates * 3), T(gates * 3)]
    return params


inputs = T(5, 2, 4)
SAMPLES.update(
    {
        "lstm_cell": [S(T(2, 4), [T(2, 3), T(2, 3)], *cell(4), dtypes=FLOATS, **LOOSE), S(T(2, 4), [T(2, 3), T(2, 3)], *cell(4)[:2], **LOOSE)],
        "gru_cell": [S(T(2, 4), T(2, 3), *cell(3), dtypes=FLOATS, **LOOSE)],
        "rnn_tanh_cell": [S(T(2, 4), T(2, 3), *cell(1), dtypes=FLOATS, **LOOSE)],
        "rnn_relu_cell": [S(T(2, 4), T(2, 3), *cell(1), dtypes=FLOATS, **LOOSE)],
        "lstm": [
            S(inputs, [T(2, 2, 3), T(2, 2, 3)], layers(4, False), True, 2, 0.0, False, False, False, dtypes=FLOATS, **LOOSE), S(inputs, [T(4, 5, 3), T(4, 5, 3)], layers(4, True), True, 2, 0.0, False, True, True, strides=False, **LOOSE),
            S(inputs, [T(1, 2, 2), T(1, 2, 3)], [T(12, 4), T(12, 2), T(2, 3)], False, 1, 0.0, False, False, False, strides=False, **LOOSE), S(inputs, [T(2, 2, 3)], layers(4, False), True, 2, 0.0, False, False, False),
        ],
        "gru": [S(inputs, T(2, 2, 3), layers(3, False), True, 2, 0.0, False, False, False, **LOOSE), S(inputs, T(4, 5, 3), layers(3, True), True, 2, 0.0, True, True, True, strides=False, **LOOSE)],
        "rnn_tanh": [S(inputs, T(4, 2, 3), layers(1, True), True, 2, 0.0, False, True, False, **LOOSE)],
        "rnn_relu": [S(inputs, T(2, 2, 3), layers(1, False), True, 2, 0.0, False, False, False, **LOOSE)],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {"recurrent_layer": "lstm"}
