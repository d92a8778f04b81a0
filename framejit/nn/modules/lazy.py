"""Modules that find out their input size at the first call, then become the module of that size."""

# mypy: disable-error-code="misc"
from __future__ import annotations

from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn.modules import batchnorm, conv, instancenorm, linear
from framejit.nn.modules.module import Module
from framejit.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy


class LazyModuleMixin(Module):
    """Base of lazy modules. A subclass makes uninitialised parameters and defines ``initialize_parameters(input)``."""

    cls_to_become: type[Module] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._prepare_hooks()

    def _prepare_hooks(self) -> None:
        self._initialize_hook = self.register_forward_pre_hook(_infer, with_kwargs=True)

    def has_uninitialized_params(self) -> bool:
        return any(is_lazy(tensor) for tensor in (*self._parameters.values(), *self._buffers.values()))

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Gives the parameters the shapes that fit the first call's arguments."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def __setstate__(self, state: dict) -> None:
        """The hook is not part of a pickle's identity: a copy gets its own."""
        super().__setstate__(state)
        if "_initialize_hook" in self.__dict__:
            self._forward_pre_hooks.clear()
            self._forward_pre_hooks_with_kwargs.clear()
            self._prepare_hooks()

    def __getstate__(self) -> dict:
        return dict(self.__dict__)


def _infer(module: Any, args: tuple, kwargs: dict) -> None:
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
    module._initialize_hook.remove()
    del module._initialize_hook
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become


class LazyLinear(LazyModuleMixin, linear.Linear):
    """:class:`Linear` that takes ``in_features`` from its first input."""

    cls_to_become = linear.Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False, device, dtype)
        self.out_features = out_features
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_features:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        if not self.has_uninitialized_params():
            return
        self.in_features = input.shape[-1]
        self.weight.materialize((self.out_features, self.in_features))  # type: ignore[attr-defined]
        if self.bias is not None:
            self.bias.materialize((self.out_features,))  # type: ignore[attr-defined]
        self.reset_parameters()


class _LazyConvNd(LazyModuleMixin):
    """A convolution that takes ``in_channels`` from its first input."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        *args: Any,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        kwargs |= dict(bias=False, device=device, dtype=dtype)
        super().__init__(0, 0, kernel_size, stride, padding, *args, **kwargs)
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_channels:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        if not self.has_uninitialized_params():
            return
        dims = len(self.kernel_size)
        if input.dim() not in (dims + 1, dims + 2):
            raise RuntimeError(
                f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {self._get_name()}, but got "
                f"input of size: {input.shape}"
            )
        self.in_channels = input.shape[-dims - 1]
        conv._check_channels(self.in_channels, self.out_channels, self.groups)
        channels = (self.in_channels, self.out_channels // self.groups)
        if not self.transposed:
            channels = (self.out_channels, self.in_channels // self.groups)
        self.weight.materialize((*channels, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class LazyConv1d(_LazyConvNd, conv.Conv1d):
    """:class:`Conv1d` that takes ``in_channels`` from its first input."""

    cls_to_become = conv.Conv1d


class LazyConv2d(_LazyConvNd, conv.Conv2d):
    """:class:`Conv2d` that takes ``in_channels`` from its first input."""

    cls_to_become = conv.Conv2d


class LazyConv3d(_LazyConvNd, conv.Conv3d):
    """:class:`Conv3d` that takes ``in_channels`` from its first input."""

    cls_to_become = conv.Conv3d


class LazyConvTranspose1d(_LazyConvNd, conv.ConvTranspose1d):
    """:class:`ConvTranspose1d` that takes ``in_channels`` from its first input."""

    cls_to_become = conv.ConvTranspose1d


class LazyConvTranspose2d(_LazyConvNd, conv.ConvTranspose2d):
    """:class:`ConvTranspose2d` that takes ``in_channels`` from its first input."""

    cls_to_become = conv.ConvTranspose2d


class LazyConvTranspose3d(_LazyConvNd, conv.ConvTranspose3d):
    """:class:`ConvTranspose3d` that takes ``in_channels`` from its first input."""

    cls_to_become = conv.ConvTranspose3d


class _LazyNormBase(LazyModuleMixin):
    """A normalisation that takes ``num_features`` from its first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
        if affine and bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = fj.tensor(0, dtype=fj.int64, device=device)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.num_features:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        if not self.has_uninitialized_params():
            return
        self._check_input_dim(input)
        self.num_features = input.shape[1]
        for tensor in (*self._parameters.values(), *self._buffers.values()):
            if is_lazy(tensor):
                tensor.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, batchnorm.BatchNorm1d):
    """:class:`BatchNorm1d` that takes ``num_features`` from its first input."""

    cls_to_become = batchnorm.BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, batchnorm.BatchNorm2d):
    """:class:`BatchNorm2d` that takes ``num_features`` from its first input."""

    cls_to_become = batchnorm.BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, batchnorm.BatchNorm3d):
    """:class:`BatchNorm3d` that takes ``num_features`` from its first input."""

    cls_to_become = batchnorm.BatchNorm3d


class LazyInstanceNorm1d(_LazyNormBase, instancenorm.InstanceNorm1d):
    """:class:`InstanceNorm1d` that takes ``num_features`` from its first input."""

    cls_to_become = instancenorm.InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, instancenorm.InstanceNorm2d):
    """:class:`InstanceNorm2d` that takes ``num_features`` from its first input."""

    cls_to_become = instancenorm.InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, instancenorm.InstanceNorm3d):
    """:class:`InstanceNorm3d` that takes ``num_features`` from its first input."""

    cls_to_become = instancenorm.InstanceNorm3d
