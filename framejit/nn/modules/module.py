"""``Module``: the base class of everything with parameters.

``__call__`` is written so that the compiler can inline it: without hooks it is one test and one call.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.nn.parameter import Parameter
from framejit.nn.utils.gradients import clear_gradients

_IncompatibleKeys = namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])
_hook_ids = itertools.count()
# The dictionaries an attribute name can live in, in the order in which they are searched.
_REGISTRIES = ("_parameters", "_buffers", "_modules")


class RemovableHandle:
    """Removes a hook again: ``handle.remove()``, or on leaving ``with handle:``."""

    def __init__(self, hooks: dict[int, Callable]) -> None:
        self._hooks = hooks
        self.id = next(_hook_ids)

    def remove(self) -> None:
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()


class Module:
    """Base class of neural-network modules, with PyTorch's protocol.

    Subclasses call ``super().__init__()`` first, assign parameters, buffers and submodules as attributes, and define
    ``forward``.
    """

    training: bool

    def __init__(self) -> None:
        put = super().__setattr__
        put("training", True)
        put("_parameters", {})
        put("_buffers", {})
        put("_non_persistent_buffers_set", set())
        put("_modules", {})
        put("_forward_pre_hooks", {})
        put("_forward_hooks", {})

    # -- calling -----------------------------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self._forward_pre_hooks and not self._forward_hooks:
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _call_with_hooks(self, args: tuple, kwargs: dict) -> Any:
        for hook, with_kwargs in tuple(self._forward_pre_hooks.values()):
            changed = hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if changed is not None:
                if with_kwargs:
                    args, kwargs = changed
                else:
                    args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        for hook, with_kwargs in tuple(self._forward_hooks.values()):
            changed = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            if changed is not None:
                result = changed
        return result

    def register_forward_pre_hook(self, hook: Callable, *, with_kwargs: bool = False) -> RemovableHandle:
        """``hook(module, args)`` runs before ``forward`` and may return new arguments."""
        return self._register(self._forward_pre_hooks, hook, with_kwargs)

    def register_forward_hook(self, hook: Callable, *, with_kwargs: bool = False) -> RemovableHandle:
        """``hook(module, args, output)`` runs after ``forward`` and may return a new output."""
        return self._register(self._forward_hooks, hook, with_kwargs)

    @staticmethod
    def _register(hooks: dict, hook: Callable, with_kwargs: bool) -> RemovableHandle:
        if not callable(hook):
            raise TypeError(f"register hook: got {type(hook).__name__}, expected a callable")
        handle = RemovableHandle(hooks)
        hooks[handle.id] = (hook, with_kwargs)
        return handle

    # -- attributes --------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        for registry in _REGISTRIES:
            entries = self.__dict__.get(registry)
            if entries is not None and name in entries:
                return entries[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        registry = self._registry_for(name, value)
        if registry is None:
            super().__setattr__(name, value)
            return
        self.__dict__.pop(name, None)
        for other in _REGISTRIES:
            if other != registry:
                self.__dict__[other].pop(name, None)
        self.__dict__[registry][name] = value

    def _registry_for(self, name: str, value: Any) -> str | None:
        """The registry that an assignment goes to; ``None`` for a plain attribute."""
        if isinstance(value, (Parameter, Module)):
            if "_parameters" not in self.__dict__:
                kind = "parameters" if isinstance(value, Parameter) else "module"
                raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
            return "_parameters" if isinstance(value, Parameter) else "_modules"
        for registry, allowed, described in (
            ("_parameters", type(None), "nn.Parameter or None"),
            ("_modules", type(None), "nn.Module or None"),
            ("_buffers", (Tensor, type(None)), "Tensor or None"),
        ):
            if name in self.__dict__.get(registry, ()):
                if not isinstance(value, allowed):
                    what = {"_parameters": "parameter", "_modules": "child module", "_buffers": "buffer"}[
                        registry
                    ]
                    raise TypeError(
                        f"cannot assign '{_type_name(value)}' as {what} '{name}' ({described} expected)"
                    )
                return registry
        return None

    def __delattr__(self, name: str) -> None:
        for registry in _REGISTRIES:
            if name in self.__dict__[registry]:
                del self.__dict__[registry][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)

    # -- registration ------------------------------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        self._check_new_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' (fj.nn.Parameter or None required)"
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        self._check_new_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' (fj.Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        self._check_new_name("module", name, "_modules")
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._modules[name] = module

    register_module = add_module

    def _check_new_name(self, what: str, name: str, registry: str) -> None:
        if registry not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {_type_name(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[registry]:
            raise KeyError(f"attribute '{name}' already exists")

    # -- traversal ---------------------------------------------------------------------------------------------------

    def children(self) -> Iterator[Module]:
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self) -> Iterator[Module]:
        for _, module in self.named_modules():
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _join(prefix, name), remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        yield from self._named_entries("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        yield from self._named_entries("_buffers", prefix, recurse, remove_duplicate)

    def _named_entries(
        self, registry: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple]:
        seen = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for module_prefix, module in modules:
            for name, entry in module.__dict__[registry].items():
                if entry is None or id(entry) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(entry))
                yield _join(module_prefix, name), entry

    def get_submodule(self, target: str) -> Module:
        module: Module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if name not in owner._parameters:
            raise AttributeError(f"{type(owner).__name__} has no parameter `{name}`")
        return owner._parameters[name]

    def get_buffer(self, target: str) -> Tensor:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if name not in owner._buffers:
            raise AttributeError(f"{type(owner).__name__} has no buffer `{name}`")
        return owner._buffers[name]

    # -- state -------------------------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Module:
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean, got {_type_name(mode)}")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Module:
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        clear_gradients(self.parameters(), set_to_none)

    def apply(self, fn: Callable[[Module], Any]) -> Module:
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Module:
        for module in self.children():
            module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is not None:
                parameter.data = fn(parameter.data)
                if parameter.grad is not None:
                    parameter.grad.data = fn(parameter.grad.data)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Module:
        """Moves or casts parameters and buffers in place; a dtype applies to the floating ones only."""
        probe = fj.empty(0).to(*args, **kwargs)
        casts = any(isinstance(a, (fj.dtype, Tensor)) for a in (*args, *kwargs.values()))
        if casts and not probe.dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={probe.dtype}"
            )

        def convert(tensor: Tensor) -> Tensor:
            if casts and tensor.is_floating_point():
                return tensor.to(device=probe.device, dtype=probe.dtype)
            return tensor.to(device=probe.device)

        return self._apply(convert)

    def _cast(self, dtype: Any) -> Module:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self) -> Module:
        return self._cast(fj.float32)

    def double(self) -> Module:
        return self._cast(fj.float64)

    def cpu(self) -> Module:
        return self._apply(lambda t: t.cpu())

    def state_dict(
        self, *, destination: dict | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict:
        """All parameters and persistent buffers by dotted name, detached unless ``keep_vars``."""
        destination = OrderedDict() if destination is None else destination
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter if keep_vars else parameter.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return destination

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Copies ``state_dict`` into the module. Nothing is changed when an error is raised.

        Raises:
            RuntimeError: a shape differs, or (``strict``) a key is missing or unexpected. All problems are listed.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        own = self.state_dict(keep_vars=True)
        missing = [key for key in own if key not in state_dict]
        unexpected = [key for key in state_dict if key not in own]
        problems = self._load_problems(
            own, state_dict, missing if strict else [], unexpected if strict else []
        )
        if problems:
            text = "\n\t".join(problems)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}")
        with fj.no_grad():
            for key, target in own.items():
                if key not in state_dict:
                    continue
                if assign:
                    self._assign_entry(key, state_dict[key])
                else:
                    target.copy_(state_dict[key])
        return _IncompatibleKeys(missing, unexpected)

    @staticmethod
    def _load_problems(own: dict, given: Mapping, missing: list[str], unexpected: list[str]) -> list[str]:
        problems = []
        if unexpected:
            problems.append(
                "Unexpected key(s) in state_dict: " + ", ".join(f'"{key}"' for key in unexpected) + ". "
            )
        if missing:
            problems.append(
                "Missing key(s) in state_dict: " + ", ".join(f'"{key}"' for key in missing) + ". "
            )
        for key, target in own.items():
            value = given.get(key)
            if value is None:
                continue
            if not isinstance(value, Tensor):
                problems.append(
                    f'While copying the parameter named "{key}", expected fj.Tensor or Tensor-like object from '
                    f"checkpoint but received {type(value)}"
                )
            elif value.shape != target.shape:
                problems.append(
                    f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                    f"the shape in current model is {target.shape}."
                )
        return problems

    def _assign_entry(self, key: str, value: Tensor) -> None:
        path, _, name = key.rpartition(".")
        owner = self.get_submodule(path)
        if name in owner._parameters:
            old = owner._parameters[name]
            owner._parameters[name] = (
                value if isinstance(value, Parameter) else Parameter(value, old.requires_grad)
            )
        else:
            owner._buffers[name] = value

    # -- text --------------------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        lines = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): {_indent(repr(module))}" for name, module in self._modules.items()]
        if not children and len(lines) <= 1:
            return f"{self._get_name()}({''.join(lines)})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _indent(text: str) -> str:
    return text.replace("\n", "\n  ")


def _type_name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
