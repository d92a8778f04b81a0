"""Files for ONNX: not written by framejit. Programs that ask whether they are being exported learn that they are not.

Tour: ``operators`` (shapes as tensors: real), ``symbolic_helper`` (names that programs import for exports of their own).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NoReturn

from framejit.onnx import operators as operators
from framejit.onnx import symbolic_helper as symbolic_helper
from framejit.onnx import utils as utils
from framejit.onnx.utils import is_in_onnx_export

__all__ = ["OperatorExportTypes", "TrainingMode", "export", "is_in_onnx_export", "register_custom_op_symbolic"]


class OperatorExportTypes(Enum):
    """What an export does with ops that ONNX does not have."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


class TrainingMode(Enum):
    """The mode that a model is exported in."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


def _no_export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "framejit does not write ONNX files. Save the weights (framejit.save reads and writes PyTorch's format) and "
        "export with PyTorch."
    )


export = register_custom_op_symbolic = _no_export
