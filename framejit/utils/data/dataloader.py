"""PyTorch's path of the loader, which lives in ``loader``."""

from framejit._utils import ExceptionWrapper
from framejit.utils.data.collate import default_collate, default_convert
from framejit.utils.data.loader import DataLoader
from framejit.utils.data.worker import get_worker_info

__all__ = ["DataLoader", "ExceptionWrapper", "default_collate", "default_convert", "get_worker_info"]
