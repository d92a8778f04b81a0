"""PyTorch's path of ``autocast``."""

from framejit.cuda.amp import autocast, custom_bwd, custom_fwd

__all__ = ["autocast", "custom_bwd", "custom_fwd"]
