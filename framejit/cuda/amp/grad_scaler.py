"""PyTorch's path of ``GradScaler``."""

from framejit.amp.grad_scaler import OptState
from framejit.cuda.amp import GradScaler

__all__ = ["GradScaler", "OptState"]
