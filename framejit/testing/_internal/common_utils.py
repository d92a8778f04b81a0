"""``TestCase``, the base of the unit tests that come with many programs."""

from __future__ import annotations

import unittest
from typing import Any

from framejit._C import Tensor
from framejit.testing.comparison import assert_close

__all__ = ["TestCase"]


class TestCase(unittest.TestCase):
    """A ``unittest.TestCase`` whose ``assertEqual`` compares tensors, and collections of them, with tolerances."""

    def assertEqual(self, first: Any, second: Any, msg: Any = None, *, atol: float | None = None, rtol: float | None = None) -> None:
        if _has_tensors(first) or _has_tensors(second):
            assert_close(first, second, atol=atol, rtol=rtol, equal_nan=True, msg=msg)
        else:
            super().assertEqual(first, second, msg)

    def assertNotEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        with self.assertRaises(AssertionError, msg=msg):
            self.assertEqual(first, second)


def _has_tensors(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_tensors, value.values()))
    return isinstance(value, Tensor) or (isinstance(value, (list, tuple)) and any(map(_has_tensors, value)))
