"""Utilities around training.

Tour: ``data`` (datasets and loaders), ``checkpoint`` (less memory in training), ``tensorboard`` (logs), ``model_zoo``
(downloads), ``safetensors``, ``dlpack``, ``hooks`` (handles of hooks), ``benchmark`` (timers), ``file_baton`` (a lock),
``collect_env`` (facts for bug reports); ``cpp_extension`` and ``mobile_optimizer`` only raise.
"""

from framejit.utils import checkpoint as checkpoint
from framejit.utils import cpp_extension as cpp_extension
from framejit.utils import data as data
from framejit.utils import dlpack as dlpack
from framejit.utils import hooks as hooks

__all__ = ["checkpoint", "cpp_extension", "data", "dlpack", "hooks"]
