"""What distributions share whose parameters are those of a categorical one."""

from __future__ import annotations

from typing import Any, ClassVar

from framejit import Tensor
from framejit.distributions import constraints
from framejit.distributions.categorical import Categorical
from framejit.distributions.distribution import Distribution


class OverCategories(Distribution):
    """Vectors with an element for each category."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }

    def __init__(self, categorical: Categorical, validate_args: bool | None) -> None:
        self._categorical = categorical
        super().__init__(categorical.batch_shape, categorical.param_shape[-1:], validate_args)

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def param_shape(self) -> Any:
        return self._categorical.param_shape
