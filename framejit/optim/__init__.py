"""Optimisers, in PyTorch's names, signatures and meanings.

Tour: ``optimizer`` (the base class), ``sgd``, ``adam`` (and its variants), ``adaptive`` (Adagrad, RMSprop, ...),
``matrix``
(Adafactor, Muon), ``lbfgs``, ``lr_scheduler`` (learning-rate schedules), ``swa_utils`` (averages of weights).
"""

from framejit.optim import lr_scheduler as lr_scheduler
from framejit.optim import swa_utils as swa_utils
from framejit.optim.adam import Adam, Adamax, AdamW, NAdam, RAdam
from framejit.optim.adaptive import Adadelta, Adagrad, RMSprop, Rprop
from framejit.optim.lbfgs import LBFGS
from framejit.optim.matrix import Adafactor, Muon
from framejit.optim.optimizer import Optimizer
from framejit.optim.sgd import ASGD, SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
    "swa_utils",
]
