"""``Module``: the base class of everything with parameters.

Its parts: ``_traversal`` (walking over modules, parameters, buffers), ``_state`` (state dictionaries), ``_hooks``.
``__call__`` is written so that the compiler can inline it: without hooks it is one test and one call.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import framejit as fj
from framejit import Tensor
from framejit.nn._gradients import clear_gradients
from framejit.nn.modules._hooks import Hooks, global_hooks
from framejit.nn.modules._hooks import register_module_forward_hook as register_module_forward_hook
from framejit.nn.modules._hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from framejit.nn.modules._hooks import (
    register_module_full_backward_hook as register_module_full_backward_hook,
)
from framejit.nn.modules._hooks import (
    register_module_full_backward_pre_hook as register_module_full_backward_pre_hook,
)
from framejit.nn.modules._state import IncompatibleKeys as _IncompatibleKeys  # noqa: F401  (PyTorch's name)
from framejit.nn.modules._state import State
from framejit.nn.modules._traversal import Traversal
from framejit.nn.parameter import Buffer, Parameter, is_lazy

# The dictionaries an attribute name can live in, in the order in which they are searched.
_REGISTRIES = ("_parameters", "_buffers", "_modules")
# What may be assigned to a name that is in a registry, besides a parameter, a buffer or a module.
_ASSIGNABLE: tuple[tuple[str, Any, str, str], ...] = (
    ("_parameters", type(None), "parameter", "torch.nn.Parameter or None"),
    ("_modules", type(None), "child module", "torch.nn.Module or None"),
    ("_buffers", (Tensor, type(None)), "buffer", "torch.nn.Buffer, torch.Tensor or None"),
)


class Module(Traversal, State, Hooks):
    """Base class of neural-network modules, with PyTorch's protocol.

    Subclasses call ``super().__init__()`` first, assign parameters, buffers and submodules as attributes, and define
    ``forward``.
    """

    training: bool

    def __init__(self) -> None:
        put = super().__setattr__
        put("training", True)
        for name in (*_REGISTRIES, *_HOOK_TABLES):
            put(name, {})
        put("_non_persistent_buffers_set", set())

    # -- calling -----------------------------------------------------------------------------------------------------

    def _forward_unimplemented(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    forward: Callable[..., Any] = _forward_unimplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (
            self._forward_pre_hooks
            or self._forward_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or global_hooks
        ):
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

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
        if isinstance(value, Buffer) and name not in self.__dict__["_buffers"]:
            self.register_buffer(name, value, value.persistent)
        else:
            self.__dict__[registry][name] = value

    def _registry_for(self, name: str, value: Any) -> str | None:
        """The registry that an assignment goes to; ``None`` for a plain attribute."""
        if isinstance(value, (Parameter, Module, Buffer)):
            kind = (
                "parameters"
                if isinstance(value, Parameter)
                else "module"
                if isinstance(value, Module)
                else "buffer"
            )
            if "_parameters" not in self.__dict__:
                raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
            return {"parameters": "_parameters", "module": "_modules", "buffer": "_buffers"}[kind]
        for registry, allowed, what, described in _ASSIGNABLE:
            if name in self.__dict__.get(registry, ()):
                if not isinstance(value, allowed):
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
        """Takes the attributes of a pickle or copy; one made by an older version may lack tables of hooks."""
        self.__dict__.update(state)
        for name in _HOOK_TABLES:
            self.__dict__.setdefault(name, {})
        self.__dict__.setdefault("_non_persistent_buffers_set", set())

    def _replicate_for_data_parallel(self) -> Self:
        replica = self.__new__(type(self))
        replica.__dict__ = {**self.__dict__, **{name: copy.copy(self.__dict__[name]) for name in _REGISTRIES}}
        return replica

    # -- registration ------------------------------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        self._check_new_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        self._check_new_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._check_new_name("module", name, "_modules")
        self._modules[name] = module

    def register_module(self, name: str, module: Module | None) -> None:
        self.add_module(name, module)

    def _check_new_name(self, what: str, name: str, registry: str) -> None:
        if registry not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {_type_name(name)}")
        if hasattr(self, name) and name not in self.__dict__[registry]:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')

    # -- modes and conversions ---------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        clear_gradients(self.parameters(), set_to_none)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        for module in self.children() if recurse else ():
            module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is not None:
                parameter.data = fn(parameter.data)
                if parameter.grad is not None:
                    parameter.grad.data = fn(parameter.grad.data)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = buffer if is_lazy(buffer) else fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Moves or casts parameters and buffers in place; a dtype applies to the floating ones only."""
        kwargs.pop("memory_format", None)  # there is one layout
        probe = fj.empty(0).to(*args, **kwargs)
        casts = any(isinstance(a, (fj.dtype, Tensor)) for a in (*args, *kwargs.values()))
        if casts and not (probe.is_floating_point() or probe.is_complex()):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={probe.dtype}"
            )

        def convert(tensor: Tensor) -> Tensor:
            if casts and (tensor.is_floating_point() or tensor.is_complex()):
                return tensor.to(device=probe.device, dtype=probe.dtype)
            return tensor.to(device=probe.device)

        return self._apply(convert)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Moves to a device without copying the values."""
        return self._apply(lambda t: fj.empty_like(t, device=device), recurse)

    def type(self, dst_type: Any) -> Self:
        """Casts all parameters and buffers."""
        return self._apply(lambda t: t.type(dst_type))

    def _cast(self, dtype: Any) -> Self:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self) -> Self:
        return self._cast(fj.float32)

    def double(self) -> Self:
        return self._cast(fj.float64)

    def half(self) -> Self:
        return self._cast(fj.float16)

    def bfloat16(self) -> Self:
        return self._cast(fj.bfloat16)

    def cpu(self) -> Self:
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Moves to a CUDA device, where there is one."""
        return self.to("cuda" if device is None else device)

    def share_memory(self) -> Self:
        """Moves parameters and buffers to memory that other processes can map."""
        return self._apply(lambda t: t.share_memory_())

    def compile(self, **options: Any) -> None:
        """Compiles ``forward`` of this module in place; options are those of :func:`framejit.compile`."""
        self.forward = fj.compile(self.forward, **options)

    # -- text --------------------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What ``repr`` shows of a subclass besides its children."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        lines = self.extra_repr().split("\n") if self.extra_repr() else []
        children = [f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()]
        if not children and len(lines) <= 1:
            return f"{self._get_name()}({''.join(lines)})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"


_HOOK_TABLES = (
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _addindent(text: str, spaces: int) -> str:
    """Indents all lines but the first."""
    return text.replace("\n", "\n" + " " * spaces)


def _type_name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
