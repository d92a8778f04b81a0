"""``Timer``: how long a statement takes, with a number of threads that is the same for all measurements."""

from __future__ import annotations

import dataclasses
import statistics
import timeit
from collections.abc import Callable
from typing import Any

import framejit as fj

__all__ = ["Measurement", "Timer"]


@dataclasses.dataclass
class Measurement:
    """Times of a statement: ``raw_times`` in seconds, each of ``number_per_run`` runs."""

    number_per_run: int
    raw_times: list[float]
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    num_threads: int = 1

    @property
    def times(self) -> list[float]:
        """Seconds of one run."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def mean(self) -> float:
        return statistics.mean(self.times)

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def iqr(self) -> float:
        """How far the quartiles lie apart."""
        if len(self.raw_times) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times, method="inclusive")
        return third - first

    def __repr__(self) -> str:
        title = ": ".join(text for text in (self.label, self.sub_label, self.description) if text)
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        runs = f"{len(self.raw_times)} measurements of {self.number_per_run} runs"
        return f"{title or 'statement'}\n  median {_text_of(self.median)}, IQR {_text_of(self.iqr)} ({runs}, {threads})"


def _text_of(seconds: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= unit:
            return f"{seconds / unit:.2f} {name}"
    return f"{seconds * 1e9:.2f} ns"


class Timer:
    """Measures ``stmt``, a text that sees the names of ``globals`` and of ``setup``.

    Args:
        stmt: what is measured.
        setup: what runs before, unmeasured.
        timer: the clock.
        globals: names for both.
        label, sub_label, description: for the reader of the measurement.
        num_threads: of framejit, while it is measured.
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        timer: Callable[[], float] = timeit.default_timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        num_threads: int = 1,
    ) -> None:
        names = {"fj": fj, "framejit": fj, **(globals or {})}
        self._timer = timeit.Timer(stmt, setup, timer, names)
        self._num_threads = num_threads
        self._texts = (label or stmt, sub_label, description)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One measurement of ``number`` runs, after a short warm-up."""
        self._run(max(number // 100, 2))
        return self._measurement(number, [self._run(number)])

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measurements for ``min_run_time`` seconds, each of as many runs (a power of 10) as take a millisecond."""
        number = 1
        while self._run(number) < min(min_run_time, 1e-3):
            number *= 10
        times: list[float] = []
        while sum(times) < min_run_time:
            times.append(self._run(number))
            if callback:
                callback(number, times[-1])
        return self._measurement(number, times)

    def _run(self, number: int) -> float:
        threads = fj.get_num_threads()
        fj.set_num_threads(self._num_threads)
        try:
            return self._timer.timeit(number)
        finally:
            fj.set_num_threads(threads)

    def _measurement(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, *self._texts, num_threads=self._num_threads)
