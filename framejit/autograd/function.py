"""Custom differentiable functions."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit.autograd.grad_mode import no_grad


class FunctionCtx:
    """What ``forward`` leaves for ``backward``: saved tensors and any attribute."""

    needs_input_grad: tuple[bool, ...] = ()

    # Read by _C._autograd.link_function.
    _to_save: tuple[Tensor | None, ...] = ()
    _dirty: tuple[Tensor, ...] = ()
    _non_differentiable: tuple[Tensor, ...] = ()
    _materialize_grads = True
    _link: Any = None  # knows the node, which owns this object and the saved tensors

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps inputs, outputs or intermediate tensors; ``backward`` reads them from ``saved_tensors``."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument is of type {type(tensor).__name__}"
                )
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Accepted for PyTorch's sake: there is no forward mode, so nothing will read them."""

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
        """What ``save_for_backward`` was given. Raises when one was changed in place since, or when they have been freed."""
        return self._to_save if self._link is None else self._link.saved_tensors()

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The old name of :attr:`saved_tensors`."""
        return self.saved_tensors


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

    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke "
            "them on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method, and call its apply."
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """``forward(ctx, *args)``, or ``forward(*args)`` where ``setup_context`` is overridden."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Any) -> None:
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: FunctionCtx, *grad_outputs: Any) -> Any:
        """One gradient per argument of ``forward``, None where there is none."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: FunctionCtx, *grad_inputs: Any) -> Any:
        raise NotImplementedError(
            "framejit has no forward mode AD: jvp of a custom autograd.Function is never called."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs ``forward`` and records the function. Keyword arguments have no gradient, but where ``setup_context`` is
        overridden, which is given all arguments in the order of ``forward``'s parameters."""
        if kwargs and cls.setup_context is not Function.setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
        with no_grad():
            if cls.setup_context is not Function.setup_context:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args, **kwargs)
        if not (_C._autograd.is_grad_enabled() and any(ctx.needs_input_grad)):
            return output
        return _link(cls, ctx, args, output)


def _backward_of(cls: type[Function]) -> Callable[..., Any]:
    if cls.vjp is Function.vjp:
        return cls.backward
    if cls.backward is not Function.backward:
        raise RuntimeError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of them."
        )
    return cls.vjp


def _link(cls: type[Function], ctx: FunctionCtx, args: tuple[Any, ...], output: Any) -> Any:
    """Makes the outputs results of a node that calls ``cls.backward``."""
    is_sequence = isinstance(output, (tuple, list))
    outputs = tuple(output) if is_sequence else (output,)
    linked = _C._autograd.link_function(_backward_of(cls), ctx, f"{cls.__name__}Backward", args, outputs)
    ctx._to_save = ctx._dirty = ctx._non_differentiable = ()  # the node must not keep its own results alive
    if not is_sequence:
        return linked[0]
    return type(output)(*linked) if hasattr(output, "_fields") else type(output)(linked)


class InplaceFunction(Function):
    """PyTorch's old base of functions that can work in place; a :class:`Function`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class _OnceDifferentiable(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, *gradients: Tensor) -> tuple[Tensor, ...]:
        return gradients

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Any) -> Any:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a ``backward`` that cannot be differentiated itself: differentiating its results raises an error."""

    @functools.wraps(backward)
    def wrapper(ctx: FunctionCtx, *grads: Any) -> Any:
        with no_grad():
            results = backward(ctx, *grads)
        dependent = any(isinstance(grad, Tensor) and grad.requires_grad for grad in grads)
        if not (dependent and _C._autograd.is_grad_enabled()):
            return results
        gradients = results if isinstance(results, tuple) else (results,)
        marked = iter(
            _OnceDifferentiable.apply(*[g.detach().requires_grad_() for g in gradients if g is not None])
        )
        return tuple(None if gradient is None else next(marked) for gradient in gradients)

    return wrapper
