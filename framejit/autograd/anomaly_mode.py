"""Anomaly detection: which line of the forward pass made a backward fail, or give NaN."""

from __future__ import annotations

import warnings
from typing import Any

from framejit._C import _autograd


class set_detect_anomaly:
    """Switches anomaly detection on or off, at once; as a context manager, until the block ends.

    While it is on, every operation remembers where it was called. When its backward raises, or gives NaN (unless
    ``check_nan`` is False), a warning shows that place. Slow: for looking for mistakes only.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.previous = _autograd.is_anomaly_enabled(), _autograd.is_anomaly_check_nan_enabled()
        _autograd.set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _autograd.set_anomaly_enabled(*self.previous)


class detect_anomaly(set_detect_anomaly):
    """A context manager in which anomaly detection is on.

    >>> with fj.autograd.detect_anomaly():
    ...     loss = model(x).sum()
    ...     loss.backward()
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan

    def __enter__(self) -> None:
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            stacklevel=2,
        )
        super().__init__(True, self.check_nan)


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on."""
    return _autograd.is_anomaly_enabled()


def is_anomaly_check_nan_enabled() -> bool:
    """Whether it looks for NaN in every gradient."""
    return _autograd.is_anomaly_check_nan_enabled()


__all__: list[Any] = [
    "detect_anomaly",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "set_detect_anomaly",
]
