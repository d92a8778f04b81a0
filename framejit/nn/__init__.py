"""Neural-network modules, in PyTorch's names, signatures and meanings.

Tour: ``parameter`` (Parameter), ``modules/`` (one family a file; ``module`` is the base class), ``functional``
(stateless forms), ``init`` (initialisers), ``utils`` (gradient clipping, parameter vectors).
"""

from framejit.nn.parameter import Parameter as Parameter  # isort: skip
from framejit.nn import functional as functional
from framejit.nn import init as init
from framejit.nn import utils as utils
from framejit.nn.modules import *  # noqa: F403
from framejit.nn.modules import __all__ as _modules

__all__ = ["Parameter", "functional", "init", "utils", *_modules]
