"""Parametrisations: a parameter or buffer computed from others, each time it is read.

``register_parametrization(module, "weight", Symmetric())`` keeps the tensor that is trained in
``module.parametrizations.weight.original`` and makes ``module.weight`` what ``Symmetric`` returns for it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn.modules.container import ModuleDict, ModuleList
from framejit.nn.modules.module import Module
from framejit.nn.parameter import Parameter

_caching = 0  # how many `cached` blocks we are in
_cache: dict[tuple[int, str], Tensor] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Within it, every parametrised tensor is computed once."""
    global _caching
    _caching += 1
    try:
        yield
    finally:
        _caching -= 1
        if not _caching:
            _cache.clear()


class ParametrizationList(ModuleList):
    """The parametrisations of one tensor, applied in order, and the tensor(s) they start from.

    ``original`` is that tensor; where the last ``right_inverse`` returns several, they are ``original0``, ``original1``...
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        start: Any = original
        with fj.no_grad():
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):  # not for all values: the map starts at this one
                        start = module.right_inverse(start)
        self.is_tensor = isinstance(start, Tensor)
        self.ntensors = 1 if self.is_tensor else len(start)
        if self.is_tensor:
            if isinstance(original, Parameter):
                kept = original  # the very object, which an optimiser may hold
                if start is not original:
                    kept.data = start.detach()
                self.original = kept
            else:
                self.register_buffer("original", start)
        else:
            for i, tensor in enumerate(start):
                if isinstance(original, Parameter):
                    setattr(self, f"original{i}", Parameter(tensor, original.requires_grad))
                else:
                    self.register_buffer(f"original{i}", tensor)
        if not unsafe:
            self._check(original)

    def _check(self, original: Tensor) -> None:
        value = self()
        if not isinstance(value, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
        if value.dtype != original.dtype or value.shape != original.shape:
            raise ValueError(
                "Registering a parametrization may not change the dtype or shape of the tensor, unless the `unsafe` flag "
                f"is enabled. original: {original.dtype} {tuple(original.shape)}, parametrized: {value.dtype} "
                f"{tuple(value.shape)}"
            )

    def right_inverse(self, value: Tensor) -> None:
        """Assigns to the originals what the parametrisations turn into ``value``."""
        with fj.no_grad():
            start: Any = value
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                start = module.right_inverse(start)
            for kept, new in zip(self._originals(), (start,) if self.is_tensor else start):
                kept.data = new.detach().to(kept.dtype)

    def _originals(self) -> list[Tensor]:
        names = ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]
        return [getattr(self, name) for name in names]

    def forward(self) -> Tensor:
        first, *others = self
        value = first(*self._originals())
        for module in others:
            value = module(value)
        return value


def _property(tensor_name: str) -> property:
    def read(self: Module) -> Tensor:
        parametrization = self.parametrizations[tensor_name]
        if not _caching:
            return parametrization()
        key = (id(self), tensor_name)
        if key not in _cache:
            _cache[key] = parametrization()
        return _cache[key]

    def write(self: Module, value: Tensor) -> None:
        self.parametrizations[tensor_name].right_inverse(value)

    return property(read, write)


def _make_parametrized(module: Module) -> None:
    """Gives the module a class of its own, to which properties can be added."""
    base = type(module)

    def deepcopy(self: Module, memo: dict[int, Any]) -> Module:
        # A class of its own too: removing a parametrisation from one must not change the other.
        own = {key: value for key, value in vars(type(self)).items() if key != "__doc__"}
        twin: Module = self.__new__(type(type(self).__name__, (base,), own))
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    def getstate(self: Module) -> dict[str, Any]:
        raise RuntimeError("Serialization of parametrized modules is only supported through state_dict().")

    members = {"__getstate__": getstate, "__deepcopy__": deepcopy, "__module__": base.__module__}
    module.__class__ = type(f"Parametrized{base.__name__}", (base,), members)
    module.parametrizations = ModuleDict()


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Makes ``module.tensor_name`` the result of ``parametrization``; several are applied one after the other.

    Args:
        unsafe: allow the result to have another shape or dtype.

    Raises:
        ValueError: the module has no such parameter or buffer, or the result does not fit.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        parametrizations = module.parametrizations[tensor_name]
        if not unsafe:
            current = getattr(module, tensor_name)
            changed = parametrization(current)
            if (
                not isinstance(changed, Tensor)
                or changed.shape != current.shape
                or changed.dtype != current.dtype
            ):
                raise ValueError(
                    "Registering a parametrization may not change the dtype or shape of the tensor, unless the `unsafe` "
                    "flag is enabled."
                )
        with fj.no_grad():
            if hasattr(parametrization, "right_inverse"):
                parametrizations.right_inverse(parametrization.right_inverse(getattr(module, tensor_name)))
        parametrizations.append(parametrization)
    elif tensor_name in module._parameters or tensor_name in module._buffers:
        original = getattr(module, tensor_name)
        parametrizations = ParametrizationList([parametrization], original, unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _make_parametrized(module)
        setattr(type(module), tensor_name, _property(tensor_name))
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether the module, or this tensor of it, is parametrised."""
    parametrizations = module.__dict__.get("_modules", {}).get("parametrizations")
    if not isinstance(parametrizations, ModuleDict):
        return False
    return bool(parametrizations) if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes ``tensor_name`` plain again: with its current value, or (not ``leave_parametrized``) the original one."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with fj.no_grad():
                original.data = getattr(module, tensor_name).detach().clone()
    elif leave_parametrized:
        value = getattr(module, tensor_name).detach().clone()
        trained = isinstance(parametrizations.original0, Parameter)
        original = Parameter(value, parametrizations.original0.requires_grad) if trained else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class the module had before it was parametrised."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
