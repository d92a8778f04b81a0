"""Derivatives by one backward pass: ``grad``, ``grad_and_value``, ``vjp``, ``jacrev``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit.autograd.functional import grads_or_zeros
from framejit.autograd.grad_mode import enable_grad
from framejit.compiler.api import leave_to_interpreter
from framejit.func.levels import (
    Argnums,
    Level,
    basis,
    check_outputs,
    jacobian_tree,
    split_aux,
    with_own_arguments,
)
from framejit.utils._pytree import tree_flatten, tree_unflatten


def _check_scalar(output: Any) -> Tensor:
    if not isinstance(output, Tensor):
        raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
    if output.dim() != 0:
        raise RuntimeError(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor with "
            f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
        )
    return output


def grad_and_value(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """As :func:`grad`, of a function that returns ``(gradient, value)``, or ``(gradient, (value, aux))``."""

    @leave_to_interpreter
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        level = Level()
        with enable_grad():
            own, spec = with_own_arguments(level, args, argnums)
            output, aux = split_aux(func(*own, **kwargs), has_aux, "grad_and_value(f)(*args)")
            output = _check_scalar(output)
            create_graph = level.depends_on_outside((output,))
            found = grads_or_zeros((output,), level.own, None, create_graph=create_graph)
        gradient = tree_unflatten(level.finish(found), spec)
        value = level.finish(output)
        return (gradient, (value, level.finish(aux))) if has_aux else (gradient, value)

    return wrapper


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func``, whose result is one number.

    >>> fj.func.grad(fj.func.grad(fj.sin))(x)  # -sin(x)

    Args:
        func: returns a tensor without dims, or that and something else (``has_aux``).
        argnums: the arguments to differentiate by: one, or a tuple for a tuple of gradients. They may be nested
            containers of tensors.
        has_aux: the gradient function returns ``(gradient, aux)``.
    """
    inner = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradient, value = inner(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


@leave_to_interpreter
def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """``(func(*primals), vjp_fn)``, and aux with ``has_aux``. ``vjp_fn(cotangents)`` is the product of cotangents of the result's
    structure with the Jacobian: a tuple with one entry per primal."""
    level = Level()
    with enable_grad():
        if not primals:
            raise RuntimeError("vjp(f, *primals): got no primals to differentiate by")
        own, spec = with_own_arguments(level, primals, tuple(range(len(primals))))
        output, aux = split_aux(func(*own), has_aux, "vjp(f, *primals)")
        outputs, output_spec = check_outputs(output, "vjp(f, *primals)")

    @leave_to_interpreter
    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        seeds, seed_spec = tree_flatten(cotangents)
        if seed_spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {seed_spec}, primal output: {output_spec}"
            )
        for seed, out in zip(seeds, outputs, strict=True):
            if seed.shape != out.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output has a shape of {seed.shape} and output has a shape of {out.shape}."
                )
        wanted = level.depends_on_outside((*outputs, *seeds)) if create_graph is None else create_graph
        create_graph = wanted and _C._autograd.is_grad_enabled()
        found = grads_or_zeros(outputs, level.own, seeds, create_graph=create_graph)
        return tree_unflatten(level.finish(found), spec)

    results = level.finish(output)
    return (results, vjp_fn, level.finish(aux)) if has_aux else (results, vjp_fn)


def _check_chunk_size(chunk_size: int | None, api: str) -> None:
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"{api}: `chunk_size` should be greater than 0.")


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func``, row by row: one backward pass per element of its result.

    Args:
        argnums, has_aux: as in :func:`grad`.
        chunk_size: accepted; rows are computed one after the other.
    """
    _check_chunk_size(chunk_size, "jacrev")

    @leave_to_interpreter
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        level = Level()
        with enable_grad():
            own, spec = with_own_arguments(level, args, argnums)
            output, aux = split_aux(func(*own, **kwargs), has_aux, "jacrev(f)(*args)")
            outputs, output_spec = check_outputs(output, "jacrev(f)(*args)")
            create_graph = level.depends_on_outside(outputs)
            blocks = [_rows(out, level.own, create_graph) for out in outputs]
        jacobian = jacobian_tree(level.finish(blocks), output_spec, spec)
        return (jacobian, level.finish(aux)) if has_aux else jacobian

    return wrapper


def _rows(output: Tensor, inputs: tuple[Tensor, ...], create_graph: bool) -> list[Tensor]:
    """The Jacobian of one output by each input, of shape output.shape + input.shape."""
    seed = basis((output,))
    rows = [
        grads_or_zeros((output,), inputs, seed(0, i), create_graph=create_graph) for i in range(output.numel())
    ]
    shapes = [(*output.shape, *x.shape) for x in inputs]
    if not rows:
        return [x.new_zeros(shape) for x, shape in zip(inputs, shapes, strict=True)]
    return [
        _C.ops.stack(list(column)).reshape(shape)
        for column, shape in zip(zip(*rows, strict=True), shapes, strict=True)
    ]
