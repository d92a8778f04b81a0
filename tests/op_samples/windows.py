"""Samples of eager/ops/windows.toml."""

from __future__ import annotations

from tests.op_samples.sample import S, Sample

_common = [S(8), S(7, False), S(1), S(0), S(6, dtype="float64"), S(-1), S(6, dtype="int64")]

SAMPLES: dict[str, list[Sample]] = {
    "hann_window": _common,
    "hamming_window": [*_common, S(8, True, 0.6), S(8, False, 0.6, 0.3)],
    "bartlett_window": _common,
    "blackman_window": _common,
    "kaiser_window": [*(S(*sample.args, tolerance=4, **sample.kwargs) for sample in _common), S(9, False, 5.0, tolerance=4)],
}
