"""Logs that TensorBoard shows. Writing them needs no other package.

Tour: ``events`` (the file format: records of protocol buffers), ``writer`` (``SummaryWriter``).
"""

from framejit.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
