from collections.abc import Sequence
from typing import overload

from framejit._C import DeviceLike, Generator, Number, Tensor, dtype

def vector_norm(x: Tensor, ord: Number = ..., dim: Sequence[int] | int | None = ..., keepdim: bool = ..., *, dtype: dtype | None = ...) -> Tensor: ...
