"""PyTorch's path of :func:`spectral_norm`, which lives with its sibling in ``weight_norm``."""

from framejit.nn.utils.weight_norm import SpectralNorm, remove_spectral_norm, spectral_norm

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]
