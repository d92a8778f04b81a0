"""Distributions of transformed values."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._transform import ComposeTransform, Transform
from framejit.distributions.distribution import Distribution
from framejit.distributions.independent import Independent
from framejit.distributions.utils import sum_rightmost


class TransformedDistribution(Distribution):
    """What ``transforms``, one after the other, make of values of ``base_distribution``."""

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        base_distribution: Any,
        transforms: Transform | list[Transform],
        validate_args: bool | None = None,
    ) -> None:
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        if not all(isinstance(transform, Transform) for transform in self.transforms):
            raise ValueError(f"transforms must be a Transform or a list of Transforms, but was {transforms}")
        whole = ComposeTransform(self.transforms)
        domain_dim = whole.domain.event_dim
        shape = (*base_distribution.batch_shape, *base_distribution.event_shape)
        if len(shape) < domain_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {domain_dim}, but got {shape}."
            )
        # Parameters of the transforms may have more dims than the base; the transforms may take several of its dims.
        mapped = tuple(whole.forward_shape(shape))
        wide = tuple(whole.inverse_shape(mapped))
        if wide != shape:
            base_distribution = base_distribution.expand(wide[: len(wide) - len(base_distribution.event_shape)])
        further = domain_dim - len(base_distribution.event_shape)
        self.base_dist = Independent(base_distribution, further) if further > 0 else base_distribution
        event_dim = whole.codomain.event_dim + max(len(self.base_dist.event_shape) - domain_dim, 0)
        split = len(mapped) - event_dim
        super().__init__(mapped[:split], mapped[split:], validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @property
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        further = len(self.event_shape) - support.event_dim
        return constraints.independent(support, further) if further > 0 else support

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape: Any = (*batch_shape, *self.event_shape)
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        base = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return TransformedDistribution(base, self.transforms, validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with fj.no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        event_dim = len(self.event_shape)
        total: Any = 0
        for transform in reversed(self.transforms):
            x = transform._inv_call(value)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            jacobian = transform.log_abs_det_jacobian(x, value)
            total = total - sum_rightmost(jacobian, event_dim - transform.domain.event_dim)
            value = x
        return total + sum_rightmost(self.base_dist.log_prob(value), event_dim - len(self.base_dist.event_shape))

    def _reflected(self, probability: Tensor) -> Tensor:
        """Turned round where the transforms decrease."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return probability if isinstance(sign, int) and sign == 1 else sign * (probability - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        for transform in reversed(self.transforms):
            value = transform._inv_call(value)
        return self._reflected(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._forward(self.base_dist.icdf(self._reflected(value)))
