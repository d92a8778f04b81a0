"""Train a classifier on scikit-learn's handwritten digits, first eagerly and then compiled, and compare.

    python examples/digits.py [--epochs 30]

Prints, for both runs, accuracy on the held-out fifth of the 1,797 images and time per epoch; then compile time, the
number of graphs, and the report on a function that cannot be one graph. Exits with 1 if the two runs' losses differ
anywhere, or if the accuracy is below 0.96.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field

import numpy as np
from sklearn.datasets import load_digits

import framejit as fj
from framejit import nn
from framejit.nn import functional as F

BATCH = 64
WANTED_ACCURACY = 0.96


@dataclass
class Data:
    train_x: fj.Tensor
    train_y: fj.Tensor
    test_x: fj.Tensor
    test_y: fj.Tensor


@dataclass
class Run:
    losses: list[float] = field(default_factory=list)
    epoch_seconds: list[float] = field(default_factory=list)
    first_call_seconds: float = 0.0
    accuracy: float = 0.0

    @property
    def typical_epoch(self) -> float:
        return float(np.median(self.epoch_seconds))


def load_data() -> Data:
    """The images as float32 in [0, 1], shuffled, a fifth held out."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    x = fj.from_numpy((images[order] / 16).astype(np.float32))
    y = fj.from_numpy(labels[order].astype(np.int64))
    held_out = len(images) // 5
    return Data(x[held_out:], y[held_out:], x[:held_out], y[:held_out])


def make_model() -> tuple[nn.Module, fj.optim.Optimizer]:
    fj.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(64, 128), nn.LayerNorm(128), nn.GELU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10)
    )
    return model, fj.optim.Adam(model.parameters(), lr=2e-3)


def train_step(model: nn.Module, optimizer: fj.optim.Optimizer, x: fj.Tensor, y: fj.Tensor) -> fj.Tensor:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(step, data: Data, epochs: int) -> Run:
    """Train a fresh model with `step`; both runs see the same batches in the same order."""
    model, optimizer = make_model()
    rng = np.random.default_rng(1)
    run = Run()
    for _ in range(epochs):
        order = fj.from_numpy(rng.permutation(len(data.train_x)))
        begin = time.perf_counter()
        for start in range(0, len(data.train_x), BATCH):
            batch = order[start : start + BATCH]  # the last batch is smaller: its size becomes dynamic
            step_begin = time.perf_counter()
            loss = step(model, optimizer, data.train_x[batch], data.train_y[batch])
            if not run.losses:
                run.first_call_seconds = time.perf_counter() - step_begin
            run.losses.append(loss.item())
        run.epoch_seconds.append(time.perf_counter() - begin)
    with fj.no_grad():
        run.accuracy = (model(data.test_x).argmax(1) == data.test_y).to(fj.float32).mean().item()
    return run


def clipped_mean(x: fj.Tensor) -> fj.Tensor:
    """Two things that no graph can hold: a print, and a branch on data."""
    y = x * 2 + 1
    print("    the mean is", y.mean().item())
    if y.sum() > 0:
        y = y.clamp(max=1.0)
    else:
        y = -y
    return y.mean()


def first_difference(eager: Run, compiled: Run) -> str | None:
    for index, (a, b) in enumerate(zip(eager.losses, compiled.losses, strict=True)):
        if a != b:
            return f"step {index}: the eager loss is {a!r}, the compiled loss is {b!r}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description="handwritten digits, eager and compiled")
    parser.add_argument("--epochs", type=int, default=30)
    epochs = parser.parse_args().epochs
    data = load_data()
    print(
        f"{len(data.train_x)} images to train on, {len(data.test_x)} held out, batches of {BATCH}, {epochs} epochs\n"
    )

    eager = train(train_step, data, epochs)
    print(f"eager     accuracy {eager.accuracy:.3f}, {eager.typical_epoch * 1e3:.1f} ms per epoch")
    compiled = train(fj.compile(train_step), data, epochs)
    print(f"compiled  accuracy {compiled.accuracy:.3f}, {compiled.typical_epoch * 1e3:.1f} ms per epoch")

    typical_step = compiled.typical_epoch / (len(compiled.losses) / epochs)
    report = fj.explain(train_step)(*make_model(), data.train_x[:BATCH], data.train_y[:BATCH])
    print(
        f"compile time {max(compiled.first_call_seconds - typical_step, 0) * 1e3:.1f} ms, "
        f"{report.graph_count} graph(s), {report.graph_break_count} graph break(s)\n"
    )
    print("A function with a print and a branch on data, explained:")
    print(fj.explain(clipped_mean)(data.test_x))

    difference = first_difference(eager, compiled)
    if difference:
        print(f"\nFAILED: compiled and eager differ, at {difference}")
        return 1
    if min(eager.accuracy, compiled.accuracy) < WANTED_ACCURACY:
        print(f"\nFAILED: the accuracy is below {WANTED_ACCURACY}")
        return 1
    print(f"\nAll {len(eager.losses)} losses of the two runs are equal.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
