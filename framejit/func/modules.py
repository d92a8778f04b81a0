"""Modules for the functions of this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit.nn.modules.module import Module


def _stacked(name: str, tensors: Sequence[Tensor]) -> Tensor:
    requiring = {tensor.requires_grad for tensor in tensors}
    if len(requiring) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    stacked = _C.ops.stack(list(tensors))
    return stacked.detach().requires_grad_() if requiring == {True} else stacked


def stack_module_state(models: Sequence[Module] | Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of models of one class by name, each stacked along a new first dimension: for a
    ``vmap`` over an ensemble."""
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return (
        {name: _stacked(name, [each[name] for each in parameters]) for name in parameters[0]},
        {name: _stacked(name, [each[name] for each in buffers]) for name in buffers[0]},
    )


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Makes all batch norms of ``root`` use the statistics of the batch, always; returns ``root``."""
    for module in root.modules():
        if hasattr(module, "running_mean") and hasattr(module, "track_running_stats"):
            module.running_mean = None
            module.running_var = None
            module.num_batches_tracked = None
            module.track_running_stats = False
    return root
