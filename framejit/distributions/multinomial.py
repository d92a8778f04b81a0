"""The multinomial distribution."""

from __future__ import annotations

from typing import Any

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._over_categories import OverCategories
from framejit.distributions.binomial import Binomial
from framejit.distributions.categorical import Categorical


class Multinomial(OverCategories):
    """How often each category comes up in ``total_count`` draws."""

    total_count: int

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        super().__init__(Categorical(probs=probs, logits=logits), validate_args)

    @property
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        logits = self.logits.expand((*batch_shape, *self.event_shape))
        return type(self)(self.total_count, logits=logits, validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        drawn = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = self.probs.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, drawn, fj.ones_like(drawn, dtype=counts.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = fj.broadcast_tensors([self.logits, value])
        logits = logits.masked_fill((value == 0) & (logits == -fj.inf), 0)
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return ways + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        n = fj.tensor(self.total_count, dtype=self.probs.dtype)
        counts = Binomial(self.total_count, probs=self.probs)  # of each category
        values = counts.enumerate_support(False)[1:]
        orders = (counts.log_prob(values).exp() * (values + 1).lgamma()).sum([0, -1])
        return n * self._categorical.entropy() - (n + 1).lgamma() + orders
