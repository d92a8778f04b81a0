"""PyTorch's path of the functions of :mod:`framejit.distributed`."""

from framejit.distributed import *  # noqa: F403
from framejit.distributed import __all__ as __all__
