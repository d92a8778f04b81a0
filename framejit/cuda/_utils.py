"""Numbers of GPUs."""

from __future__ import annotations

from typing import Any

from framejit.cuda import _no_gpu


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a GPU; -1 for the CPU, where that is allowed."""
    if allow_cpu and str(device) == "cpu":
        return -1
    return device if isinstance(device, int) else _no_gpu()
