"""Types that TorchScript programs annotate with: Python's own."""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: UP035  (the names are the point)

__all__ = [
    "Any",
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "Dict",
    "List",
    "Optional",
    "Tuple",
    "Union",
]

BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = List  # noqa: UP006
