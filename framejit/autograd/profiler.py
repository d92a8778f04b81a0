"""PyTorch's old path of :mod:`framejit.profiler`."""

from framejit.profiler import profile, record_function

__all__ = ["profile", "record_function"]
