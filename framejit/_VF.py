"""PyTorch's private path of the functions under ``nn``: names are looked up in :mod:`framejit`."""

from __future__ import annotations

from typing import Any

import framejit as fj


def __getattr__(name: str) -> Any:
    return getattr(fj, name)
