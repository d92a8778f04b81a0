"""What a sample is, and the samples that most rows of a kind need.

A sample is a call in PyTorch's names: arguments in order, keywords, and ``T(3, 4)`` wherever a tensor goes. It runs in
framejit and in PyTorch, for every dtype in ``dtypes``, and both must give the same values, dtypes and shapes, or both raise.
Samples of differentiable rows are also compared in their gradients, once and twice differentiated, in float64.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

ALL = ("bool", "uint8", "int32", "int64", "float32", "float64")
FORMATS = (
    "contiguous_format",
    "preserve_format",
    "channels_last",
    "channels_last_3d",
)  # arguments by their name, as dtypes are
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
HALVES = ("float16", "bfloat16")
INTS = ("uint8", "int32", "int64")
SMALL = ("int8", "int16", *HALVES, *COMPLEX)  # these borrow the kernels of wider ones
NUMBERS = INTS + FLOATS
BUT_UINT8 = (
    "bool",
    "int32",
    "int64",
    "float32",
    "float64",
)  # any and all of uint8 are uint8 in PyTorch, bool here and in NumPy


class T:
    """A tensor argument: its shape, and how to make it.

    ``dtype=None`` is the dtype that the sample is run in. Numbers are drawn from [low, high). ``layout``: 'contiguous',
    'permuted' (dims reversed in memory), 'channels_last' (the second dim innermost), 'sliced' (every second element), 'expanded' (first dim of stride 0).
    ``values`` gives the elements instead. ``grad=False``: not differentiated, although floating.
    """

    def __init__(
        self,
        *shape: int,
        dtype: str | None = None,
        low: float = -3,
        high: float = 3,
        layout: str = "contiguous",
        values: Any = None,
        grad: bool = True,
    ) -> None:
        self.shape = shape if values is None else np.shape(values)
        self.dtype, self.low, self.high, self.layout, self.values, self.grad = (
            dtype,
            low,
            high,
            layout,
            values,
            grad,
        )

    def array(self, dtype: str, rng: np.random.Generator) -> np.ndarray:
        """The elements in memory order of the tensor that ``build`` takes its view of; those of halves in float32."""
        dtype = self.dtype or dtype
        if dtype in HALVES:
            dtype = "float32"
        if self.values is not None:
            with np.errstate(invalid="ignore"):
                return np.asarray(self.values).astype(dtype)
        shape = {
            "contiguous": self.shape,
            "permuted": self.shape[::-1],
            "sliced": (*self.shape[:-1], 2 * self.shape[-1]) if self.shape else (),
            "expanded": (1, *self.shape[1:]),
            "channels_last": (*self.shape[:1], *self.shape[2:], *self.shape[1:2]),
        }[self.layout]
        if dtype == "bool":
            return rng.integers(0, 2, shape).astype(bool)
        if dtype in (*INTS, "int8", "int16"):
            low = max(0, math.ceil(self.low)) if dtype == "uint8" else math.ceil(self.low)
            return rng.integers(low, max(low + 1, math.ceil(self.high)), shape).astype(dtype)
        real = rng.uniform(self.low, self.high, shape)
        if dtype in COMPLEX:
            return (real + 1j * rng.uniform(self.low, self.high, shape)).astype(dtype)
        return real.astype(dtype)

    def build(self, library: Any, array: np.ndarray, dtype: str | None = None) -> Any:
        """The tensor, in framejit or torch. ``dtype`` as for ``array``."""
        tensor = (
            library.from_numpy(array.copy())
            if array.ndim
            else library.tensor(array.item(), dtype=getattr(library, str(array.dtype)))
        )
        if (self.dtype or dtype) in HALVES:
            tensor = tensor.to(getattr(library, self.dtype or dtype))
        if self.layout == "permuted":
            return tensor.permute(tuple(range(array.ndim))[::-1])
        if self.layout == "channels_last":
            return tensor.permute((0, array.ndim - 1, *range(1, array.ndim - 1)))
        if self.layout == "sliced" and array.ndim:
            return tensor[..., ::2]
        if self.layout == "expanded":
            return tensor.expand(self.shape)
        return tensor


@dataclasses.dataclass
class Sample:
    args: tuple
    kwargs: dict = dataclasses.field(default_factory=dict)
    dtypes: tuple[str, ...] = ("float32",)
    name: str | None = None  # what PyTorch calls it, where names differ
    strides: bool = True  # compared too
    grad: bool = True  # compared too, where the row has a derivative
    double: bool = True  # second derivatives too
    tolerance: float = 1.0  # times the usual one


def S(*args: Any, dtypes: tuple[str, ...] = ("float32",), name: str | None = None, strides: bool = True,
      grad: bool = True, double: bool = True, tolerance: float = 1.0, **kwargs: Any) -> Sample:  # fmt: skip
    return Sample(args, kwargs, dtypes, name, strides, grad, double, tolerance)


def unary(low: float = -3, high: float = 3, dtypes: tuple[str, ...] = ALL, **options: Any) -> list[Sample]:
    """Contiguous with a tail, permuted, sliced, 0-dim and empty; and the special values of floats."""
    return [
        S(T(5, 67, low=low, high=high), dtypes=dtypes, **options),
        S(T(3, 4, 5, low=low, high=high, layout="permuted"), **options),
        S(T(4, 6, low=low, high=high, layout="sliced"), **options),
        S(T(low=low, high=high), **options),
        S(T(0, 3), **options),
        S(
            T(values=[0.0, -0.0, math.inf, -math.inf, math.nan, 1e-40, 1e30, -1e30, 1.5, -2.5]),
            dtypes=FLOATS,
            **{**options, "grad": False},
        ),
    ]


def binary(
    low: float = -3, high: float = 3, dtypes: tuple[str, ...] = ALL, numbers: tuple = (2, 1.5), **options: Any
) -> list[Sample]:
    """Same shape, broadcasting both ways, numbers, and mixed dtypes."""
    rows = [
        S(T(4, 33, low=low, high=high), T(4, 33, low=low, high=high), dtypes=dtypes, **options),
        S(T(4, 1, 5, low=low, high=high), T(3, 1, low=low, high=high), **options),
        S(T(3, 4, low=low, high=high, layout="permuted"), T(3, 4, low=low, high=high), **options),
        S(T(2, 3, low=low, high=high), T(low=low, high=high), **options),
        S(T(0, 3), T(3), **options),
        S(T(7, dtype="int32", low=max(1, low), high=9), T(7, dtype="float32", low=low, high=high), **options),
        S(T(7, dtype="uint8", low=1, high=9), T(7, dtype="int64", low=max(1, low), high=9), **options),
        S(T(3, dtype="int64", low=1, high=9), T(dtype="float64", low=1, high=2), **options),
    ]
    rows += [S(T(6, low=low, high=high), number, dtypes=dtypes, **options) for number in numbers]
    return rows


SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 2.5, -2.5, 1e30]
PAIRS = (T(values=[[x] for x in SPECIAL], grad=False), T(values=[SPECIAL], grad=False))
