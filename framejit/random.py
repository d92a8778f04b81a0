"""The random numbers of the process: seeding, saving and restoring the place in their stream."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from framejit._C import Generator, Tensor, default_generator


def manual_seed(seed: int) -> Generator:
    """Starts the stream of random numbers of a seed, and returns the generator that all ops draw from."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seeds with a random number, and returns it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the stream of random numbers."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The place in the stream of random numbers."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Goes to a place that :func:`get_rng_state` returned."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, device_type: str = "cpu") -> Iterator[None]:
    """What is drawn inside does not move the stream outside.

    Args:
        devices, device_type: accepted for PyTorch's sake; there is one generator.
        enabled: False makes this do nothing.
    """
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if state is not None:
            set_rng_state(state)
