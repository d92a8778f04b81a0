"""Instance normalisation: over the spatial dimensions of every sample and channel."""

from __future__ import annotations

from typing import Any

from framejit import Tensor
from framejit.nn import functional as F
from framejit.nn.modules.batchnorm import _NormBase


class _InstanceNorm(_NormBase):
    """Source: Ulyanov et al., *Instance normalization* (2016)."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        unbatched, channels = self._allowed_dims
        position = input.dim() - channels + 1
        if input.shape[position] != self.num_features and self.affine:
            raise ValueError(
                f"expected input's size at dim={position} to match num_features ({self.num_features}), but got: "
                f"{input.shape[position]}."
            )
        if input.dim() == unbatched:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _normalized(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )


class InstanceNorm1d(_InstanceNorm):
    """Normalises ``(N, C, L)`` or ``(C, L)``."""

    _allowed_dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalises ``(N, C, H, W)`` or ``(C, H, W)``."""

    _allowed_dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalises ``(N, C, D, H, W)`` or ``(C, D, H, W)``."""

    _allowed_dims = (4, 5)
