"""Hooks around a module's call: forward, forward pre, full backward, full backward pre; per module and for all modules.

``Module.__call__`` comes here only when there is a hook, so that calls without any stay cheap and inlinable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.utils.hooks import RemovableHandle, add_hook

# Hooks of all modules: "forward_pre", "forward", "backward_pre", "backward" -> hooks by id. Empty unless somebody asks.
global_hooks: dict[int, tuple[str, Callable]] = {}


class Hooks:
    """Registration of hooks of :class:`framejit.nn.Module`, and the call that runs them."""

    _forward_hooks: dict[int, Callable]
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _forward_pre_hooks: dict[int, Callable]
    _forward_pre_hooks_with_kwargs: dict[int, bool]
    _backward_hooks: dict[int, Callable]
    _backward_pre_hooks: dict[int, Callable]
    forward: Any

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """``hook(module, args)`` runs before ``forward`` and may return new arguments.

        With ``with_kwargs`` it is ``hook(module, args, kwargs)`` and returns a pair.
        """
        marks = (self._forward_pre_hooks_with_kwargs,) if with_kwargs else ()
        return add_hook(self._forward_pre_hooks, hook, *marks, first=prepend)

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """``hook(module, args, output)`` runs after ``forward`` and may return a new output.

        Args:
            prepend: run before the hooks that are there.
            with_kwargs: ``hook(module, args, kwargs, output)``.
            always_call: run (with output None) also when ``forward`` or another hook raised.
        """
        marks = [self._forward_hooks_with_kwargs] if with_kwargs else []
        marks += [self._forward_hooks_always_called] if always_call else []
        return add_hook(self._forward_hooks, hook, *marks, first=prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(module, grad_output)`` runs before the gradients of the module are computed; a result replaces it."""
        return add_hook(self._backward_pre_hooks, hook, first=prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """``hook(module, grad_input, grad_output)`` runs when both are known; a result replaces ``grad_input``."""
        return add_hook(self._backward_hooks, hook, first=prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """The old name of :meth:`register_full_backward_hook`, and here the same."""
        return self.register_full_backward_hook(hook)

    def _call_with_hooks(self, args: tuple, kwargs: dict) -> Any:
        done: set[int] = set()
        try:
            return self._run_hooks(args, kwargs, done)
        except Exception:
            for id_ in self._forward_hooks_always_called:
                if id_ not in done and id_ in self._forward_hooks:
                    _call_forward_hook(self, id_, args, kwargs, None)
            raise

    def _run_hooks(self, args: tuple, kwargs: dict, done: set[int]) -> Any:
        """The call with all hooks; ``done`` collects the forward hooks that have run."""
        for kind, pre_hook in tuple(global_hooks.values()):
            if kind == "forward_pre":
                args = _as_arguments(pre_hook(self, args), args)
        for id_, pre_hook in tuple(self._forward_pre_hooks.items()):
            if id_ in self._forward_pre_hooks_with_kwargs:
                args, kwargs = _as_pair(pre_hook(self, args, kwargs), args, kwargs)
            else:
                args = _as_arguments(pre_hook(self, args), args)
        backward = _BackwardHooks.of(self)
        if backward is not None:
            args = backward.watch_inputs(args)
        result = self.forward(*args, **kwargs)
        for kind, hook in tuple(global_hooks.values()):
            if kind == "forward":
                changed = hook(self, args, result)
                result = result if changed is None else changed
        for id_ in tuple(self._forward_hooks):
            done.add(id_)
            result = _call_forward_hook(self, id_, args, kwargs, result)
        return result if backward is None else backward.watch_outputs(result)


def _call_forward_hook(module: Hooks, id_: int, args: tuple, kwargs: dict, result: Any) -> Any:
    hook = module._forward_hooks[id_]
    with_kwargs = id_ in module._forward_hooks_with_kwargs
    changed = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
    return result if changed is None else changed


def _as_arguments(changed: Any, args: tuple) -> tuple:
    if changed is None:
        return args
    return changed if isinstance(changed, tuple) else (changed,)


def _as_pair(changed: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    if changed is None:
        return args, kwargs
    if not isinstance(changed, tuple) or len(changed) != 2:
        raise RuntimeError(
            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
        )
    return changed


class _Boundary(fj.autograd.Function):
    """Identity on tensors that shows their gradients, all at once, to ``seen(grads)`` when they are known."""

    @staticmethod
    def forward(ctx: Any, seen: Callable[[tuple], tuple | None], *tensors: Tensor) -> Any:
        ctx.seen = seen
        ctx.mark_non_differentiable(*[tensor for tensor in tensors if not tensor.requires_grad])
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        changed = ctx.seen(grads)
        return (None, *(grads if changed is None else changed))


class _BackwardHooks:
    """The backward hooks of one call of a module: a boundary around its inputs and one around its outputs."""

    def __init__(self, module: Any, hooks: list[Callable], pre_hooks: list[Callable]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: tuple | None = None
        self.number_of_inputs = 0
        self.inputs_need_grad = False

    @classmethod
    def of(cls, module: Hooks) -> _BackwardHooks | None:
        hooks = [hook for kind, hook in global_hooks.values() if kind == "backward"]
        pre_hooks = [hook for kind, hook in global_hooks.values() if kind == "backward_pre"]
        hooks += module._backward_hooks.values()
        pre_hooks += module._backward_pre_hooks.values()
        return cls(module, hooks, pre_hooks) if hooks or pre_hooks else None

    def watch_inputs(self, args: tuple) -> tuple:
        self.number_of_inputs = len(args)
        self.inputs_need_grad = any(isinstance(a, Tensor) and a.requires_grad for a in args)
        if not self.inputs_need_grad or not fj.is_grad_enabled() or not self.hooks:
            self.inputs_need_grad = False
            return args
        return self._watch(args, self._inputs_known)

    def watch_outputs(self, result: Any) -> Any:
        outputs = result if isinstance(result, tuple) else (result,)
        if not fj.is_grad_enabled() or not any(isinstance(o, Tensor) and o.requires_grad for o in outputs):
            return result
        outputs = self._watch(outputs, self._outputs_known)
        return outputs if isinstance(result, tuple) else outputs[0]

    @staticmethod
    def _watch(values: tuple, known: Callable[[tuple, list[int], int], tuple | None]) -> tuple:
        """``values`` with its tensors behind a boundary; ``known(grads, positions of the tensors, len(values))``."""
        where = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
        passed = _Boundary.apply(lambda grads: known(grads, where, len(values)), *[values[i] for i in where])
        watched = list(values)
        for i, tensor in zip(where, passed):
            watched[i] = tensor
        return tuple(watched)

    def _outputs_known(self, grads: tuple, where: list[int], count: int) -> tuple | None:
        grad_outputs = _spread(grads, where, count)
        for hook in self.pre_hooks:
            changed = hook(self.module, grad_outputs)
            if changed is not None:
                grad_outputs = changed if isinstance(changed, tuple) else (changed,)
        self.grad_outputs = grad_outputs
        if not self.inputs_need_grad:
            for hook in self.hooks:
                if hook(self.module, (None,) * self.number_of_inputs, grad_outputs) is not None:
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or "
                        "None for all gradients."
                    )
        return tuple(grad_outputs[i] for i in where)

    def _inputs_known(self, grads: tuple, where: list[int], count: int) -> tuple | None:
        grad_inputs = _spread(grads, where, count)
        for hook in self.hooks:
            changed = hook(self.module, grad_inputs, self.grad_outputs)
            if changed is not None:
                grad_inputs = changed if isinstance(changed, tuple) else (changed,)
                if len(grad_inputs) != count:
                    raise RuntimeError(
                        f"Backward hook returned an invalid number of grad_input, got {len(grad_inputs)}, "
                        f"but expected {count}"
                    )
        return tuple(grad_inputs[i] for i in where)


def _spread(grads: tuple, where: list[int], count: int) -> tuple:
    spread: list[Any] = [None] * count
    for i, grad in zip(where, grads):
        spread[i] = grad
    return tuple(spread)


def _add_global(kind: str, hook: Callable) -> RemovableHandle:
    handle = RemovableHandle(global_hooks)
    global_hooks[handle.id] = (kind, hook)
    return handle


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """``hook(module, args)`` runs before ``forward`` of every module."""
    return _add_global("forward_pre", hook)


def register_module_forward_hook(hook: Callable) -> RemovableHandle:
    """``hook(module, args, output)`` runs after ``forward`` of every module."""
    return _add_global("forward", hook)


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """``hook(module, grad_output)`` runs before the gradients of every module are computed."""
    return _add_global("backward_pre", hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """``hook(module, grad_input, grad_output)`` runs after the gradients of every module are computed."""
    return _add_global("backward", hook)
