"""The fixed subset of the OpInfo sweep: two samples of every dtype of every op; `python -m tests.external.opinfo --all` runs all."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("torch")

from tests.external.opinfo.differences import Explanations  # noqa: E402
from tests.external.opinfo.sweep import SUBSET, entries, sweep  # noqa: E402


def test_differences_from_pytorch_are_the_listed_ones() -> None:
    ops, _ = entries()
    explanations = Explanations()
    wrong = []
    for report in sweep(ops, SUBSET, jobs=min(2, os.cpu_count() or 1)):
        for difference in report.differences:
            if explanations.explain(difference) is None:
                wrong.append(str(difference))
    wrong += [f"differences.toml explains nothing with: {row}" for row in explanations.unused_rows()]
    assert not wrong, "\n".join(wrong)
    assert len({op.name for op in ops}) >= 300
