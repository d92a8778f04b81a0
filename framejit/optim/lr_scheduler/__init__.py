"""Learning-rate schedules: each sets ``group["lr"]`` of its optimiser after every step.

As in PyTorch most are *chainable*: they compute the next rate from the current one (``get_lr``), so that two schedules
may act on one optimiser. ``_get_closed_form_lr``, where it is defined, computes it from the step alone.

Tour: ``base`` (``LRScheduler``), ``function`` (the rate is a function of the step), ``steps`` (pieces, lines, powers), ``cycles``
(cosines and cycles), ``plateau`` (by results), ``composed`` (schedules of schedules).
"""

from framejit.optim.lr_scheduler.base import LRScheduler as LRScheduler
from framejit.optim.lr_scheduler.base import _LRScheduler as _LRScheduler
from framejit.optim.lr_scheduler.composed import ChainedScheduler as ChainedScheduler
from framejit.optim.lr_scheduler.composed import SequentialLR as SequentialLR
from framejit.optim.lr_scheduler.cycles import CosineAnnealingLR as CosineAnnealingLR
from framejit.optim.lr_scheduler.cycles import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from framejit.optim.lr_scheduler.cycles import CyclicLR as CyclicLR
from framejit.optim.lr_scheduler.cycles import OneCycleLR as OneCycleLR
from framejit.optim.lr_scheduler.function import LambdaLR as LambdaLR
from framejit.optim.lr_scheduler.function import MultiplicativeLR as MultiplicativeLR
from framejit.optim.lr_scheduler.plateau import ReduceLROnPlateau as ReduceLROnPlateau
from framejit.optim.lr_scheduler.steps import ConstantLR as ConstantLR
from framejit.optim.lr_scheduler.steps import ExponentialLR as ExponentialLR
from framejit.optim.lr_scheduler.steps import LinearLR as LinearLR
from framejit.optim.lr_scheduler.steps import MultiStepLR as MultiStepLR
from framejit.optim.lr_scheduler.steps import PolynomialLR as PolynomialLR
from framejit.optim.lr_scheduler.steps import StepLR as StepLR
