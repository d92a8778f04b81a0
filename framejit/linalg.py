"""Linear algebra: ``torch.linalg``. The functions are rows of the op table (``eager/ops/linalg.toml``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from framejit import _C
from framejit._C import LinAlgError as LinAlgError

if TYPE_CHECKING:
    from framejit._C.linalg import *
globals().update({name: function for name, function in vars(_C.linalg).items() if not name.startswith("__")})
