"""How the benchmarks measure: interleaved rounds, so that a busy machine slows all alike, and the median of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 9
ROUND_SECONDS = 0.05  # calls per round are chosen so that a round takes about this long


def _seconds_per_call(call: Callable[[], object], count: int) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count


def _calls_per_round(call: Callable[[], object]) -> int:
    """Also the warm-up: the first calls compile."""
    for _ in range(3):
        call()
    once = max(_seconds_per_call(call, 3), 1e-8)
    return max(1, int(ROUND_SECONDS / once))


def compare(calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Median seconds per call of each competitor."""
    counts = {name: _calls_per_round(call) for name, call in calls.items()}
    rounds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            rounds[name].append(_seconds_per_call(call, counts[name]))
    return {name: statistics.median(times) for name, times in rounds.items()}


def once(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def show(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
