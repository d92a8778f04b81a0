"""What a case of bench/eager.py is: an op, its operands for a number of elements, and who can run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

K, M = 1 << 10, 1 << 20
ALL = (K, 64 * K, M, 16 * M)
UP_TO_1M = (K, 64 * K, M)
LARGE = (64 * K, M)

Arrays = Sequence[np.ndarray]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def square(n: int) -> tuple[int, int]:
    return isqrt(n), n // isqrt(n)


def floats(*shapes: tuple[int, ...], dtype: type = np.float32) -> Callable[[int], Arrays]:
    """Normal numbers; -1 in a shape stands for what is left of the `n` elements, none for a square."""

    def make(n: int) -> Arrays:
        numbers = rng()
        return [numbers.standard_normal(filled(shape, n)).astype(dtype) for shape in shapes or [()]]

    return make


def filled(shape: tuple[int, ...], n: int) -> tuple[int, ...]:
    """`shape` with -1 replaced such that it has `n` elements; the empty one is a square."""
    if not shape:
        return square(n)
    fixed = int(np.prod([size for size in shape if size != -1]))
    return tuple(max(1, n // fixed) if size == -1 else size for size in shape)


SQUARE = floats()


@dataclass(frozen=True)
class Case:
    """`call(t, *operands)` is what is measured, where `t` is framejit or torch.

    `prepare(t, *tensors)` makes those operands from tensors, outside of the measurement. `numpy(*arrays)` does the same with NumPy
    where NumPy has something comparable. With `backward` the gradients of all floating operands are computed, from a
    gradient of ones, after the call; both are measured.
    """

    name: str
    call: Callable[..., Any]
    arrays: Callable[[int], Arrays] = SQUARE
    sizes: tuple[int, ...] = UP_TO_1M
    numpy: Callable[..., Any] | None = None
    prepare: Callable[..., Any] | None = None
    backward: bool = False
    wanted: float = 1.0  # times as fast as torch
