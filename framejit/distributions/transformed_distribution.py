"""Distributions of transformed values."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions.distribution import Distribution
from framejit.distributions.transforms import ComposeTransform, Transform
from framejit.distributions.utils import sum_rightmost


class TransformedDistribution(Distribution):
    """What ``transforms``, one after the other, make of values of ``base_distribution``."""

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | list[Transform],
        validate_args: bool | None = None,
    ) -> None:
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        self.base_dist = base_distribution
        self._transform = ComposeTransform(self.transforms)
        shape = (*base_distribution.batch_shape, *base_distribution.event_shape)
        event = max(self._transform.event_dim, len(base_distribution.event_shape))
        split = len(shape) - event
        super().__init__(shape[:split], shape[split:], validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        own = len(self.event_shape) - len(self.base_dist.event_shape)
        base = self.base_dist.expand((*batch_shape, *tuple(self.event_shape)[:own]))
        return TransformedDistribution(base, self.transforms, validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with fj.no_grad():
            return self._transform(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._transform(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        x = self._transform._inverse(value)
        event = len(self.event_shape)
        jacobian = self._transform.log_abs_det_jacobian(x, value)
        base = self.base_dist.log_prob(x)
        return sum_rightmost(base, event - len(self.base_dist.event_shape)) - sum_rightmost(
            jacobian, event - self._transform.event_dim
        )

    def cdf(self, value: Tensor) -> Tensor:
        """For transforms that increase."""
        return self.base_dist.cdf(self._transform._inverse(value))

    def icdf(self, value: Tensor) -> Tensor:
        """For transforms that increase."""
        return self._transform(self.base_dist.icdf(value))
