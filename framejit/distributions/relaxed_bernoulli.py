"""Differentiable approximations of Bernoulli values."""

from __future__ import annotations

from typing import Any, ClassVar

import framejit as fj
from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions._binary import BinaryDistribution
from framejit.distributions._relaxed import RelaxedDistribution
from framejit.distributions.transforms import SigmoidTransform
from framejit.distributions.utils import clamp_probs


class LogitRelaxedBernoulli(BinaryDistribution):
    """The logits of :class:`RelaxedBernoulli` values."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        logits = self.logits.expand(batch_shape)
        return LogitRelaxedBernoulli(self.temperature, logits=logits, validate_args=False)

    @property
    def param_shape(self) -> Any:
        return self._batch_shape

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        noise = clamp_probs(fj.rand(shape, dtype=probs.dtype))
        return (noise.log() - (-noise).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        difference = self.logits - value * self.temperature
        return fj.as_tensor(self.temperature).log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(RelaxedDistribution):
    """Values between 0 and 1, near either of them at low temperatures: Maddison et al. (2016), Jang et al. (2016)."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    base_dist: LogitRelaxedBernoulli

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args)
