"""Optimisers, in PyTorch's names, signatures and meanings. ``optimizer`` holds the base class; one family a file."""

from framejit.optim import lr_scheduler as lr_scheduler
from framejit.optim.adam import Adam, AdamW
from framejit.optim.optimizer import Optimizer
from framejit.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
