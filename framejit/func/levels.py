"""What the derivatives share: inputs of their own, and results that are as differentiable as they must be.

A derivative calls its function on tensors of its own, so that nothing else in a graph takes part. Where such a tensor is
made of one that requires grad (that of an enclosing derivative, or of the user), it is a view of it: the results can
be differentiated by whatever they depend on from outside, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit.autograd.jacobians import unit_like
from framejit.utils._pytree import TreeSpec, tree_flatten, tree_map, tree_unflatten

Argnums = int | tuple[int, ...]


class Level:
    """One call of a derivative."""

    def __init__(self) -> None:
        self.differentiable = _C._autograd.is_grad_enabled()
        self.own: tuple[Tensor, ...] = ()
        self._leaves: tuple[Tensor, ...] = ()  # of those, the ones that hide what they are made of

    def own_input(self, x: Any) -> Tensor:
        """Another tensor in place of an input."""
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if self.differentiable and x.requires_grad:
            own = x.view_as(x)
        else:
            own = x.detach().requires_grad_()
            self._leaves += (own,)
        self.own += (own,)
        return own

    def depends_on_outside(self, tensors: Sequence[Tensor]) -> bool:
        """Whether a derivative of the tensors must be differentiable itself."""
        if not self.differentiable:
            return False
        return _C._autograd.depends_on_others(tuple(tensors), self._leaves)

    def finish(self, tree: Any) -> Any:
        """Results as the caller gets them: without a history that only leads to the inputs of this level."""

        def finished(leaf: Any) -> Any:
            if not isinstance(leaf, Tensor) or not leaf.requires_grad:
                return leaf
            return leaf if self.depends_on_outside((leaf,)) else leaf.detach()

        return tree_map(finished, tree)


def check_argnums(argnums: Argnums, count: int) -> tuple[int, ...]:
    """As a tuple of places that are there."""
    places = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not places:
        raise RuntimeError("argnums must be an int or a tuple of ints, got ()")
    for place in places:
        if not isinstance(place, int) or isinstance(place, bool):
            raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(place)}")
        if not -count <= place < count:
            raise RuntimeError(f"Got argnum={place}, but only {count} positional inputs")
    normal = tuple(place % count for place in places)
    if len(set(normal)) != len(normal):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return normal


def with_own_arguments(level: Level, args: tuple[Any, ...], argnums: Argnums) -> tuple[tuple[Any, ...], TreeSpec]:
    """The arguments, those of ``argnums`` replaced by tensors of the level; and the structure of those: of one argument, or
    of a tuple of several."""
    places = check_argnums(argnums, len(args))
    replaced = {place: tree_map(level.own_input, args[place]) for place in places}
    chosen = replaced[places[0]] if isinstance(argnums, int) else tuple(replaced[place] for place in places)
    spec = tree_flatten(chosen)[1]
    return tuple(replaced.get(i, arg) for i, arg in enumerate(args)), spec


def split_aux(result: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    """``(output, aux)``; None for aux where there is none."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def check_outputs(output: Any, api: str) -> tuple[list[Tensor], TreeSpec]:
    """The tensors of a function's result."""
    leaves, spec = tree_flatten(output)
    if not leaves:
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {output})")
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{api}: expected f(*args) to return only tensors, got unsupported type {type(leaf)}")
    return leaves, spec


def basis(tensors: Sequence[Tensor]) -> Callable[[int, int], list[Tensor]]:
    """``make(t, i)``: zeros like all the tensors, with a 1 as element ``i`` of tensor ``t``."""

    def make(t: int, i: int) -> list[Tensor]:
        return [
            unit_like(x, i) if place == t else _C.ops.zeros(x.shape, dtype=x.dtype)
            for place, x in enumerate(tensors)
        ]

    return make


def jacobian_tree(
    blocks: list[list[Tensor]], output_spec: TreeSpec, input_spec: TreeSpec
) -> Any:
    """``blocks[output][input]`` as the tree of outputs, with the tree of inputs in place of each leaf."""
    return tree_unflatten([tree_unflatten(row, input_spec) for row in blocks], output_spec)
