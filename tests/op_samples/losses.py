"""Samples of eager/ops/losses.toml."""

from __future__ import annotations

import math

from tests.op_samples.sample import FLOATS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

scores, other = T(4, 5), T(4, 5)
signs = T(values=[1.0, -1.0, 1.0, -1.0], grad=False)
sign_rows = T(values=[[1.0, -1.0, 1.0, 1.0, -1.0]] * 4, grad=False)
classes = T(values=[1, 0, 4, 2], dtype="int64")
labels = T(values=[[1, 3, -1, 2, 0], [-1, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, -1, -1, -1, -1]], dtype="int64")
log_probs = T(12, 2, 5, low=-4, high=-0.5)
LOOSE = {"tolerance": 8}
SAMPLES.update(
    {
        "poisson_nll_loss": [S(scores, T(4, 5, low=0), dtypes=FLOATS, **LOOSE), S(T(4, 5, low=0.1), T(4, 5, low=0), False, True, reduction="sum", **LOOSE), S(scores, T(4, 5, low=0), reduction="none", **LOOSE), S(scores, other, reduction="median")],
        "gaussian_nll_loss": [
            S(scores, other, T(4, 5, low=0.1), dtypes=FLOATS, **LOOSE), S(scores, other, T(4, low=0.1), full=True, reduction="none", **LOOSE), S(scores, other, T(4, 1, low=0.1), reduction="sum", **LOOSE), S(scores, other, T(values=[[1e-9], [1.0], [0.0], [2.0]]), **LOOSE), S(scores, other, T(3, 5)),
        ],
        "hinge_embedding_loss": [S(scores, sign_rows, dtypes=FLOATS), S(scores, sign_rows, 0.5, reduction="none"), S(scores, sign_rows, size_average=False)],
        "margin_ranking_loss": [S(T(4), T(4), signs, dtypes=FLOATS), S(T(4), T(4), signs, 0.5, reduction="sum"), S(T(4), T(4, 1), signs)],
        "multi_margin_loss": [S(T(), T(values=0, dtype="int64"), double=False), S(scores, classes, dtypes=FLOATS, double=False), S(scores, classes, 2, 0.5, T(5, low=0.1, grad=False), reduction="none", double=False), S(T(5), T(values=3, dtype="int64"), double=False), S(scores, classes, 3), S(scores, classes, reduction="abc"), S(scores, T(3, dtype="int64", low=0, high=5))],
        "multilabel_margin_loss": [S(scores, labels, dtypes=FLOATS, double=False), S(scores, labels, reduction="none", double=False), S(T(4), T(values=[2, 0, -1, 1], dtype="int64"), double=False), S(scores, T(4, 4, dtype="int64", low=0, high=4))],
        "multilabel_soft_margin_loss": [S(scores, T(4, 5, low=0, high=1, grad=False), dtypes=FLOATS, **LOOSE), S(scores, T(4, 5, low=0, high=1, grad=False), T(5, low=0.1, grad=False), reduction="none", **LOOSE)],
        "soft_margin_loss": [S(scores, sign_rows, dtypes=FLOATS, **LOOSE), S(scores, sign_rows, reduction="sum", **LOOSE)],
        "cosine_embedding_loss": [S(scores, other, signs, dtypes=FLOATS, **LOOSE), S(scores, other, signs, 0.2, reduction="none", **LOOSE), S(T(5), T(5), T(values=1.0, grad=False), **LOOSE), S(scores, other, T(4, 1))],
        "triplet_margin_loss": [S(scores, other, T(4, 5), dtypes=FLOATS, **LOOSE), S(scores, other, T(4, 5), 2.0, 1.0, swap=True, reduction="none", **LOOSE), S(scores, other, T(5)), S(scores, other, T(4, 5), -1.0)],
        "cosine_similarity": [S(scores, other, dtypes=FLOATS, **LOOSE), S(T(2, 3, 4), T(3, 1), 1, **LOOSE), S(scores, other, dim=-2, eps=1.5, **LOOSE), S(scores, other, 2)],
        "pairwise_distance": [S(scores, other, dtypes=FLOATS, **LOOSE), S(scores, T(5), 1.0, keepdim=True, **LOOSE), S(scores, other, 3.0, 1e-3, **LOOSE), S(scores, other, math.inf)],
        "cdist": [
            S(scores, T(3, 5), dtypes=FLOATS, double=False, **LOOSE), S(T(2, 1, 4, 3), T(3, 5, 3), 1.0, double=False, **LOOSE), S(T(30, 4), T(3, 4), tolerance=100, double=False), S(scores, T(3, 5), 3.0, double=False, **LOOSE), S(scores, T(3, 5), math.inf, double=False), S(scores, T(3, 5), 0.0, grad=False),
            S(T(30, 4), T(3, 4), compute_mode="donot_use_mm_for_euclid_dist", double=False, **LOOSE), S(T(4, 0), T(3, 0), grad=False), S(scores, T(3, 4)), S(T(5), T(3, 5)), S(scores, T(3, 5), -1.0),
        ],
        "pdist": [S(scores, dtypes=FLOATS, double=False, **LOOSE), S(scores, 1.0, double=False, **LOOSE), S(scores, 3.5, double=False, **LOOSE), S(T(1, 5), grad=False), S(T(5))],
        "ctc_loss": [
            S(log_probs, T(values=[[1, 2, 2], [3, 4, 1]], dtype="int64"), (12, 10), (3, 2), dtypes=FLOATS, double=False, **LOOSE), S(log_probs, T(values=[1, 1, 3, 4], dtype="int64"), (12, 12), (3, 1), 2, "sum", double=False, **LOOSE),
            S(log_probs, T(values=[[1, 1, 1], [3, 4, 1]], dtype="int64"), (4, 10), (3, 0), reduction="none", zero_infinity=True, double=False, **LOOSE), S(T(12, 5, low=-4, high=-0.5), T(values=[1, 2], dtype="int64"), (12,), (2,), double=False, **LOOSE), S(log_probs, T(2, 3, dtype="int64"), (13, 10), (3, 2)),
        ],
        "ctc_loss.tensor": [S(log_probs, T(values=[[1, 2, 2], [3, 4, 1]], dtype="int32"), T(values=[12, 10], dtype="int64"), T(values=[3, 2], dtype="int64"), double=False, **LOOSE)],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "ctc_loss_rows": "ctc_loss", "ctc_loss_backward": "ctc_loss", "pairwise_norms": "cdist", "condensed_norms": "pdist",
}  # fmt: skip
