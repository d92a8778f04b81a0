"""How the benchmarks measure: interleaved rounds, so that a busy machine slows all alike, and the median, or the best, of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 9
ROUND_SECONDS = 0.05  # calls per round are chosen so that a round takes about this long


Clock = Callable[[], float]


def _seconds_per_call(call: Callable[[], object], count: int, clock: Clock) -> float:
    begin = clock()
    for _ in range(count):
        call()
    return (clock() - begin) / count


def _calls_per_round(call: Callable[[], object], seconds: float, clock: Clock) -> int:
    """Also the warm-up: the first calls compile."""
    for _ in range(3):
        call()
    once = max(_seconds_per_call(call, 3, clock), 1e-8)
    return max(1, int(seconds / once))


def _rounds(
    calls: Mapping[str, Callable[[], object]], rounds: int, seconds: float, clock: Clock, pause: float = 0
) -> dict[str, list[float]]:
    """Seconds per call of each competitor, round by round, a pause before each."""
    counts = {name: _calls_per_round(call, seconds, clock) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            time.sleep(pause)
            call()  # what slept wakes
            times[name].append(_seconds_per_call(call, counts[name], clock))
    return times


def compare(calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Median seconds per call of each competitor."""
    measured = _rounds(calls, ROUNDS, ROUND_SECONDS, time.perf_counter)
    return {name: statistics.median(times) for name, times in measured.items()}


def best(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    seconds: float,
    clock: Clock = time.perf_counter,
    pause: float = 0,
) -> dict[str, float]:
    """Least seconds per call of each competitor, in rounds of about `seconds`, a `pause` before each: the threads of
    the other one may spin for a while in the hope of more work, and take the processor from this one's."""
    return {name: min(times) for name, times in _rounds(calls, rounds, seconds, clock, pause).items()}


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
