"""``Optimizer``: parameter groups, state, state dicts. A subclass defines ``_update(parameter, grad, state, group)``."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.compiler.api import leave_to_interpreter
from framejit.nn.utils.gradients import clear_gradients


def require(condition: bool, name: str, value: object, expected: str) -> None:
    """ValueError for a bad hyperparameter, in PyTorch's words."""
    if not condition:
        raise ValueError(f"Invalid {name}: {value} (expected {expected})")


class Optimizer:
    """Base class of optimisers.

    Args:
        params: parameters, ``(name, parameter)`` pairs, or dicts ``{"params": ..., option: value}``.
        defaults: option values for groups that do not set them.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got Tensor"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own. Nothing changes when an error is raised."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but sets are not ordered"
            )
        given = [given] if isinstance(given, Tensor) else list(given)
        parameters = [entry[1] if isinstance(entry, tuple) else entry for entry in given]
        known = {id(p) for group in self.param_groups for p in group["params"]}
        for parameter in parameters:
            if not isinstance(parameter, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type(parameter).__name__}"
                )
            if not parameter.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
            if id(parameter) in known:
                raise ValueError("some parameters appear in more than one parameter group")
            known.add(id(parameter))
        self.param_groups.append({**self.defaults, **param_group, "params": parameters})

    # Updates write into parameters that differ in kind one by one: the interpreter runs them, one break each.
    @leave_to_interpreter
    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            clear_gradients(group["params"], set_to_none)

    @leave_to_interpreter
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
        index = {id(p): i for i, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [{**group, "params": [index[id(p)] for p in group["params"]]} for group in self.param_groups]
        return {"state": {index[id(p)]: dict(s) for p, s in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores what ``state_dict`` gave.

        Raises:
            ValueError: the number of groups, or of parameters in one, differs.
        """
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
        state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        for i, entries in state_dict["state"].items():
            state[parameters[i]] = copy.deepcopy(entries)
        self.state = state
        self.param_groups = [
            {**copy.deepcopy({k: v for k, v in new.items() if k != "params"}), "params": own["params"]}
            for new, own in zip(groups, self.param_groups)
        ]

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])
