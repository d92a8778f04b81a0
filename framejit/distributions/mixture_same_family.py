"""Mixtures of distributions of one family."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions.categorical import Categorical
from framejit.distributions.distribution import Distribution


class MixtureSameFamily(Distribution):
    """Values of one of the distributions along the last batch dim of ``component_distribution``; which, says
    ``mixture_distribution``, a categorical distribution over that dim.
    """

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError("The Mixture distribution needs to be an instance of Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of Distribution")
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        batch = tuple(component_distribution.batch_shape)
        count = mixture_distribution.logits.shape[-1]
        if not batch or batch[-1] != count:
            raise ValueError(
                f"MixtureSameFamily: got components of batch shape {batch} and {count} weights, expected as many in the last dim"
            )
        fj.broadcast_shapes(tuple(mixture_distribution.batch_shape), batch[:-1])
        self._events = len(component_distribution.event_shape)
        super().__init__(batch[:-1], component_distribution.event_shape, validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return False

    @property
    def support(self) -> Any:
        return self.component_distribution.support

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        components = self.component_distribution.expand((*batch_shape, self.mixture_distribution.probs.shape[-1]))
        return MixtureSameFamily(self.mixture_distribution.expand(batch_shape), components, validate_args=False)

    def _mean_over_components(self, values: Tensor) -> Tensor:
        weights = self.mixture_distribution.probs
        return (weights.reshape(*weights.shape, *[1] * self._events) * values).sum(-1 - self._events)

    @property
    def mean(self) -> Tensor:
        return self._mean_over_components(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The mean of the variances, and the variance of the means."""
        off = self.component_distribution.mean - self.mean.unsqueeze(-1 - self._events)
        return self._mean_over_components(self.component_distribution.variance + off.square())

    def cdf(self, value: Tensor) -> Tensor:
        return (self.component_distribution.cdf(value.unsqueeze(-1)) * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        each = self.component_distribution.log_prob(value.unsqueeze(-1 - self._events))
        return fj.logsumexp(each + self.mixture_distribution.logits.log_softmax(-1), -1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with fj.no_grad():
            dim = len(tuple(sample_shape)) + len(self.batch_shape)
            chosen = self.mixture_distribution.expand(self.batch_shape).sample(sample_shape)
            values = self.component_distribution.sample(sample_shape)
            index = chosen.reshape(*chosen.shape, *[1] * (1 + self._events))
            return values.gather(dim, index.expand(*chosen.shape, 1, *self.event_shape)).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
