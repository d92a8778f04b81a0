"""Regions that parameters and values lie in: ``constraint.check(value)`` says where a value does."""

from __future__ import annotations

from typing import Any

import framejit as fj
from framejit import Tensor


class Constraint:
    """Base class. ``event_dim`` of the rightmost dims are checked together."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Tensor) -> Tensor:
        """A boolean tensor: where ``value`` satisfies the constraint."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__.lstrip("_") + "()"


class _Real(Constraint):
    def check(self, value: Tensor) -> Tensor:
        return ~value.isnan()


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _Interval(Constraint):
    """Between bounds; None is none, and ``strict`` leaves the bounds themselves out."""

    def __init__(
        self, lower_bound: Any, upper_bound: Any, strict: bool = False, discrete: bool = False
    ) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        self.strict, self.is_discrete = strict, discrete

    def check(self, value: Tensor) -> Tensor:
        valid = ~value.isnan()
        if self.lower_bound is not None:
            valid = valid & (value > self.lower_bound if self.strict else value >= self.lower_bound)
        if self.upper_bound is not None:
            valid = valid & (value < self.upper_bound if self.strict else value <= self.upper_bound)
        return valid & (value % 1 == 0) if self.is_discrete else valid

    def __repr__(self) -> str:
        return f"Interval(lower_bound={self.lower_bound}, upper_bound={self.upper_bound})"


class _HalfOpenInterval(_Interval):
    """The upper bound is left out."""

    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value < self.upper_bound)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _LowerCholesky(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        lower = (value.tril() == value).flatten(-2).all(-1)
        return lower & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _PositiveDefinite(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        symmetric = fj.isclose(value, value.mT, atol=1e-6).flatten(-2).all(-1)
        return symmetric & (fj.linalg.eigvalsh(value) > 0).all(-1)


class _Independent(Constraint):
    """``base_constraint``, with further dims checked together."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete

    def check(self, value: Tensor) -> Tensor:
        return self.base_constraint.check(value).flatten(-self.reinterpreted_batch_ndims).all(-1)


class _Dependent(Constraint):
    """A region that depends on the distribution's parameters; nothing can be checked without them."""


real = _Real()
boolean = _Boolean()
unit_interval = _Interval(0.0, 1.0)
positive = _Interval(0.0, None, strict=True)
nonnegative = _Interval(0.0, None)
nonnegative_integer = _Interval(0, None, discrete=True)
positive_integer = _Interval(1, None, discrete=True)
simplex = _Simplex()
one_hot = _OneHot()
lower_cholesky = _LowerCholesky()
positive_definite = _PositiveDefinite()
dependent: Constraint = _Dependent()
independent = _Independent
real_vector = _Independent(real, 1)


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """``lower_bound <= value <= upper_bound``."""
    return _Interval(lower_bound, upper_bound)


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """The integers of an interval."""
    return _Interval(lower_bound, upper_bound, discrete=True)


def greater_than(lower_bound: Any) -> Constraint:
    """``value > lower_bound``."""
    return _Interval(lower_bound, None, strict=True)


def less_than(upper_bound: Any) -> Constraint:
    """``value < upper_bound``."""
    return _Interval(None, upper_bound, strict=True)


def half_open_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """``lower_bound <= value < upper_bound``."""
    return _HalfOpenInterval(lower_bound, upper_bound)


def is_dependent(constraint: Constraint) -> bool:
    """Whether a constraint cannot be checked."""
    return isinstance(constraint, _Dependent)
