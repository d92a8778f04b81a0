"""The backward nodes of ops of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit.autograd.function import FunctionCtx
from framejit.autograd.grad_mode import no_grad
from framejit.compiler.api import leave_to_interpreter

Link = Callable[[tuple[Any, ...], dict[str, Any], Any], None]


class _OpCtx(FunctionCtx):
    """``needs_input_grad`` is as nested as the arguments are."""

    needs_input_grad: tuple[Any, ...] = ()


def _flat(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Lists of tensors are replaced by their entries."""
    return tuple(entry for value in values for entry in (value if _is_tensor_list(value) else (value,)))


def _is_tensor_list(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(entry, Tensor) for entry in value)


def _needs_grad(value: Any) -> Any:
    if _is_tensor_list(value):
        return [isinstance(entry, Tensor) and entry.requires_grad for entry in value]
    return isinstance(value, Tensor) and value.requires_grad


def _flat_gradients(name: str, gradients: Any, lengths: tuple[int | None, ...]) -> tuple[Any, ...]:
    """One gradient per tensor, from one entry per argument. ``lengths``: those of the lists among the arguments."""
    given = tuple(gradients) if isinstance(gradients, (tuple, list)) else (gradients,)
    if len(given) != len(lengths):
        raise RuntimeError(
            f"The backward function of {name} returned {len(given)} gradients, expected {len(lengths)}: one for each argument, "
            "None where there is none."
        )
    flat: list[Any] = []
    for gradient, length in zip(given, lengths, strict=True):
        if length is None:
            flat.append(None if isinstance(gradient, list) else gradient)  # an empty list has no gradient
        elif gradient is None:
            flat += [None] * length
        elif isinstance(gradient, (tuple, list)) and len(gradient) == length:
            flat += gradient
        else:
            raise RuntimeError(
                f"The backward function of {name} returned {type(gradient).__name__} for an argument that is a list of "
                f"{length} tensors, expected a list of {length} gradients."
            )
    return tuple(flat)


def formula_link(
    name: str,
    backward: Callable[..., Any],
    setup_context: Callable[..., Any] | None,
    returns_list: bool,
    has_keywords: bool,
) -> Link:
    """Gives the results of an op a history: a node that calls ``backward``."""

    def link(args: tuple[Any, ...], keywords: dict[str, Any], results: Any) -> None:
        ctx = _OpCtx()
        ctx.needs_input_grad = tuple(_needs_grad(arg) for arg in args)
        if setup_context is not None:
            more = {"keyword_only_inputs": keywords} if has_keywords else {}
            with no_grad():
                setup_context(ctx=ctx, inputs=args, output=results, **more)
        lengths = tuple(len(arg) if _is_tensor_list(arg) else None for arg in args)

        def call(ctx: FunctionCtx, *grads: Any) -> Any:
            found = backward(ctx, list(grads)) if returns_list else backward(ctx, *grads)
            return _flat_gradients(name, found, lengths)

        outputs = tuple(results) if isinstance(results, (tuple, list)) else (results,)
        _C._autograd.link_function(call, ctx, f"{name}_Backward", _flat(args), outputs)
        ctx._to_save = ctx._dirty = ctx._non_differentiable = ()  # the node must not keep its results alive

    return leave_to_interpreter(link)


def missing_link(name: str) -> Link:
    """What an op without a derivative gives its results: a node that says so."""

    def fail(ctx: FunctionCtx, *grads: Any) -> Any:
        raise RuntimeError(
            f"Trying to backward through {name} but no autograd formula was registered. Register one with "
            "framejit.library.register_autograd."
        )

    def link(args: tuple[Any, ...], keywords: dict[str, Any], results: Any) -> None:
        outputs = tuple(results) if isinstance(results, (tuple, list)) else (results,)
        _C._autograd.link_function(fail, FunctionCtx(), f"{name}_NotImplemented", _flat(args), outputs)

    return leave_to_interpreter(link)
