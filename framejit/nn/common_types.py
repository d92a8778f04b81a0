"""Types of arguments that are one value or one for each dimension."""

from framejit import Tensor

_size_1_t = int | tuple[int]
_size_2_t = int | tuple[int, int]
_size_3_t = int | tuple[int, int, int]
_size_any_t = int | tuple[int, ...]
_ratio_2_t = float | tuple[float, float]
_ratio_3_t = float | tuple[float, float, float]
_maybe_indices_t = Tensor | tuple[Tensor, Tensor]
