"""PyTorch's path of the writers."""

from framejit.utils.tensorboard import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
