"""Differentiable approximations of one-hot vectors."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._over_categories import OverCategories
from framejit.distributions._relaxed import RelaxedDistribution
from framejit.distributions.categorical import Categorical
from framejit.distributions.transforms import ExpTransform
from framejit.distributions.utils import clamp_probs


class ExpRelaxedCategorical(OverCategories):
    """The logarithms of :class:`RelaxedOneHotCategorical` values."""

    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Any,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        super().__init__(Categorical(probs, logits), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        logits = self.logits.expand((*batch_shape, *self.event_shape))
        return ExpRelaxedCategorical(self.temperature, logits=logits, validate_args=False)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        noise = clamp_probs(fj.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits - (-noise.log()).log()) / self.temperature  # with Gumbel noise
        return scores - scores.logsumexp(-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        temperature = fj.as_tensor(self.temperature)
        count = self.event_shape[0]
        logits, value = fj.broadcast_tensors([self.logits, value])
        score = logits - value * temperature
        score = (score - score.logsumexp(-1, keepdim=True)).sum(-1)
        return score + fj.full_like(temperature, float(count)).lgamma() + (count - 1) * temperature.log()


class RelaxedOneHotCategorical(RelaxedDistribution):
    """Probabilities, near one-hot vectors at low temperatures: Maddison et al. (2016), Jang et al. (2016)."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support = constraints.simplex
    base_dist: ExpRelaxedCategorical

    def __init__(
        self,
        temperature: Any,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args)
        super().__init__(base, ExpTransform(), validate_args)
