"""PyTorch's path of ``HalfCauchy``."""

from framejit.distributions.cauchy import HalfCauchy

__all__ = ["HalfCauchy"]
