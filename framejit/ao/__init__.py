"""PyTorch's home of quantization, which framejit does not have."""

from framejit.ao import quantization as quantization

__all__ = ["quantization"]
