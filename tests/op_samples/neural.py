"""Samples of eager/ops/neural.toml."""

from __future__ import annotations

import math

from tests.op_samples.sample import FLOATS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

scores, classes = T(4, 5), T(4, dtype="int64", low=0, high=5)
probability = T(4, 5, low=0.05, high=0.95)
SAMPLES.update(
    {
        "softmax": [S(scores, 1, dtypes=FLOATS), S(T(2, 3, 20), 1), S(T(2, 3, 4), 0), S(T(2, 0), 1), S(T(2, 3, 4), 1), S(T(), 0), S(T(3, 40, layout="sliced"), -1), S(scores, 1, dtype="float64"), S(T(3, dtype="int64"), 0), S(T(values=[[math.nan, 1.0], [math.inf, 1.0], [-math.inf, 1.0], [-math.inf, -math.inf]], grad=False), 1)],
        "log_softmax": [S(scores, 1, dtypes=FLOATS), S(T(2, 3, 20), 1), S(T(2, 3, 4), 0), S(T(2, 0), 1), S(T(2, 3, 4), 1), S(T(), 0), S(scores, 1, dtype="float64")],
        "layer_norm": [S(T(4, 6), (6,), T(6), T(6), dtypes=FLOATS, tolerance=4), S(T(2, 3, 4), (3, 4), tolerance=4), S(T(4, 6), (6,), T(6), None, 0.1, tolerance=4), S(T(4, 6), (5,))],
        "rms_norm": [S(T(4, 6), (6,), T(6), tolerance=4), S(T(2, 3, 4), (3, 4), eps=0.1, tolerance=4)],
        "mse_loss": [S(scores, T(4, 5)), S(scores, T(4, 5), reduction="sum"), S(scores, T(4, 5), reduction="none"), S(scores, T(4, 5), weight=T(4, 5, low=0.1))],
        "l1_loss": [S(scores, T(4, 5)), S(scores, T(4, 5), reduction="none"), S(scores, T(4, 5), weight=T(4, 5, low=0.1), reduction="sum")],
        "smooth_l1_loss": [S(scores, T(4, 5)), S(scores, T(4, 5), beta=0.5, reduction="sum"), S(scores, T(4, 5), beta=0.0)],
        "huber_loss": [S(scores, T(4, 5)), S(scores, T(4, 5), delta=0.5, reduction="none"), S(scores, T(4, 5), weight=T(4, 5, low=0.1))],
        "nll_loss": [S(scores, classes), S(scores, classes, T(5, low=0.1, grad=False)), S(T(2, 5, 3), T(2, 3, dtype="int64", low=0, high=5), reduction="sum"), S(scores, T(values=[1, -100, 2, -100], dtype="int64")), S(T(5), T(dtype="int64", low=0, high=5)), S(scores, T(3, dtype="int64", low=0))],
        "cross_entropy": [
            S(scores, classes, dtypes=FLOATS), S(scores, classes, T(5, low=0.1, grad=False)), S(T(2, 5, 3), T(2, 3, dtype="int64", low=0, high=5), reduction="none"), S(scores, T(values=[1, -100, 2, 0], dtype="int64"), label_smoothing=0.2),
            S(scores, T(values=[1, 1, 2, 0], dtype="int64"), T(5, low=0.1, grad=False), label_smoothing=0.1, ignore_index=1), S(scores, probability), S(scores, probability, label_smoothing=0.1, reduction="sum"), S(T(5), T(dtype="int64", low=0, high=5)), S(scores, T(4, dtype="int64", low=6, high=8)),
            S(T(2, 5, 20), T(2, 20, dtype="int64", low=0, high=5), dtypes=FLOATS), S(T(2, 5, 4, 5), T(2, 4, 5, dtype="int64", low=0, high=5), ignore_index=2, reduction="sum"), S(T(2, 5, 20), T(2, 20, dtype="int64", low=0, high=9)),
        ],
        "binary_cross_entropy": [S(probability, T(4, 5, low=0, high=1, grad=False)), S(probability, T(4, 5, low=0, high=1, grad=False), T(5, low=0.1, grad=False), reduction="sum")],
        "binary_cross_entropy_with_logits": [S(scores, T(4, 5, low=0, high=1, grad=False)), S(scores, T(4, 5, low=0, high=1, grad=False), T(5, low=0.1, grad=False), pos_weight=T(5, low=0.1, grad=False))],
        "kl_div": [S(scores, probability, reduction="batchmean"), S(scores, T(4, 5), log_target=True, reduction="sum")],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "huber_elements": "huber_loss", "huber_slope": "huber_loss",
    "logit_cross_entropy": "binary_cross_entropy_with_logits",
    "class_losses": "cross_entropy", "target_losses": "nll_loss",
    "softmax_rows": "softmax",
    "log_softmax_rows": "log_softmax",
    "native_layer_norm": "layer_norm",
}
