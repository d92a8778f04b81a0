"""What the training examples share: one run of a step over batches, and how two runs are compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np


@dataclass
class Run:
    """Losses and times of one training run; ``score`` is what it reached on data it was not trained on."""

    name: str
    losses: list[float] = field(default_factory=list)
    step_seconds: list[float] = field(default_factory=list)
    score: float = float("nan")

    def __str__(self) -> str:
        typical = float(np.median(self.step_seconds)) * 1e3
        total = sum(self.step_seconds)
        last = np.mean(self.losses[-20:])
        return f"{self.name:9} loss {last:.4f}, held out {self.score:.4f}, {typical:.2f} ms per step, {total:.1f} s"


def train(run: Run, step: Callable[..., Any], arguments: Iterable[tuple]) -> None:
    """Calls ``step`` on each tuple of arguments; it returns the loss."""
    for batch in arguments:
        begin = time.perf_counter()
        loss = step(*batch)
        run.step_seconds.append(time.perf_counter() - begin)
        run.losses.append(loss.item())


def copy_weights(source: Any, target: Any, library: ModuleType) -> None:
    """The weights of ``source``, a module of framejit, into ``target``, the same module of ``library``."""
    state = {name: library.from_numpy(tensor.numpy().copy()) for name, tensor in source.state_dict().items()}
    target.load_state_dict(state)


def largest_difference(a: Run, b: Run, steps: int | None = None) -> float:
    """Between the losses of two runs, relative, in the first ``steps`` steps."""
    x, y = np.array(a.losses[:steps]), np.array(b.losses[:steps])
    return float(np.max(np.abs(x - y) / np.abs(x)))


def report(runs: list[Run], close_steps: int, score_tolerance: float) -> list[str]:
    """Prints the runs and returns what is wrong with them: each is compared with the first.

    Rounding differs between libraries, and training amplifies it: the first ``close_steps`` losses must agree to 1e-3,
    the held-out scores to ``score_tolerance``.
    """
    failures = []
    for run in runs:
        print(run)
    for run in runs[1:]:
        difference = largest_difference(runs[0], run, close_steps)
        print(f"{run.name} against {runs[0].name}: the first {close_steps} losses differ by at most {difference:.1e}")
        if not difference < 1e-3:
            failures.append(f"the losses of {run.name} and {runs[0].name} differ by {difference:.1e}")
        if not abs(run.score - runs[0].score) <= score_tolerance:
            failures.append(f"{run.name} reaches {run.score:.4f}, {runs[0].name} {runs[0].score:.4f}")
    return failures
