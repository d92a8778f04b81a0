"""Random calls of every op, from fixed seeds or as many as fit into a time budget; see schemas.py.

``make fuzz`` sets ``FRAMEJIT_FUZZ_SECONDS`` and ``FRAMEJIT_FUZZ_SEED``.
"""

from __future__ import annotations

import os
import time

import pytest

from tests.fuzz.schemas import rows, run_all

CALLS = 10  # of every row: about 20 s in all


def findings(first: int, count: int, deadline: float | None = None) -> list[str]:
    calls = [(row, seed) for row in rows() for seed in range(first, first + count)]
    return [str(finding) for finding in run_all(calls, "copies", deadline) if finding.kind not in ("answers", "raises")]


def test_no_call_crashes():
    """A result or an ordinary exception; the same result for contiguous copies of the arguments."""
    found = findings(0, CALLS)
    assert not found, "\n\n".join(found)


@pytest.mark.skipif("FRAMEJIT_FUZZ_SECONDS" not in os.environ, reason="runs in make fuzz")
@pytest.mark.timeout(0)
def test_many_more():
    deadline = time.monotonic() + float(os.environ["FRAMEJIT_FUZZ_SECONDS"])
    first = int(os.environ.get("FRAMEJIT_FUZZ_SEED", time.time_ns() % 2**31))
    while time.monotonic() < deadline:
        found = findings(first, CALLS, deadline)
        assert not found, "\n\n".join(found)
        first += CALLS
