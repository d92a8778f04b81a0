"""A convolutional network on scikit-learn's handwritten digits: eager, compiled and, on demand, PyTorch side by side.

    python examples/cnn.py [--epochs 6] [--compare]

All runs start from the same weights and see the same batches. Exits with 1 if the compiled run or PyTorch's differs from
the eager one, or if less than 97 % of the 359 held-out images are recognised.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from training import Run, copy_weights, report, train

import framejit as fj

BATCH = 64
WANTED_ACCURACY = 0.97


def load_data() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Images of 1 x 8 x 8 in [0, 1] and labels, shuffled, a fifth held out."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    x = (images[order] / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    y = labels[order].astype(np.int64)
    held_out = len(images) // 5
    return x[held_out:], y[held_out:], x[:held_out], y[:held_out]


def make_model(library: ModuleType) -> Any:
    nn = library.nn
    return nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1)),
        *(nn.Flatten(), nn.Linear(64, 10)),
    )


def make_step(library: ModuleType, model: Any) -> Callable[[Any, Any], Any]:
    optimizer = library.optim.Adam(model.parameters(), lr=3e-3)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = library.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def batches(library: ModuleType, x: np.ndarray, y: np.ndarray, epochs: int) -> Iterator[tuple]:
    rng = np.random.default_rng(1)
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            yield library.from_numpy(x[chosen]), library.from_numpy(y[chosen])


def run(name: str, library: ModuleType, compile: Callable, weights: Any, epochs: int) -> Run:
    train_x, train_y, test_x, test_y = load_data()
    model = make_model(library)
    copy_weights(weights, model, library)
    result = Run(name)
    train(result, compile(make_step(library, model)), batches(library, train_x, train_y, epochs))
    model.eval()
    with library.no_grad():
        answers = model(library.from_numpy(test_x)).argmax(1).numpy()
    result.score = float((answers == test_y).mean())
    return result


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="a CNN on handwritten digits")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--compare", action="store_true", help="train with PyTorch, too")
    options = parser.parse_args(arguments)
    fj.manual_seed(0)
    weights = make_model(fj)
    runs = [
        run("eager", fj, lambda step: step, weights, options.epochs),
        run("compiled", fj, fj.compile, weights, options.epochs),
    ]
    if options.compare:
        import torch

        runs.append(run("PyTorch", torch, lambda step: step, weights, options.epochs))
    failures = report(runs, close_steps=20, score_tolerance=0.015)
    if runs[0].score < WANTED_ACCURACY:
        failures.append(f"the accuracy is {runs[0].score:.3f}, expected {WANTED_ACCURACY}")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
