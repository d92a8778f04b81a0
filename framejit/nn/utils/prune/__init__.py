"""Pruning: zeros in parameters that stay zeros while the others are trained.

Tour: ``methods`` holds the classes (how to choose what is pruned); the functions here apply them to parameters of modules.
A pruned parameter ``weight`` becomes a parameter ``weight_orig``, a buffer ``weight_mask``, and an attribute ``weight``, their
product, which a hook renews before each call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import framejit as fj
from framejit import Tensor
from framejit.nn.modules.module import Module
from framejit.nn.utils.prune.methods import (
    Amount,
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
    hooks_of,
)

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

_M = TypeVar("_M", bound=Module)


def identity(module: _M, name: str) -> _M:
    """Gives a parameter a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: _M, name: str, amount: Amount) -> _M:
    """Prunes elements at random: so many, or this share of them."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: _M, name: str, amount: Amount, importance_scores: Tensor | None = None
) -> _M:
    """Prunes the elements of the smallest absolute values."""
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: _M, name: str, amount: Amount, dim: int) -> _M:
    """Prunes slices along ``dim`` at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: _M, name: str, amount: Amount, n: Any, dim: int, importance_scores: Tensor | None = None
) -> _M:
    """Prunes the slices along ``dim`` of the smallest ``n``-norms."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: _M, name: str, mask: Tensor) -> _M:
    """Prunes where ``mask`` is zero."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prunes several parameters as if they were one: what is chosen may lie in any of them.

    Args:
        parameters: pairs of a module and the name of its parameter.
        pruning_method: an unstructured one; ``kwargs`` are its options.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs = list(parameters)
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    flat_scores = fj.cat([scores.get(pair, getattr(*pair)).detach().reshape(-1) for pair in pairs])
    masks = [getattr(module, f"{name}_mask", fj.ones_like(getattr(module, name))) for module, name in pairs]
    # Earlier masks count: what is chosen is chosen among what they have left.
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of type '
            f"{method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    container = PruningContainer()
    container._tensor_name = "temp"
    container.add_pruning_method(method)
    final = container.compute_mask(flat_scores, fj.cat([mask.detach().reshape(-1) for mask in masks]))
    for (module, name), mask in zip(pairs, final.split([mask.numel() for mask in masks]), strict=True):
        custom_from_mask(module, name, mask.reshape(getattr(module, name).shape))


def remove(module: _M, name: str) -> _M:
    """Makes a pruned parameter an ordinary one, with zeros where it was pruned."""
    for key, hook in hooks_of(module):
        if hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Whether a parameter of the module, or of one inside it, is pruned."""
    return any(hooks_of(inner) for inner in module.modules())
