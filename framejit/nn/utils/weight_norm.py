"""Weights as a length times a direction, and weights divided by their largest singular value.

``weight_norm`` and ``spectral_norm`` are the old forms: hooks that compute the weight before each call. The new ones, as
parametrisations, are in ``parametrizations``.
"""

from __future__ import annotations

from typing import Any, TypeVar

import framejit as fj
from framejit import Tensor
from framejit.nn import functional as F
from framejit.nn.modules.conv import _ConvTransposeNd
from framejit.nn.modules.module import Module
from framejit.nn.parameter import Parameter

_M = TypeVar("_M", bound=Module)


def norm_except_dim(v: Tensor, dim: int | None) -> Tensor:
    """The 2-norms over all dims but ``dim`` (kept as dims of size 1); of everything where it is None or -1."""
    if dim is None or dim == -1:
        return v.norm()
    others = [i for i in range(v.dim()) if i != dim % v.dim()]
    return (v * v).sum(others, keepdim=True).sqrt()


class WeightNorm:
    """The hook of :func:`weight_norm`: Salimans, Kingma, *Weight normalization* (2016)."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, dim

    def compute_weight(self, module: Module) -> Tensor:
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return v * (g / norm_except_dim(v, self.dim))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: _M, name: str = "weight", dim: int | None = 0) -> _M:
    """Replaces the parameter ``name`` by ``name_g`` (its norms over all dims but ``dim``) and ``name_v``."""
    if _hook_of(module, WeightNorm, name) is not None:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    weight = getattr(module, name)
    hook = WeightNorm(name, dim)
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, dim).detach()))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: _M, name: str = "weight") -> _M:
    """Makes ``name`` a parameter again, with its current value."""
    key = _hook_of(module, WeightNorm, name)
    if key is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    weight = module._forward_pre_hooks[key].compute_weight(module).detach()  # type: ignore[attr-defined]
    delattr(module, name)
    del module._parameters[f"{name}_g"], module._parameters[f"{name}_v"], module._forward_pre_hooks[key]
    module.register_parameter(name, Parameter(weight))
    return module


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """``weight`` with ``dim`` first and all others flattened."""
    return (weight.movedim(dim, 0) if dim else weight).flatten(1)


def default_dim(module: Module) -> int:
    """The dim of the outputs in a weight: the second one in transposed convolutions."""
    return 1 if isinstance(module, _ConvTransposeNd) else 0


class SpectralNorm:
    """The hook of :func:`spectral_norm`: Miyato et al., *Spectral normalization* (2018)."""

    def __init__(self, name: str, n_power_iterations: int, eps: float, dim: int) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        weight = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with fj.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(matrix.mv(v), dim=0, eps=self.eps))
            u, v = u.clone(), v.clone()  # backward needs these, the next call changes the buffers
        return weight / u.dot(matrix.mv(v))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def spectral_norm(
    module: _M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> _M:
    """Replaces the parameter ``name`` by ``name_orig``; before each call ``name`` is that over its spectral norm."""
    if _hook_of(module, SpectralNorm, name) is not None:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    hook = SpectralNorm(name, n_power_iterations, eps, default_dim(module) if dim is None else dim)
    weight = module._parameters.pop(name)
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    rows, columns = as_matrix(weight.detach(), hook.dim).shape
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    for suffix, size in (("u", rows), ("v", columns)):
        start = F.normalize(weight.new_empty(size).detach().normal_(0, 1), dim=0, eps=eps)
        module.register_buffer(f"{name}_{suffix}", start)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: _M, name: str = "weight") -> _M:
    """Makes ``name`` a parameter again, with its current value."""
    key = _hook_of(module, SpectralNorm, name)
    if key is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    with fj.no_grad():
        weight = module._forward_pre_hooks[key].compute_weight(module, False)  # type: ignore[attr-defined]
    delattr(module, name)
    del module._parameters[f"{name}_orig"], module._buffers[f"{name}_u"], module._buffers[f"{name}_v"]
    del module._forward_pre_hooks[key]
    module.register_parameter(name, Parameter(weight.detach()))
    return module


def _hook_of(module: Module, kind: type[WeightNorm] | type[SpectralNorm], name: str) -> int | None:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            return key
    return None
