"""PyTorch's path of :func:`spectral_norm`, which lives with its sibling in ``weight_norm``."""

from typing import Any

from framejit.nn.utils.weight_norm import SpectralNorm, remove_spectral_norm, spectral_norm

__all__ = ["SpectralNorm", "SpectralNormLoadStateDictPreHook", "SpectralNormStateDictHook", "remove_spectral_norm", "spectral_norm"]


class SpectralNormStateDictHook:
    """PyTorch's mark of a version in state dicts. Programs look for it; no module here has one, nor needs it."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn


class SpectralNormLoadStateDictPreHook(SpectralNormStateDictHook):
    """The one that reads the mark."""
