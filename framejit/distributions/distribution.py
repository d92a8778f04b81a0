"""``Distribution``: the base class."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Size, Tensor
from framejit.distributions import constraints

_validate_by_default = __debug__


class Distribution:
    """A batch (``batch_shape``) of independent distributions over values of shape ``event_shape``.

    A subclass defines ``log_prob``, ``rsample`` or ``sample``, and what else it can.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: ClassVar[dict[str, Any]] = {}
    support: Any = constraints.dependent

    def __init__(
        self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = Size(tuple(batch_shape)), Size(tuple(event_shape))
        # What this object was made of; further parameters are derived from it on demand.
        self._given = [name for name in self.arg_constraints if name in self.__dict__]
        self._validate_args = _validate_by_default if validate_args is None else validate_args
        if self._validate_args:
            self._check_parameters()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether arguments are checked where ``validate_args`` is not given."""
        global _validate_by_default
        _validate_by_default = value

    def _check_parameters(self) -> None:
        for name, constraint in self.arg_constraints.items():
            # A parameter that is derived from another one (logits of probs) needs no check.
            if constraints.is_dependent(constraint) or name not in self.__dict__:
                continue
            value = getattr(self, name)
            if not bool(constraint.check(value).all()):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distributions, with their parameters expanded to a larger batch shape."""
        parameters = {
            name: getattr(self, name).expand(
                (*batch_shape, *getattr(self, name).shape[len(self._batch_shape) :])
            )
            for name in self._given
        }
        return type(self)(**parameters, validate_args=False)

    @property
    def batch_shape(self) -> Size:
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Random values of shape ``sample_shape + batch_shape + event_shape``, without gradient."""
        with fj.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """As :meth:`sample`, differentiable with respect to the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """Logarithm of the density, or probability, at ``value``."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """Probability of a value up to ``value``."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of :meth:`cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along the first dim."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> tuple[int, ...]:
        return (*sample_shape, *self._batch_shape, *self._event_shape)

    def _enumerate(self, count: int, expand: bool) -> Tensor:
        """0 ... count - 1 along a new first dim."""
        values = fj.arange(count, dtype=self.mean.dtype).reshape(-1, *[1] * len(self._batch_shape))
        return values.expand(-1, *self._batch_shape) if expand else values

    def _validate_sample(self, value: Any) -> None:
        """Raises ValueError where ``value`` has a wrong shape, or lies outside the support."""
        if not self._validate_args:
            return
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = value.dim() - len(self._event_shape)
        if tuple(value.shape[start:]) != tuple(self._event_shape):
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}."
            )
        fj.broadcast_shapes(tuple(value.shape), self._extended_shape())
        support = self.support
        if constraints.is_dependent(support):
            return
        if not bool(support.check(value).all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        parts = []
        for name in self._given:
            value = self.__dict__[name]
            parts.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{type(self).__name__}({', '.join(parts)})"
