"""For tests: ``comparison`` (are tensors close?), ``creation`` (random ones)."""

from framejit.testing.comparison import assert_allclose, assert_close
from framejit.testing.creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
