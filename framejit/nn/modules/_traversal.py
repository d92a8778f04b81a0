"""What ``Module`` offers to walk over modules, parameters and buffers by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from framejit import Tensor
from framejit.nn.parameter import Parameter

if TYPE_CHECKING:
    from framejit.nn.modules.module import Module


class Traversal:
    """Iterators and lookups of :class:`framejit.nn.Module`."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    def children(self) -> Iterator[Module]:
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, each once unless ``remove_duplicate`` is off."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(cast("Module", self))
        yield prefix, cast("Module", self)
        lead = f"{prefix}." if prefix else ""
        for name, module in self._modules.items():
            if module is not None:
                for pair in module.named_modules(memo, lead + name, remove_duplicate):  # noqa: UP028  (traced)
                    yield pair

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        return self._named_tensors("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        return self._named_tensors("_buffers", prefix, recurse, remove_duplicate)

    def _named_tensors(
        self, kept_in: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        """Of the dict ``kept_in`` of each module. Calls nothing that would be compiled for each kind of module."""
        seen = set()
        modules: Any = [(prefix, self)]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for module_prefix, module in modules:
            for name, member in getattr(module, kept_in).items():
                if member is None or member in seen:
                    continue
                if remove_duplicate:
                    seen.add(member)  # tensors are hashed by identity
                yield f"{module_prefix}.{name}" if module_prefix else name, member

    def get_submodule(self, target: str) -> Module:
        """The module of a dotted name; ``""`` is this one.

        Raises:
            AttributeError: there is none of that name, or it is not a module.
        """
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Traversal):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return cast("Module", module)

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Puts ``module`` in the place of a dotted name; ``strict``: there must be one already."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if strict and not hasattr(owner, name):
            raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`")
        if hasattr(owner, name) and not isinstance(getattr(owner, name), Traversal):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(owner, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a dotted name."""
        owner, name = self._owner_of(target)
        if not isinstance(getattr(owner, name), Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return cast(Parameter, getattr(owner, name))

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name."""
        owner, name = self._owner_of(target)
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return cast(Tensor, owner._buffers[name])

    def _owner_of(self, target: str) -> tuple[Module, str]:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`")
        return owner, name
