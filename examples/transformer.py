"""A language model of characters, a causal transformer, on the reference manual that CPython carries in `pydoc_data`.

    python examples/transformer.py [--steps 300] [--compare]

All runs (eager, compiled, and PyTorch with --compare) start from the same weights and see the same text. The score is the
loss in nats per character on text that was held out; one that only knows how often each character occurs gets about 3.3.
Exits with 1 if the compiled run or PyTorch's differs from the eager one, or if the score is above 2.3.
"""

from __future__ import annotations

import argparse
import pydoc_data.topics
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
from training import Run, copy_weights, report, train

import framejit as fj

CONTEXT, BATCH, WIDTH, LAYERS, HEADS = 64, 16, 64, 2, 4
WANTED_LOSS = 2.3


def load_text() -> tuple[np.ndarray, np.ndarray, int]:
    """The manual as numbers of characters, a twentieth of it held out; and how many characters there are."""
    text = "\n".join(pydoc_data.topics.topics[name] for name in sorted(pydoc_data.topics.topics))
    characters, numbers = np.unique(np.array(list(text)), return_inverse=True)
    held_out = len(numbers) // 20
    return numbers[held_out:].astype(np.int64), numbers[:held_out].astype(np.int64), len(characters)


def make_model(library: ModuleType, vocabulary: int) -> Any:
    nn = library.nn

    class LanguageModel(nn.Module):
        """Logits of the next character at every position."""

        def __init__(self) -> None:
            super().__init__()
            self.characters = nn.Embedding(vocabulary, WIDTH)
            self.positions = nn.Embedding(CONTEXT, WIDTH)
            layer = nn.TransformerEncoderLayer(
                WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
            )
            self.layers = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
            self.logits = nn.Linear(WIDTH, vocabulary)
            mask = nn.Transformer.generate_square_subsequent_mask(CONTEXT)
            self.register_buffer("mask", mask, persistent=False)

        def forward(self, tokens: Any) -> Any:
            places = library.arange(tokens.shape[1])
            x = self.characters(tokens) + self.positions(places)
            return self.logits(self.layers(x, self.mask, is_causal=True))

    return LanguageModel()


def loss_of(library: ModuleType, model: Any, tokens: Any) -> Any:
    """Of predicting each character of ``tokens`` (batch, context + 1) from those before it."""
    logits = model(tokens[:, :-1])
    return library.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def make_step(library: ModuleType, model: Any) -> Callable[[Any], Any]:
    optimizer = library.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.01)

    def step(tokens: Any) -> Any:
        optimizer.zero_grad()
        loss = loss_of(library, model, tokens)
        loss.backward()
        library.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return step


def passages(library: ModuleType, text: np.ndarray, count: int, seed: int) -> Iterator[tuple]:
    """Batches of passages from random places."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        starts = rng.integers(0, len(text) - CONTEXT - 1, BATCH)
        yield (library.from_numpy(np.stack([text[start : start + CONTEXT + 1] for start in starts])),)


def run(name: str, library: ModuleType, compile: Callable, weights: Any, steps: int) -> Run:
    training_text, held_out, vocabulary = load_text()
    model = make_model(library, vocabulary)
    copy_weights(weights, model, library)
    result = Run(name)
    train(result, compile(make_step(library, model)), passages(library, training_text, steps, seed=1))
    model.eval()
    with library.no_grad():
        losses = [loss_of(library, model, tokens).item() for (tokens,) in passages(library, held_out, 10, seed=2)]
    result.score = float(np.mean(losses))
    return result


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="a transformer that writes like a manual")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--compare", action="store_true", help="train with PyTorch, too")
    options = parser.parse_args(arguments)
    fj.manual_seed(0)
    weights = make_model(fj, load_text()[2])
    runs = [
        run("eager", fj, lambda step: step, weights, options.steps),
        run("compiled", fj, fj.compile, weights, options.steps),
    ]
    if options.compare:
        import torch

        runs.append(run("PyTorch", torch, lambda step: step, weights, options.steps))
    failures = report(runs, close_steps=20, score_tolerance=0.05)
    if runs[0].score > WANTED_LOSS:
        failures.append(f"the loss is {runs[0].score:.3f}, expected {WANTED_LOSS}")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
