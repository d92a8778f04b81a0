"""The Python array API standard, 2024.12: a namespace over tensors (``x.__array_namespace__()``).

Where the standard says something else than PyTorch (names, defaults, promotion of 0-dim arrays), these functions follow the
standard; the arrays are plain :class:`framejit.Tensor`.

    _types.py          dtypes, promotion, ``finfo``; what the other files share
    _info.py           ``__array_namespace_info__``
    _creation.py       new arrays
    _elementwise.py    functions element by element
    _manipulation.py   shapes, joining, indexing
    _ordering.py       sorting, searching, sets
    _statistics.py     reductions and scans
    linalg.py, fft.py  the extensions
"""

from __future__ import annotations

import math as _math

from framejit.array_api import fft as fft
from framejit.array_api import linalg as linalg
from framejit.array_api._creation import *
from framejit.array_api._elementwise import *
from framejit.array_api._info import __array_namespace_info__ as __array_namespace_info__
from framejit.array_api._manipulation import *
from framejit.array_api._ordering import *
from framejit.array_api._statistics import *
from framejit.array_api._types import *
from framejit.array_api.linalg import matmul as matmul
from framejit.array_api.linalg import matrix_transpose as matrix_transpose
from framejit.array_api.linalg import tensordot as tensordot
from framejit.array_api.linalg import vecdot as vecdot

__array_api_version__ = "2024.12"

e, inf, nan, newaxis, pi = _math.e, _math.inf, _math.nan, None, _math.pi
