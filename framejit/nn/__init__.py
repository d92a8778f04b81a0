"""Neural-network modules, in PyTorch's names, signatures and meanings.

Tour: ``parameter`` (Parameter, Buffer), ``modules/`` (one family a file; ``module`` is the base class), ``functional``
(stateless forms), ``_attention`` and ``_recurrence`` (the arithmetic behind attention and RNNs), ``init``
(initialisers), ``utils`` (gradient clipping, packing of sequences, parametrisations), ``parallel`` (names of what
needs several devices).
"""

from framejit.nn.parameter import Buffer as Buffer  # isort: skip
from framejit.nn.parameter import Parameter as Parameter  # isort: skip
from framejit.nn.parameter import UninitializedBuffer as UninitializedBuffer  # isort: skip
from framejit.nn.parameter import UninitializedParameter as UninitializedParameter  # isort: skip
from framejit.nn import attention as attention
from framejit.nn import functional as functional
from framejit.nn import init as init
from framejit.nn import modules as modules
from framejit.nn import parallel as parallel
from framejit.nn import utils as utils
from framejit.nn.modules import *  # noqa: F403
from framejit.nn.modules import __all__ as _modules
from framejit.nn.parallel import DataParallel as DataParallel

__all__ = [
    "Buffer",
    "DataParallel",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "functional",
    "init",
    "modules",
    "parallel",
    "utils",
    *_modules,
]
