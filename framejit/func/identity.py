"""What PyTorch needs for its own tensors within tensors, and framejit has no need of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framejit._C import Tensor


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """``func``: it gives the same results with or without mutations inside, which framejit's compiler takes out of graphs
    itself.

    Args:
        remove: ``"mutations"`` or ``"mutations_and_views"``.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program f, and replaced with "
            "their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {op} will be replaced with "
            "their non-aliasing counterparts, {op}_copy.\n"
        )
    return func


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """``tensor``: inside derivatives and maps, too, functions see plain tensors."""
    return tensor
