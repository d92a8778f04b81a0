"""Utilities around training.

Tour: ``data`` (datasets and loaders), ``checkpoint`` (less memory in training), ``model_zoo`` (downloads), ``safetensors``,
``dlpack``, ``hooks`` (handles of hooks).
"""

from framejit.utils import checkpoint as checkpoint
from framejit.utils import cpp_extension as cpp_extension
from framejit.utils import data as data
from framejit.utils import dlpack as dlpack
from framejit.utils import hooks as hooks

__all__ = ["checkpoint", "cpp_extension", "data", "dlpack", "hooks"]
