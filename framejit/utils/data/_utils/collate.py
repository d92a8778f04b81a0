"""PyTorch's path of ``framejit.utils.data.collate``."""

from framejit.utils.data.collate import default_collate, default_convert

__all__ = ["default_collate", "default_convert"]
