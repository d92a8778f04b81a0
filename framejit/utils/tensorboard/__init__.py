"""Logs that TensorBoard shows: the package tensorboardX, which writes them, for framejit's tensors.

Raises ImportError where that package is not installed (``pip install tensorboardX``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

try:
    import tensorboardX
except ImportError as error:
    raise ImportError("framejit.utils.tensorboard needs the package tensorboardX: pip install tensorboardX") from error

from framejit import Tensor
from framejit.utils._pytree import tree_map_only

__all__ = ["FileWriter", "SummaryWriter"]

FileWriter = tensorboardX.FileWriter


def _to_numpy(tree: Any) -> Any:
    """``tree`` with its tensors as NumPy arrays, 0-dim ones as numbers."""
    return tree_map_only(Tensor, lambda x: x.detach().cpu().numpy() if x.dim() else x.item(), tree)


def _taking_tensors(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def converted(self: SummaryWriter, *args: Any, **kwargs: Any) -> Any:
        return method(self, *_to_numpy(args), **_to_numpy(kwargs))

    return converted


class SummaryWriter(tensorboardX.SummaryWriter):  # type: ignore[misc]
    """tensorboardX's writer, whose ``add_*`` methods also take tensors (``add_scalar("loss", loss, step)``)."""


for _name, _method in vars(tensorboardX.SummaryWriter).items():
    if _name.startswith("add_"):
        setattr(SummaryWriter, _name, _taking_tensors(_method))
