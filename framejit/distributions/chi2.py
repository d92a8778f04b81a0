"""PyTorch's path of ``Chi2``."""

from framejit.distributions.gamma import Chi2

__all__ = ["Chi2"]
