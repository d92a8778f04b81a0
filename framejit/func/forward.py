"""Products with the Jacobian from the right: ``jvp``, ``linearize``, ``jacfwd``; and ``hessian``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
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
from framejit.func.mapping import check_randomness
from framejit.func.reverse import jacrev
from framejit.utils._pytree import TreeSpec, tree_flatten, tree_unflatten


class _Push:
    """The derivative at one point, as a function of the direction.

    The product from the left, as a function of its vector, is linear and its matrix is the transposed Jacobian: so the
    gradient of *that* is the product from the right.
    """

    def __init__(self, level: Level, outputs: Sequence[Tensor]) -> None:
        self.level = level
        self.outputs = outputs
        with enable_grad():
            self.seeds = [_C.ops.zeros_like(out).requires_grad_() for out in outputs]
            self.pulled = grads_or_zeros(outputs, level.own, self.seeds, create_graph=True)

    def __call__(self, tangents: Sequence[Tensor]) -> tuple[Tensor, ...]:
        level = self.level
        create_graph = level.differentiable and level.depends_on_outside(
            (*self.outputs, *[tangent for tangent in tangents if tangent.requires_grad])
        )
        with enable_grad():
            found = grads_or_zeros(self.pulled, self.seeds, tangents, create_graph=create_graph)
        if not create_graph:
            return tuple(one.detach() for one in found)
        return found


def _check_tuple(value: Any, api: str, what: str) -> tuple[list[Tensor], TreeSpec]:
    if not isinstance(value, tuple):
        raise RuntimeError(
            f"{api}: Expected {what} to be a tuple. E.g. it should be valid to call f(*{what})."
        )
    leaves, spec = tree_flatten(value)
    if not leaves:
        raise RuntimeError(f"{api}: Expected {what} to be a non-empty tuple.")
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{api}: Expected {what} to contain only tensors, got {type(leaf)}")
    return leaves, spec


def _check_tangents(
    tangents: Sequence[Tensor], spec: TreeSpec, primals: Sequence[Tensor], primal_spec: TreeSpec, api: str
) -> None:
    if spec != primal_spec:
        raise RuntimeError(
            f"{api}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 "
            "tensors, tangents also must be. Got primals with structure "
            f"{primal_spec} and tangents with structure {spec}"
        )
    for tangent, primal in zip(tangents, primals, strict=True):
        if tangent.shape != primal.shape:
            raise RuntimeError(
                f"{api}: Expected tangents to have the shapes of primals, got {tangent.shape} and {primal.shape}"
            )


@leave_to_interpreter
def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """``(func(*primals), Jacobian @ tangents)``, and aux with ``has_aux``.

    Computed by differentiating a backward pass: ``func`` must be twice differentiable.

    Args:
        primals, tangents: tuples of the arguments and of their directions.
        strict: raise an error where a result does not depend on the primals, instead of giving zeros.
    """
    api = "jvp(f, primals, tangents)"
    flat_primals, primal_spec = _check_tuple(primals, api, "primals")
    flat_tangents, tangent_spec = _check_tuple(tangents, api, "tangents")
    _check_tangents(flat_tangents, tangent_spec, flat_primals, primal_spec, api)
    level = Level()
    with enable_grad():
        own, _ = with_own_arguments(level, primals, tuple(range(len(primals))))
        output, aux = split_aux(func(*own), has_aux, api)
        outputs, output_spec = check_outputs(output, api)
    if strict and not all(out.requires_grad for out in outputs):
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with "
            "strict=True."
        )
    result = tree_unflatten(_Push(level, outputs)(flat_tangents), output_spec)
    value = level.finish(output)
    return (value, result, level.finish(aux)) if has_aux else (value, result)


@leave_to_interpreter
def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """``(func(*primals), jvp_fn)``: ``jvp_fn(*tangents)`` is the derivative there, without calling ``func`` again."""
    api = "linearize(f, *primals)"
    flat_primals, primal_spec = _check_tuple(primals, api, "primals")
    level = Level()
    with enable_grad():
        own, _ = with_own_arguments(level, primals, tuple(range(len(primals))))
        output = func(*own)
        outputs, output_spec = check_outputs(output, api)
    push = _Push(level, outputs)

    @leave_to_interpreter
    def jvp_fn(*tangents: Any) -> Any:
        flat, spec = _check_tuple(tangents, "jvp_fn(*tangents)", "tangents")
        _check_tangents(flat, spec, flat_primals, primal_spec, "jvp_fn(*tangents)")
        return tree_unflatten(push(flat), output_spec)

    return level.finish(output), jvp_fn


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func``, column by column: one product per element of its arguments.

    Args:
        argnums, has_aux: as in :func:`grad`.
        randomness: accepted; ``func`` is called once.
    """
    check_randomness(randomness)

    @leave_to_interpreter
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        level = Level()
        with enable_grad():
            own, spec = with_own_arguments(level, args, argnums)
            output, aux = split_aux(func(*own, **kwargs), has_aux, "jacfwd(f)(*args)")
            outputs, output_spec = check_outputs(output, "jacfwd(f)(*args)")
        push = _Push(level, outputs)
        tangents = basis(level.own)
        columns = [
            [push(tangents(t, i)) for i in range(x.numel())] for t, x in enumerate(level.own)
        ]
        blocks = [
            [_block(columns[t], o, out, x) for t, x in enumerate(level.own)] for o, out in enumerate(outputs)
        ]
        jacobian = jacobian_tree(blocks, output_spec, spec)
        return (jacobian, level.finish(aux)) if has_aux else jacobian

    return wrapper


def _block(columns: Sequence[Sequence[Tensor]], output: int, out: Tensor, x: Tensor) -> Tensor:
    shape = (*out.shape, *x.shape)
    if not columns:
        return out.new_zeros(shape)
    return _C.ops.stack([column[output] for column in columns], -1).reshape(shape)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that returns the second derivatives of ``func``, forward over reverse."""
    return jacfwd(jacrev(func, argnums), argnums)


