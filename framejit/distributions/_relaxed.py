"""What the relaxed distributions share."""

from __future__ import annotations

from typing import Any

from framejit import Tensor
from framejit.distributions.transformed_distribution import TransformedDistribution


class RelaxedDistribution(TransformedDistribution):
    """Transformed values of a distribution with a temperature, whose parameters are its own."""

    base_dist: Any

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        logits = self.logits.expand((*batch_shape, *self.event_shape))
        kind: Any = type(self)
        return kind(self.temperature, logits=logits, validate_args=False)

    @property
    def temperature(self) -> Any:
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        return self.base_dist.probs
