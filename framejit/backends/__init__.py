"""Switches of libraries that PyTorch uses. Those of GPU libraries exist, so that programs can set them, and do nothing."""

from framejit.backends import cuda as cuda
from framejit.backends import cudnn as cudnn
from framejit.backends import mps as mps

__all__ = ["cuda", "cudnn", "mps"]
