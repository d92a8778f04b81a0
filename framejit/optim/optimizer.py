"""``Optimizer``: parameter groups, state, state dicts, hooks. A subclass defines ``_update(parameter, grad, state, group)``."""

from __future__ import annotations

import copy
import functools
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.compiler.api import leave_to_interpreter
from framejit.nn._gradients import clear_gradients
from framejit.utils.hooks import RemovableHandle, add_hook


class _RequiredParameter:
    """The default of an option that every group must set."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()

# Hooks of all optimisers.
_global_pre_hooks: dict[int, Callable] = {}
_global_post_hooks: dict[int, Callable] = {}


def require(condition: bool, name: str, value: object) -> None:
    """ValueError for a bad hyperparameter, in PyTorch's words."""
    if not condition:
        raise ValueError(f"Invalid {name}: {value}")


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """``step`` between the hooks that are registered for it."""

    @functools.wraps(step)
    def run(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        for hook in (*_global_pre_hooks.values(), *self._optimizer_step_pre_hooks.values()):
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        f"{type(self).__name__}.step must return None or a tuple of (new_args, new_kwargs), but got "
                        f"{changed}."
                    )
                args, kwargs = changed
        self._opt_called = True
        result = step(self, *args, **kwargs)
        for hook in (*self._optimizer_step_post_hooks.values(), *_global_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    # Updates write into parameters that differ in kind one by one: the interpreter runs them, one break each.
    return leave_to_interpreter(run)


class Optimizer:
    """Base class of optimisers.

    Args:
        params: parameters, ``(name, parameter)`` pairs, or dicts ``{"params": ..., option: value}``.
        defaults: option values for groups that do not set them.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{type(params).__name__}"
            )
        self.defaults = defaults
        self._make_hook_tables()
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.__dict__["step"])  # type: ignore[method-assign]

    def _make_hook_tables(self) -> None:
        self._opt_called = False  # whether step() ever ran: schedulers warn when they step first
        self._optimizer_step_pre_hooks: dict[int, Callable] = {}
        self._optimizer_step_post_hooks: dict[int, Callable] = {}
        self._optimizer_state_dict_pre_hooks: dict[int, Callable] = {}
        self._optimizer_state_dict_post_hooks: dict[int, Callable] = {}
        self._optimizer_load_state_dict_pre_hooks: dict[int, Callable] = {}
        self._optimizer_load_state_dict_post_hooks: dict[int, Callable] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            self._make_hook_tables()
        for group in self.param_groups:  # options that the state's writer did not have yet
            for name, value in self.defaults.items():
                group.setdefault(name, value)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own. Nothing changes when an error is raised."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        entries = [given] if isinstance(given, Tensor) else list(given)
        parameters = [entry[1] if isinstance(entry, tuple) else entry for entry in entries]
        names = [entry[0] for entry in entries if isinstance(entry, tuple)]
        if names and len(names) != len(entries):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        _check_parameters(parameters, {id(p) for group in self.param_groups for p in group["params"]})
        group = {**param_group, "params": parameters}
        if names:
            group["param_names"] = names
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            group.setdefault(name, default)
        self.param_groups.append(group)

    @leave_to_interpreter
    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            clear_gradients(group["params"], set_to_none)

    @_with_hooks
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of every parameter that has a gradient. ``closure`` recomputes the loss; its value is returned."""
        loss = None
        if closure is not None:
            with fj.enable_grad():
                loss = closure()
        with fj.no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        gradient = -parameter.grad if group.get("maximize") else parameter.grad
                        self._update(parameter, gradient, self.state[parameter], group)
        return loss

    def _update(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        raise NotImplementedError(f"{type(self).__name__} defines no _update")

    # -- state dicts -------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """``{"state": {index: ...}, "param_groups": [...]}`` with parameters replaced by their index."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        index = {id(p): i for i, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [{**group, "params": [index[id(p)] for p in group["params"]]} for group in self.param_groups]
        for group in groups:  # PyTorch's order: the options, then the parameters
            group["params"] = group.pop("params")
        state = {index[id(k)] if isinstance(k, Tensor) else k: s for k, s in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            result = result if changed is None else changed
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores what ``state_dict`` gave; tensors are copied, and take the dtype of their parameter.

        Raises:
            ValueError: the number of groups, or of parameters in one, differs.
        """
        state_dict = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(new["params"]) != len(own["params"]) for new, own in zip(groups, self.param_groups)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        parameters = {
            i: p for new, own in zip(groups, self.param_groups) for i, p in zip(new["params"], own["params"])
        }
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, entries in state_dict["state"].items():
            if key in parameters:
                state[parameters[key]] = _fitted(entries, parameters[key])
            else:
                state[key] = copy.deepcopy(entries)
        merged = [
            {**copy.deepcopy({k: v for k, v in new.items() if k != "params"}), "params": own["params"]}
            for new, own in zip(groups, self.param_groups)
        ]
        self.__setstate__({"state": state, "param_groups": merged})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    # -- hooks -------------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(optimizer, args, kwargs)`` runs before ``step`` and may return new arguments."""
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(optimizer, args, kwargs)`` runs after ``step``."""
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer)`` runs before ``state_dict``."""
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, first=prepend)

    def register_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer, state_dict)`` runs after ``state_dict`` and may return another one."""
        return add_hook(self._optimizer_state_dict_post_hooks, hook, first=prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer, state_dict)`` runs before loading and may return another state dict."""
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, first=prepend)

    def register_load_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer)`` runs after loading."""
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, first=prepend)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def _check_parameters(parameters: list[Any], known: set[int]) -> None:
    fresh: set[int] = set()
    for parameter in parameters:
        if not isinstance(parameter, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is {type(parameter).__name__}"
            )
        if not parameter.is_leaf and not parameter.retains_grad:
            raise ValueError("can't optimize a non-leaf Tensor")
        if id(parameter) in known:
            raise ValueError("some parameters appear in more than one parameter group")
        if id(parameter) in fresh:
            warnings.warn("optimizer contains a parameter group with duplicate parameters", stacklevel=4)
        fresh.add(id(parameter))


def _fitted(entries: Any, parameter: Tensor) -> Any:
    """A copy of a parameter's state in the parameter's dtype and on its device; the step counter keeps its own."""
    if not isinstance(entries, dict):
        return copy.deepcopy(entries)
    fitted = {}
    for name, value in entries.items():
        if isinstance(value, Tensor) and name != "step" and parameter.is_floating_point():
            fitted[name] = value.detach().to(dtype=parameter.dtype, device=parameter.device, copy=True)
        else:
            fitted[name] = copy.deepcopy(value)
    return fitted


def counted(state: dict[str, Any]) -> float:
    """Adds 1 to ``state["step"]``, which is a tensor as in PyTorch's state dicts, and returns it as a number."""
    step = state["step"]
    if not isinstance(step, Tensor):  # a state written by old code
        state["step"] = step = fj.tensor(float(step))
    step += 1
    return float(step)


def new_step() -> Tensor:
    """The counter of a parameter that was never updated."""
    return fj.tensor(0.0, dtype=fj.float32)


def decayed(grad: Tensor, parameter: Tensor, weight_decay: float) -> Tensor:
    """The gradient of the loss plus ``weight_decay / 2 * ||parameter||²``."""
    return grad.add(parameter, alpha=weight_decay) if weight_decay != 0 else grad


def register_optimizer_step_pre_hook(hook: Callable) -> RemovableHandle:
    """``hook(optimizer, args, kwargs)`` runs before every optimiser's ``step``."""
    return add_hook(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable) -> RemovableHandle:
    """``hook(optimizer, args, kwargs)`` runs after every optimiser's ``step``."""
    return add_hook(_global_post_hooks, hook)
