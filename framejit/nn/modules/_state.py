"""What ``Module`` offers to save and restore its state: ``state_dict``, ``load_state_dict`` and their hooks.

Both walk over the modules recursively and call ``_save_to_state_dict`` and ``_load_from_state_dict`` of each, which
subclasses may override.
"""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn.parameter import Parameter, is_lazy
from framejit.utils.hooks import RemovableHandle, add_hook

_EXTRA_STATE = "_extra_state"


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What ``load_state_dict`` returns: keys the module wanted, and keys it did not know."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()


class State:
    """State dictionaries of :class:`framejit.nn.Module`."""

    # Written to the metadata of state dicts; a subclass whose entries change raises it and converts old ones.
    _version: int = 1

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: dict[int, Callable]
    _state_dict_pre_hooks: dict[int, Callable]
    _load_state_dict_pre_hooks: dict[int, Callable]
    _load_state_dict_post_hooks: dict[int, Callable]

    # -- saving ------------------------------------------------------------------------------------------------------

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """All parameters and persistent buffers by dotted name, detached unless ``keep_vars``."""
        if args:  # the old positional form: destination, prefix, keep_vars
            destination, prefix, keep_vars = (*args, *(destination, prefix, keep_vars)[len(args) :])  # type: ignore[misc]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata: dict[str, Any] = dict(version=self._version)
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook(self, destination, prefix, metadata)
            if changed is not None:
                destination = changed
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._saved_entries():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + _EXTRA_STATE] = self.get_extra_state()

    def _saved_entries(self) -> Iterator[tuple[str, Tensor]]:
        """This module's own parameters and persistent buffers."""
        for name, tensor in itertools.chain(self._parameters.items(), self._buffers.items()):
            if tensor is not None and name not in self._non_persistent_buffers_set:
                yield name, tensor

    def get_extra_state(self) -> Any:
        """What a subclass wants to save besides tensors; goes to the state dict under ``_extra_state``."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state: Any) -> None:
        """Takes back what :meth:`get_extra_state` returned."""
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called.")

    # -- loading -----------------------------------------------------------------------------------------------------

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Copies ``state_dict`` into the module; with ``assign``, takes its tensors themselves.

        Raises:
            RuntimeError: a shape differs, or (``strict``) a key is missing or unexpected. All problems are listed; the
                module is as it was.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        problems: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        entries: Any = OrderedDict(state_dict)  # hooks may edit it
        if metadata is not None:
            entries._metadata = metadata
        copies: list[Callable[[], None]] = []  # made when all is well
        _load(self, entries, metadata, assign, strict, (missing, unexpected, problems), copies)
        if strict and unexpected:
            keys = ", ".join(f'"{key}"' for key in unexpected)
            problems.insert(0, f"Unexpected key(s) in state_dict: {keys}. ")
        if strict and missing:
            keys = ", ".join(f'"{key}"' for key in missing)
            problems.insert(0, f"Missing key(s) in state_dict: {keys}. ")
        if problems:
            text = "\n\t".join(problems)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}")
        for copy in copies:
            copy()
        return IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Takes this module's own entries out of ``state_dict`` and appends what is wrong to the lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        copies = local_metadata.get("copies")  # None: the caller is not load_state_dict
        for name, own in self._saved_entries():
            key = prefix + name
            if key in state_dict:
                copy = self._checked_copy(name, key, own, state_dict[key], assign, error_msgs)
                if copy is not None and copies is not None:
                    copies.append(copy)
                elif copy is not None:
                    copy()
            elif strict:
                missing_keys.append(key)
        extra_key = prefix + _EXTRA_STATE
        if type(self).set_extra_state is not State.set_extra_state:
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        if strict:
            own_names = {name for name, _ in self._saved_entries()}
            unexpected_keys += [key for key in state_dict if self._is_unexpected(key, prefix, own_names)]

    def _is_unexpected(self, key: str, prefix: str, own_names: set[str]) -> bool:
        """Whether a key that belongs here by its prefix is neither an entry nor in a submodule of this module."""
        if not key.startswith(prefix):
            return False
        name, *rest = key[len(prefix) :].split(".", 1)
        if name == _EXTRA_STATE:
            return type(self).set_extra_state is State.set_extra_state
        return name not in self._modules and (bool(rest) or name not in own_names)

    def _checked_copy(
        self, name: str, key: str, own: Tensor, given: Any, assign: bool, error_msgs: list[str]
    ) -> Callable[[], None] | None:
        """What copies ``given`` into the entry ``own``; None, with a message, when it does not fit."""
        if not isinstance(given, Tensor):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
            return None
        if own.dim() == 0 and given.shape == (1,):  # scalars used to be saved so
            given = given[0]
        if not is_lazy(own) and given.shape != own.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
                f"the shape in current model is {own.shape}."
            )
            return None
        return functools.partial(self._assign_entry if assign else self._copy_entry, name, own, given)

    def _copy_entry(self, name: str, own: Tensor, given: Tensor) -> None:
        if is_lazy(own):
            own.materialize(given.shape)  # type: ignore[attr-defined]
        with fj.no_grad():
            own.copy_(given)

    def _assign_entry(self, name: str, own: Tensor, given: Tensor) -> None:
        if isinstance(own, Parameter):
            if not isinstance(given, Parameter):
                given = Parameter(given, own.requires_grad)
            elif given.requires_grad != own.requires_grad:
                given.requires_grad_(own.requires_grad)
        setattr(self, name, given)

    # -- hooks -------------------------------------------------------------------------------------------------------

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(module, state_dict, prefix, local_metadata)`` runs after ``state_dict`` of this module."""
        return add_hook(self._state_dict_hooks, hook)

    _register_state_dict_hook = register_state_dict_post_hook

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(module, prefix, keep_vars)`` runs before ``state_dict`` of this module."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)`` runs first."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable, with_module: bool = False
    ) -> RemovableHandle:
        return add_hook(
            self._load_state_dict_pre_hooks, functools.partial(hook, self) if with_module else hook
        )

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(module, incompatible_keys)`` runs after loading; it may edit the two lists in place."""
        return add_hook(self._load_state_dict_post_hooks, hook)


def _load(
    module: Any,
    entries: dict[str, Any],
    metadata: Any,
    assign: bool,
    strict: bool,
    report: tuple[list[str], list[str], list[str]],
    copies: list[Callable[[], None]],
    prefix: str = "",
) -> None:
    """Prepares ``copies`` for ``module`` and all below it; ``report``: missing keys, unexpected keys, problems."""
    missing, unexpected, problems = report
    local_metadata = dict({} if metadata is None else metadata.get(prefix[:-1], {}), copies=copies)
    if assign:
        local_metadata["assign_to_params_buffers"] = True
    module._load_from_state_dict(entries, prefix, local_metadata, True, missing, unexpected, problems)
    for name, child in module._modules.items():
        if child is not None:
            start = f"{prefix}{name}."
            own = OrderedDict((key, value) for key, value in entries.items() if key.startswith(start))
            _load(child, own, metadata, assign, strict, report, copies, start)
    keys = IncompatibleKeys(missing, unexpected)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise RuntimeError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                "if incompatible_keys need to be modified, it should be done inplace."
            )
