"""The old path of :mod:`framejit.ao.quantization`."""

from framejit.ao.quantization import *  # noqa: F403
from framejit.ao.quantization import __all__ as __all__
