"""Samples of eager/ops/regularization.toml."""

from __future__ import annotations

from tests.op_samples.sample import S, Sample, T

# Random values: what is random is tested in tests/eager/test_functional.py.
UNSPECIFIED: dict[str, list[Sample]] = {
    "feature_dropout": [S(T(2, 3, 4), 0.5, True), S(T(2, 3, 4), 0.5, False)],
    "alpha_dropout": [S(T(2, 3), 0.5, True), S(T(2, 3), 1.0, True)],
    "feature_alpha_dropout": [S(T(2, 3, 4), 0.5, True)],
}
