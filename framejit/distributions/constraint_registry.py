"""Transforms by the region that their values lie in.

``biject_to(constraint)`` is invertible; ``transform_to(constraint)`` need not be, and is easier to optimise through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from framejit.distributions import constraints as C
from framejit.distributions import transforms as T

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """``registry(constraint)`` is what the function registered for the type of ``constraint`` makes for it."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], T.Transform]] = {}

    def register(self, constraint: Any, factory: Any = None) -> Any:
        """Adds a function for a type of constraints (or for the type of one); without ``factory``, as a decorator."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, C.Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, C.Constraint)):
            raise TypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}"
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> T.Transform:
        for kind in type(constraint).__mro__:
            if kind in self._registry:
                return self._registry[kind](constraint)
        raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(constraint: Any) -> Callable[[Any], Any]:
    def add(factory: Any) -> Any:
        biject_to.register(constraint, factory)
        return transform_to.register(constraint, factory)

    return add


@_both(C.real)
def _real(constraint: Any) -> T.Transform:
    return T.identity_transform


@_both(C.positive)
@_both(C.nonnegative)
def _above(constraint: Any) -> T.Transform:
    lower = constraint.lower_bound
    exp = T.ExpTransform()
    return exp if isinstance(lower, (int, float)) and lower == 0 else T.ComposeTransform([exp, T.AffineTransform(lower, 1)])


@_both(C.less_than)
def _below(constraint: Any) -> T.Transform:
    return T.ComposeTransform([T.ExpTransform(), T.AffineTransform(constraint.upper_bound, -1)])


@_both(C.interval)
def _between(constraint: Any) -> T.Transform:
    lower, upper = constraint.lower_bound, constraint.upper_bound
    sigmoid = T.SigmoidTransform()
    if all(isinstance(bound, (int, float)) for bound in (lower, upper)) and (lower, upper) == (0, 1):
        return sigmoid
    return T.ComposeTransform([sigmoid, T.AffineTransform(lower, upper - lower)])


@_both(C.corr_cholesky)
def _correlations(constraint: Any) -> T.Transform:
    return T.CorrCholeskyTransform()


biject_to.register(C.simplex, lambda constraint: T.StickBreakingTransform())
transform_to.register(C.simplex, lambda constraint: T.SoftmaxTransform())
transform_to.register(C.lower_cholesky, lambda constraint: T.LowerCholeskyTransform())
transform_to.register(C.positive_definite, lambda constraint: T.PositiveDefiniteTransform())
transform_to.register(C.positive_semidefinite, lambda constraint: T.PositiveDefiniteTransform())


def _register_nested(registry: ConstraintRegistry) -> None:
    registry.register(
        C.independent,
        lambda c: T.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims),
    )
    registry.register(C.cat, lambda c: T.CatTransform([registry(each) for each in c.cseq], c.dim, c.lengths))
    registry.register(C.stack, lambda c: T.StackTransform([registry(each) for each in c.cseq], c.dim))


_register_nested(biject_to)
_register_nested(transform_to)
