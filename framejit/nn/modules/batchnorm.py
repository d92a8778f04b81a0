"""Batch normalisation over all dimensions but the channels'."""

from __future__ import annotations

from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F
from framejit.nn import init
from framejit.nn.modules.module import Module
from framejit.nn.parameter import Parameter


class _NormBase(Module):
    """Affine parameters and running statistics of ``num_features`` channels."""

    _version = 2
    _allowed_dims: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            values = Parameter(fj.empty(num_features, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, values)
        if track_running_stats:
            self.register_buffer("running_mean", fj.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", fj.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", fj.tensor(0, dtype=fj.int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self._allowed_dims:
            expected = " or ".join(f"{dim}D" for dim in self._allowed_dims)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        """States of version 1 had no ``num_batches_tracked``."""
        key = prefix + "num_batches_tracked"
        if (local_metadata.get("version") or 1) < 2 and self.track_running_stats and key not in state_dict:
            state_dict[key] = fj.tensor(0, dtype=fj.int64)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_NormBase):
    """Source: Ioffe, Szegedy, *Batch normalization* (2015)."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # cumulative average
                momentum = 1.0 / float(self.num_batches_tracked)
        # Batch statistics in training, and always where none are kept.
        use_batch = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keep else None,
            self.running_var if keep else None,
            self.weight,
            self.bias,
            use_batch,
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalises the channels of ``(N, C)`` or ``(N, C, L)``."""

    _allowed_dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises the channels of ``(N, C, H, W)``."""

    _allowed_dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalises the channels of ``(N, C, D, H, W)``."""

    _allowed_dims = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch norm of ``(N, C, *)`` over all processes of a group; this process is always alone in its own."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """``module`` with every batch norm in it exchanged for one of this class, with the same parameters."""
        converted = module
        if isinstance(module, _BatchNorm) and not isinstance(module, SyncBatchNorm):
            options = (module.eps, module.momentum, module.affine, module.track_running_stats, process_group)
            converted = SyncBatchNorm(module.num_features, *options)
            converted._parameters.update(module._parameters)
            converted._buffers.update(module._buffers)
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
