"""Fourier transforms: ``torch.fft``. The functions are rows of the op table (``eager/ops/fft.toml``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from framejit import _C

if TYPE_CHECKING:
    from framejit._C.fft import *
globals().update({name: function for name, function in vars(_C.fft).items() if not name.startswith("__")})
