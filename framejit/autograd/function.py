"""Custom differentiable functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from framejit import _C
from framejit._C import Node, Tensor
from framejit.autograd.grad_mode import no_grad


class _Saved:
    """A tensor kept for backward: raises when it was changed in place since."""

    def __init__(self, tensor: Tensor, output_number: int | None) -> None:
        # An output would keep its own node alive for ever: it is kept without its history, which `get` restores.
        self._tensor = tensor if output_number is None else tensor.detach()
        self._output_number = output_number
        self._version = tensor._version

    def get(self, node: Node) -> Tensor:
        if self._tensor._version != self._version:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: a tensor of "
                f"shape {list(self._tensor.shape)} is at version {self._tensor._version}; expected version {self._version} instead."
            )
        if self._output_number is None or not _C._autograd.is_grad_enabled():
            return self._tensor
        result = self._tensor.detach()
        _C._autograd.restore_history(result, node, self._output_number)
        return result


class FunctionCtx:
    """What ``forward`` leaves for ``backward``: saved tensors and any attribute."""

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self._to_save: tuple[Tensor | None, ...] = ()
        self._saved: tuple[_Saved | None, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._non_differentiable: tuple[Tensor, ...] = ()
        self._materialize_grads = True
        self._node: Node | None = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps inputs, outputs or intermediate tensors; ``backward`` reads them from ``saved_tensors``."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument is of type {type(tensor).__name__}"
                )
        self._to_save = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Says which inputs ``forward`` changed in place; they must be returned."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Says which outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` gets zeros (the default) or None for an output without a gradient."""
        self._materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        if self._node is None:
            raise RuntimeError("saved_tensors: only known while backward runs")
        node = self._node
        return tuple(None if saved is None else saved.get(node) for saved in self._saved)


def _is_one_of(tensor: Any, tensors: Iterable[Tensor]) -> bool:
    return any(tensor is other for other in tensors)


class Function:
    """Base of custom functions: override ``forward`` and ``backward``, call ``apply``.

    >>> class Square(fj.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * 2 * x
    >>> Square.apply(x)
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """``forward(ctx, *args)``, or ``forward(*args)`` where ``setup_context`` is overridden."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Any) -> None:
        raise NotImplementedError

    @staticmethod
    def backward(ctx: FunctionCtx, *grad_outputs: Any) -> Any:
        """One gradient per argument of ``forward``, None where there is none."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Runs ``forward`` and records the function."""
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        with no_grad():
            if cls.setup_context is not Function.setup_context:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
        if not (_C._autograd.is_grad_enabled() and any(ctx.needs_input_grad)):
            return output
        outputs = output if isinstance(output, tuple) else (output,)
        linked = _link(cls, ctx, args, outputs)
        return linked if isinstance(output, tuple) else linked[0]


def _link(
    cls: type[Function], ctx: FunctionCtx, args: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Makes the outputs results of a node that calls ``cls.backward``."""
    inputs = tuple(a if isinstance(a, Tensor) else None for a in args)
    # An input that comes back unchanged is another tensor to autograd.
    outputs = tuple(
        out.detach() if _is_one_of(out, args) and not _is_one_of(out, ctx._dirty) else out for out in outputs
    )
    differentiable = tuple(
        out
        if isinstance(out, Tensor)
        and (out.is_floating_point() or out.is_complex())
        and not _is_one_of(out, ctx._non_differentiable)
        else None
        for out in outputs
    )
    ctx._saved = tuple(None if t is None else _Saved(t, _number_of(t, differentiable)) for t in ctx._to_save)
    ctx._to_save = ()
    _C._autograd.link_function(
        _backward_of(cls, ctx, outputs), f"{cls.__name__}Backward", inputs, differentiable
    )
    return outputs


def _number_of(tensor: Tensor, outputs: tuple[Tensor | None, ...]) -> int | None:
    return next((i for i, out in enumerate(outputs) if out is tensor), None)


def _backward_of(cls: type[Function], ctx: FunctionCtx, outputs: tuple[Any, ...]) -> Callable[..., Any]:
    # Sizes only: the node must not keep its own results alive.
    metas = [(tuple(o.shape), o.dtype) if isinstance(o, Tensor) else None for o in outputs]

    def run(node: Node, *grads: Tensor | None) -> Any:
        if ctx._materialize_grads:
            grads = tuple(
                _C.ops.zeros(meta[0], dtype=meta[1]) if grad is None and meta is not None else grad
                for grad, meta in zip(grads, metas, strict=True)
            )
        ctx._node = node
        try:
            return cls.backward(ctx, *grads)
        finally:
            ctx._node = None

    return run


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a ``backward`` that cannot be differentiated itself: its results have no history."""

    def wrapper(ctx: FunctionCtx, *grads: Any) -> Any:
        with no_grad():
            return backward(ctx, *grads)

    return wrapper
