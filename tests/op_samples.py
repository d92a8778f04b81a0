"""One or a few samples for every row of the op table (``eager/ops/*.toml``); see ``tests/eager/test_ops.py``.

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
FLOATS = ("float32", "float64")
INTS = ("uint8", "int32", "int64")
NUMBERS = INTS + FLOATS
BUT_UINT8 = ("bool", "int32", "int64", "float32", "float64")  # any and all of uint8 are uint8 in PyTorch, bool here and in NumPy


class T:
    """A tensor argument: its shape, and how to make it.

    ``dtype=None`` is the dtype that the sample is run in. Numbers are drawn from [low, high). ``layout``: 'contiguous',
    'permuted' (dims reversed in memory), 'sliced' (every second element), 'expanded' (first dim of stride 0).
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
        self.dtype, self.low, self.high, self.layout, self.values, self.grad = dtype, low, high, layout, values, grad

    def array(self, dtype: str, rng: np.random.Generator) -> np.ndarray:
        """The elements in memory order of the tensor that ``build`` takes its view of."""
        dtype = self.dtype or dtype
        if self.values is not None:
            with np.errstate(invalid="ignore"):
                return np.asarray(self.values).astype(dtype)
        shape = {
            "contiguous": self.shape,
            "permuted": self.shape[::-1],
            "sliced": (*self.shape[:-1], 2 * self.shape[-1]) if self.shape else (),
            "expanded": (1, *self.shape[1:]),
        }[self.layout]
        if dtype == "bool":
            return rng.integers(0, 2, shape).astype(bool)
        if dtype in INTS:
            low = max(0, math.ceil(self.low)) if dtype == "uint8" else math.ceil(self.low)
            return rng.integers(low, max(low + 1, math.ceil(self.high)), shape).astype(dtype)
        return rng.uniform(self.low, self.high, shape).astype(dtype)

    def build(self, library: Any, array: np.ndarray) -> Any:
        """The tensor, in framejit or torch."""
        tensor = library.from_numpy(array.copy()) if array.ndim else library.tensor(array.item(), dtype=getattr(library, str(array.dtype)))
        if self.layout == "permuted":
            return tensor.permute(tuple(range(array.ndim))[::-1])
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
        S(T(values=[0.0, -0.0, math.inf, -math.inf, math.nan, 1e-40, 1e30, -1e30, 1.5, -2.5]), dtypes=FLOATS, **{**options, "grad": False}),
    ]


def binary(low: float = -3, high: float = 3, dtypes: tuple[str, ...] = ALL, numbers: tuple = (2, 1.5), **options: Any) -> list[Sample]:
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

SAMPLES: dict[str, list[Sample]] = {}


def _arithmetic() -> None:
    SAMPLES.update(
        {
            "add": binary() + [S(T(5), T(5), alpha=3, dtypes=ALL), S(T(5), 2, alpha=0.5, dtypes=FLOATS), S(*PAIRS, grad=False)],
            "sub": binary() + [S(T(5), T(5), alpha=3, dtypes=ALL)],
            "rsub": binary() + [S(T(5), T(5), alpha=2, dtypes=NUMBERS)],
            "mul": binary() + [S(*PAIRS, grad=False)],
            "div": binary(low=1) + [S(*PAIRS, grad=False)],
            "div.mode": [
                S(T(40, low=-9, high=9), T(40, low=1, high=5), rounding_mode=mode, dtypes=NUMBERS)
                for mode in (None, "trunc", "floor")
            ],
            "floor_divide": binary(low=1, grad=False) + [S(T(values=[-7, 7, -8, 8]), T(values=[2, -2, -3, 3]), dtypes=("int32", "int64", *FLOATS), grad=False), S(*PAIRS, grad=False)],
            "remainder": binary(low=1) + [S(T(values=[-7, 7, -8, 8]), T(values=[2, -2, -3, 3]), dtypes=("int32", "int64", *FLOATS), grad=False), S(*PAIRS, grad=False)],
            "fmod": binary(low=1) + [S(T(values=[-7, 7, -8, 8]), T(values=[2, -2, -3, 3]), dtypes=("int32", "int64", *FLOATS), grad=False), S(*PAIRS, grad=False)],
            "neg": unary(), "positive": unary(), "abs": unary(), "sign": unary(), "square": unary(dtypes=NUMBERS),
            "reciprocal": unary(), "sqrt": unary(low=0.1), "rsqrt": unary(low=0.1),
            "floor": unary(), "ceil": unary(), "trunc": unary(), "frac": unary(), "round": unary(),
            "round.decimals": [S(T(20), decimals=1, dtypes=FLOATS), S(T(20, low=-200, high=200), decimals=-1, dtypes=FLOATS)],
            "maximum": binary(numbers=()) + [S(*PAIRS, grad=False)], "minimum": binary(numbers=()) + [S(*PAIRS, grad=False)],
            "fmax": binary(numbers=()) + [S(*PAIRS, grad=False)], "fmin": binary(numbers=()) + [S(*PAIRS, grad=False)],
            "clamp": [
                S(T(30), min=-1, max=1, dtypes=NUMBERS), S(T(30), min=0.5, dtypes=NUMBERS), S(T(30), max=T(30)),
                S(T(2, 5), T(5, low=-3, high=-1), T(2, 1, low=1, high=2)), S(T(5), 2, -2),
                S(T(values=SPECIAL), -1, 1, grad=False),
            ],
            "clamp_min": [S(T(30), 0.5), S(T(30), T(30)), S(T(30), 1, dtypes=INTS)],
            "clamp_max": [S(T(30), 0.5), S(T(30), T(30)), S(T(30), 1, dtypes=INTS)],
            "lerp": [S(T(4, 5), T(4, 5), 0.3), S(T(4, 5), T(5), T(4, 1, low=0, high=1), dtypes=FLOATS)],
            "addcmul": [S(T(4, 5), T(4, 5), T(5), value=2, dtypes=NUMBERS), S(T(4), T(4), T(4))],
            "addcdiv": [S(T(4, 5), T(4, 5), T(5, low=1), value=2, dtypes=FLOATS), S(T(4), T(4), T(4, low=1))],
            "pow": [
                S(T(30, low=0.1), T(30)), S(T(30), 2, dtypes=NUMBERS), S(T(30), 3), S(T(30, low=0.1), 0.5), S(T(30, low=0.5), -1),
                S(T(30, low=0.5), -2), S(T(30), 0), S(T(30), 1), S(T(5, low=0), T(5, low=0), dtypes=INTS), S(T(30, low=0.2), 2.7, dtypes=FLOATS),
                S(T(3, dtype="int64", low=0), 1.5), S(*PAIRS, grad=False),
            ],
            "copysign": binary(low=0.5) ,
            "nan_to_num": [S(T(values=SPECIAL, grad=False), dtypes=FLOATS), S(T(values=SPECIAL, grad=False), nan=1.0, posinf=9.0, neginf=-9.0), S(T(4), dtypes=INTS)],
            "heaviside": [S(T(values=SPECIAL, grad=False), T(low=0, high=1), dtypes=FLOATS)],
            "gcd": [S(T(20, low=-30, high=30), T(20, low=-30, high=30), dtypes=("int32", "int64"))],
            "deg2rad": unary(dtypes=NUMBERS), "rad2deg": unary(dtypes=NUMBERS),
        }
    )  # fmt: skip


def _comparison() -> None:
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        SAMPLES[name] = binary() + [S(*PAIRS)]
    for name in ("logical_and", "logical_or", "logical_xor"):
        SAMPLES[name] = binary(numbers=())
    SAMPLES["logical_not"] = unary()
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        SAMPLES[name] = [S(T(20), T(20), dtypes=ALL), S(T(20, dtype="int64"), 3), S(T(4, 1, dtype="uint8"), T(3, dtype="int32"))]
    SAMPLES["bitwise_not"] = [S(T(20), dtypes=ALL)]
    for name in ("bitwise_left_shift", "bitwise_right_shift"):
        SAMPLES[name] = [S(T(20, low=-50, high=50), T(20, low=0, high=7), dtypes=INTS), S(T(5, dtype="int64"), 2)]
    for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit"):
        SAMPLES[name] = unary()
    mask = T(4, 5, dtype="bool")
    SAMPLES.update(
        {
            "where": [
                S(mask, T(4, 5), T(4, 5), dtypes=ALL), S(T(5, dtype="bool"), T(4, 1), T()), S(mask, 1.0, T(4, 5)), S(mask, T(4, 5), 0),
                S(mask, T(4, 5, dtype="int64"), T(4, 5)), S(mask, T(4, 5, dtype="int64"), 1.5),
            ],
            "where.nonzero": [S(T(4, 5, dtype="bool"), strides=False)],
            "masked_fill": [S(T(4, 5), mask, 2, dtypes=NUMBERS), S(T(4, 5), T(5, dtype="bool"), T()), S(T(4, 5), mask, -math.inf)],
        }
    )  # fmt: skip


def _elementary() -> None:
    for name in ("exp", "exp2", "expm1", "sin", "cos", "atan", "tanh", "asinh", "erf", "erfc", "sigmoid"):
        SAMPLES[name] = unary()
    for name in ("sinh", "cosh", "tan"):
        SAMPLES[name] = unary(low=-1.4, high=1.4)
    for name in ("log", "log2", "log10"):
        SAMPLES[name] = unary(low=0.1)
    for name in ("asin", "acos", "atanh"):
        SAMPLES[name] = unary(low=-0.9, high=0.9)
    SAMPLES["log1p"] = unary(low=-0.9)
    SAMPLES["acosh"] = unary(low=1.1)
    SAMPLES["lgamma"] = unary(low=0.1, double=False, tolerance=10)
    SAMPLES["digamma"] = [S(T(40, low=0.1, high=9), dtypes=FLOATS, tolerance=10)]
    SAMPLES["atan2"] = binary(low=0.5, numbers=()) + [S(*PAIRS, grad=False)]
    SAMPLES["hypot"] = [S(T(4, 5), T(5), dtypes=FLOATS)]
    SAMPLES["logaddexp"] = [S(T(4, 5), T(5), dtypes=FLOATS), S(*PAIRS, grad=False)]
    SAMPLES["xlogy"] = [S(T(4, 5), T(5, low=0.1), dtypes=FLOATS), S(*PAIRS, grad=False), S(T(4), 2)]
    SAMPLES["logit"] = [S(T(20, low=0.1, high=0.9), dtypes=FLOATS), S(T(20, low=-0.5, high=1.5), eps=0.1)]
    SAMPLES["sinc"] = [S(T(20), dtypes=FLOATS), S(T(values=[0.0, 1.0, -0.5]), double=False)]  # PyTorch: NaN


def _activation() -> None:
    SAMPLES.update(
        {
            "relu": unary(dtypes=NUMBERS),
            "gelu": unary(dtypes=FLOATS, tolerance=4)[:5] + [S(T(5, 67), approximate="tanh", dtypes=FLOATS, tolerance=4)],
            "silu": unary(dtypes=FLOATS, tolerance=4), "softplus": unary(dtypes=FLOATS, tolerance=4) + [S(T(20), 2.0, 3.0)],
            "leaky_relu": unary(dtypes=FLOATS) + [S(T(20), 0.3)],
            "elu": unary(dtypes=FLOATS) + [S(T(20), 2.0)],
        }
    )  # fmt: skip


def _reduction() -> None:
    def reductions(dtypes: tuple[str, ...] = ALL, low: float = -3, high: float = 3, **options: Any) -> list[Sample]:
        return [
            S(T(3, 4, 5, low=low, high=high), dtypes=dtypes, **options),
            S(T(3, 4, 5, low=low, high=high), 1, dtypes=dtypes, **options),
            S(T(3, 4, 5, low=low, high=high), (0, -1), True, **options),
            S(T(3, 4, 5, low=low, high=high, layout="permuted"), dim=0, keepdim=True, **options),
            S(T(6, 300, low=low, high=high, layout="sliced"), 1, **options),
            S(T(low=low, high=high), **options),
        ]

    single = [
        S(T(3, 4, 5), dtypes=NUMBERS), S(T(3, 4, 5), 1, dtypes=NUMBERS), S(T(3, 4, 5, layout="permuted"), dim=-1, keepdim=True),
        S(T(values=[[1.0, math.nan, 3.0], [2.0, 2.0, 1.0]], grad=False), 1, dtypes=FLOATS),
    ]  # fmt: skip
    SAMPLES.update(
        {
            "sum": reductions(tolerance=5) + [S(T(0, 3)), S(T(0, 3), 0), S(T(4, 5), dtype="float64"), S(T(4, 5), 0, dtype="int64", grad=False)],
            "mean": reductions(FLOATS, tolerance=5) + [S(T(0, 3)), S(T(4, dtype="int64")), S(T(4, dtype="int64"), dtype="float32", grad=False)],
            "prod": [S(T(3, 4), dtypes=ALL), S(T(3, 4), 1, dtypes=NUMBERS), S(T(3, 4), 0, True), S(T(values=[[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]), 1), S(T(0, 3))],
            "amax": reductions() + [S(T(0, 3), 0), S(T(0, 3), 1)], "amin": reductions(),
            "any": [S(T(3, 4), dtypes=BUT_UINT8), S(T(3, 4), 1, dtypes=BUT_UINT8), S(T(3, 4), (0, 1), True), S(T(0, 3), 0)],
            "all": [S(T(3, 4), dtypes=BUT_UINT8), S(T(3, 4), 1, dtypes=BUT_UINT8), S(T(3, 4), (0, 1), True), S(T(0, 3), 0)],
            "argmax": single + [S(T(0, 3), 0)], "argmin": single,
            "max": [S(T(3, 4), dtypes=ALL)], "min": [S(T(3, 4), dtypes=ALL)],
            "max.dim": single[1:], "min.dim": single[1:],
            "max.other": [S(T(3, 4), T(4), dtypes=ALL)], "min.other": [S(T(3, 4), T(4), dtypes=ALL)],
            "aminmax": [S(T(3, 4), dtypes=NUMBERS), S(T(3, 4), dim=1, keepdim=True)],
            "var": [S(T(3, 4), dtypes=FLOATS), S(T(3, 4, 5), (0, 2), correction=0, keepdim=True), S(T(3, 40, layout="sliced"), 1, correction=2), S(T(3, dtype="int64")), S(T(1), grad=False)],
            "var.dim": [S(T(3, 4), 1, False), S(T(3, 4), 0, True, True)], "var.unbiased": [S(T(3, 4), False), S(T(3, 4), True)],
            "std": [S(T(3, 4), dtypes=FLOATS), S(T(3, 4, 5), (0, 2), correction=0, keepdim=True)],
            "std.dim": [S(T(3, 4), 1, False), S(T(3, 4), 0, True, True)], "std.unbiased": [S(T(3, 4), False)],
            "var_mean": [S(T(3, 4), 1), S(T(3, 4), correction=0)],
            "logsumexp": [S(T(3, 4), 1, dtypes=FLOATS), S(T(3, 4), (0, 1), True), S(T(values=[[-math.inf, -math.inf], [math.inf, 1.0]], grad=False), 1)],
            "norm": [S(T(3, 4), dtypes=FLOATS), S(T(3, 4), 1, 1), S(T(3, 4), math.inf, 0), S(T(3, 4), 3, (0, 1), True), S(T(3, 4), 0, 1, grad=False), S(T(values=[0.0, 0.0]), double=False)],
            "vector_norm": [S(T(3, 4)), S(T(3, 4), 3, 1), S(T(3, 4), -math.inf, 0)],
            "count_nonzero": [S(T(3, 4), dtypes=ALL), S(T(3, 4, dtype="int64"), 1)],
            "nansum": [S(T(values=SPECIAL[:4] + [math.nan], grad=False), dtypes=FLOATS), S(T(3, 4), 1, True)],
            "cumsum": [S(T(3, 4), 1, dtypes=ALL), S(T(3, 4), 0, dtype="float64"), S(T(3, 4, 5), 1), S(T(), 0), S(T(0, 3), 0)],
            "cumprod": [S(T(3, 4), 1, dtypes=NUMBERS), S(T(values=[[1.0, 0.0, 2.0, 3.0]]), 1), S(T(3, 4, 2), 1)],
        }
    )  # fmt: skip


def _matmul() -> None:
    matrices = (T(4, 5), T(5, 3))
    SAMPLES.update(
        {
            "mm": [
                S(*matrices, dtypes=NUMBERS, tolerance=5), S(T(4, 5, layout="permuted"), T(5, 3)), S(T(4, 5, layout="sliced"), T(5, 3, layout="permuted")),
                S(T(70, 130), T(130, 90), tolerance=10), S(T(0, 3), T(3, 2)), S(T(2, 0), T(0, 3)), S(T(1, 9), T(9, 1)), S(T(4, 5), T(4, 5)), S(T(2, 3), T(3, 2, dtype="float64")),
            ],
            "bmm": [S(T(2, 4, 5), T(2, 5, 3), dtypes=NUMBERS), S(T(9, 4, 5, layout="permuted"), T(9, 5, 3, layout="sliced")), S(T(2, 3, 4), T(3, 4, 2)), S(T(2, 3, 0), T(2, 0, 2))],
            "matmul": [
                S(T(4), T(4)), S(T(3, 4), T(4)), S(T(4), T(4, 3)), S(*matrices), S(T(2, 3, 4), T(4, 5)), S(T(2, 3, 4), T(4)), S(T(4), T(2, 4, 5)),
                S(T(2, 1, 3, 4), T(5, 4, 2)), S(T(3, 4), T(2, 4, 5)), S(T(2, 3), T(4, 5)), S(T(), T(3)),
            ],
            "dot": [S(T(7), T(7), dtypes=NUMBERS), S(T(7), T(6)), S(T(2, 2), T(2))],
            "mv": [S(T(4, 5), T(5)), S(T(4, 5), T(4))],
            "outer": [S(T(3), T(4), dtypes=NUMBERS)],
            "addmm": [S(T(4, 3), *matrices), S(T(3), *matrices, beta=0.5, alpha=2), S(T(values=[math.nan] * 3, grad=False), *matrices, beta=0)],
            "addmv": [S(T(4), T(4, 5), T(5)), S(T(1), T(4, 5), T(5), beta=2, alpha=3)],
            "baddbmm": [S(T(2, 4, 3), T(2, 4, 5), T(2, 5, 3), beta=0.5, alpha=2)],
            "linear": [S(T(4, 5), T(3, 5), T(3)), S(T(2, 4, 5), T(3, 5)), S(T(5), T(3, 5), T(3)), S(T(4, 5), T(3, 4))],
            "einsum": [
                S("ij,jk->ik", *matrices), S("bij,bjk->bik", T(2, 3, 4), T(2, 4, 5)), S("ii->i", T(3, 3)), S("ii", T(3, 3)), S("i,j->ij", T(3), T(4)),
                S("...ij,...jk->...ik", T(2, 3, 4), T(4, 5)), S("ij->ji", T(3, 4)), S("ij,ij->", T(3, 4), T(3, 4)), S("bhqd,bhkd->bhqk", T(2, 2, 3, 4), T(2, 2, 5, 4)), S("ij,jk,kl->il", T(2, 3), T(3, 4), T(4, 2)),
            ],
            "scaled_dot_product_attention": [
                S(T(2, 3, 4, 8), T(2, 3, 5, 8), T(2, 3, 5, 8), double=False, strides=False), S(T(2, 4, 8), T(2, 4, 8), T(2, 4, 8), is_causal=True, double=False, strides=False),
                S(T(2, 4, 8), T(2, 5, 8), T(2, 5, 8), attn_mask=T(4, 5, grad=False), scale=0.3, double=False, strides=False),
            ],
        }
    )  # fmt: skip


def _views() -> None:
    x, tall = T(2, 3, 4), T(4, 6)
    SAMPLES.update(
        {
            "view": [S(x, (6, 4)), S(x, (-1,)), S(x, (2, -1, 2)), S(x, (5, 5)), S(x, (-1, -1)), S(T(3, 4, layout="permuted"), (12,)), S(T(0, 3), (3, 0)), S(T(), (1, 1)), S(T(2, 1, 3, layout="permuted"), (2, 3))],
            "reshape": [S(x, (6, 4)), S(T(3, 4, layout="permuted"), (2, 6)), S(T(), (1,)), S(x, (7, -1)), S(T(2, 6, layout="sliced"), (3, 4))],
            "expand": [S(T(3, 1), (2, 3, 4)), S(T(3, 1), (-1, 4)), S(T(3), (4,)), S(T(), (2, 2)), S(T(2, 3), (3,))],
            "permute": [S(x, (2, 0, 1)), S(x, (-1, 0, 1)), S(x, (0, 0, 1)), S(x, (0, 1)), S(T(), ())],
            "transpose": [S(x, 0, 2), S(x, -1, -2), S(x, 0, 3), S(T(), 0, -1)],
            "t": [S(T(2, 3)), S(T(3)), S(T()), S(x)],
            "unsqueeze": [S(x, 0), S(x, -1), S(x, 3), S(x, 5), S(T(3, 4, layout="permuted"), 1), S(T(), 0)],
            "squeeze": [S(T(1, 3, 1)), S(T(1, 3, 1), 0), S(T(1, 3, 1), (0, 2)), S(T(1, 3, 1), 1), S(T(3), 4), S(T())],
            "select": [S(x, 1, 2), S(x, -1, -1), S(x, 1, 3), S(T(), 0, 0)],
            "narrow": [S(x, 1, 1, 2), S(x, -1, -3, 2), S(x, 1, 2, 2), S(x, 0, 5, 1)],
            "diagonal": [S(T(3, 4)), S(x, 1, 1, 2), S(x, -1, 0, 2), S(T(3, 4), 9), S(T(3, 4), 0, 1, 1)],
            "unfold": [S(T(7), 0, 3, 2), S(tall, 1, 2, 2), S(T(7), 0, 9, 1)],
            "as_strided": [S(T(12), (3, 2), (4, 1), grad=False), S(T(12), (2, 2), (1, 1), 3, grad=False), S(T(4), (9,), (1,), grad=False)],
            "view_as": [S(x, T(6, 4))], "reshape_as": [S(T(3, 4, layout="permuted"), T(12))], "expand_as": [S(T(3, 1), T(3, 4))],
            "broadcast_to": [S(T(3, 1), (2, 3, 4))], "broadcast_tensors": [S(T(3, 1), T(4), name="broadcast_tensors")],
            "flatten": [S(x), S(x, 1), S(x, 0, 1), S(x, 2, 1), S(T())],
            "unflatten": [S(T(2, 6), 1, (2, 3)), S(T(2, 6), 1, (-1, 3)), S(T(2, 6), 1, (4, 2))],
            "ravel": [S(T(3, 4, layout="permuted"))],
            "movedim": [S(x, 0, 2), S(x, (0, 1), (2, 0)), S(x, (0, 0), (1, 2))],
            "split": [S(tall, 2), S(tall, 4, 1), S(tall, [1, 3]), S(tall, [2, 4], 1), S(tall, [1, 1])],
            "split_with_sizes": [S(tall, [1, 3])], "chunk": [S(tall, 3), S(tall, 4, 1), S(tall, 0)],
            "tensor_split": [S(tall, 3), S(tall, 4, -1)], "unbind": [S(x), S(x, 2), S(T())],
            "slice_scatter": [S(tall, T(2, 6), 0, 1, 3), S(tall, T(4, 3), 1, 0, 6, 2), S(tall, T(3, 6), 0, 1, 3)],
            "select_scatter": [S(tall, T(6), 0, 2), S(tall, T(4), 1, -1), S(tall, T(5), 0, 0)],
            "diagonal_scatter": [S(tall, T(4)), S(tall, T(3), -1)],
        }
    )  # fmt: skip


def _copies() -> None:
    x = T(3, 4)
    SAMPLES.update(
        {
            "clone": [S(x, dtypes=ALL), S(T(3, 4, layout="permuted")), S(T(3, 4, layout="sliced")), S(T(3, 4, layout="expanded"))],
            "detach": [S(x), S(T(3, 4, layout="permuted"))], "contiguous": [S(x), S(T(3, 4, layout="permuted"))],
            "to.dtype": [S(T(20, low=-300, high=300), dtype, dtypes=NUMBERS + ("bool",), grad=dtype == "float64") for dtype in ("int32", "int64", "float32", "float64", "bool")] + [S(T(20, low=0, high=200), "uint8", dtypes=NUMBERS, grad=False)],
            "to.device": [S(x, "cpu"), S(x, "cpu", "float64")],
            "to.other": [S(x, T(2, dtype="float64", grad=False)), S(x, T(2, dtype="int64"), grad=False)],
            "type_as": [S(x, T(2, dtype="float64", grad=False))],
            "fill": [S(x, 2.5, dtypes=NUMBERS, strides=False), S(x, T())],
            "item": [S(T(1, 1), dtypes=ALL), S(T(), dtypes=ALL), S(T(2))],
            "equal": [S(x, x, dtypes=ALL), S(T(values=[1, 2]), T(values=[1, 2])), S(T(3), T(4))],
            "allclose": [S(T(values=[1.0, 2.0]), T(values=[1.0, 2.000001])), S(T(values=[1.0, math.nan]), T(values=[1.0, math.nan]), equal_nan=True), S(x, T(3, 4))],
            "isclose": [S(T(values=SPECIAL, grad=False), T(values=SPECIAL[::-1], grad=False)), S(T(values=SPECIAL, grad=False), T(values=SPECIAL, grad=False), equal_nan=True), S(T(3), T(3), dtypes=("int64", "float64"))],
        }
    )  # fmt: skip


def _creation() -> None:
    x = T(2, 3)
    SAMPLES.update(
        {
            "full": [S((2, 3), 1.5), S((2,), 3), S((2,), True), S((), 2, dtype="float64"), S((2,), 2.5, dtype="int32"), S((-1,), 0)],
            "zeros": [S((2, 3)), S((), dtype="int64"), S((0, 2))], "ones": [S((2, 3)), S((2,), dtype="bool")],
            "scalar_tensor": [S(1.5), S(2, dtype="int64")],
            "zeros_like": [S(x, dtypes=ALL), S(T(2, 3, layout="permuted")), S(x, dtype="int64"), S(T(3, 4, layout="expanded"))],
            "ones_like": [S(x), S(x, dtype="float64")], "full_like": [S(x, 2), S(x, 2.5, dtype="float64"), S(T(2, 3, layout="permuted"), 1)],
            "new_zeros": [S(x, (2, 2))], "new_ones": [S(x, (2,), dtype="int64")], "new_full": [S(x, (2, 2), 3)],
            "arange": [S(5), S(2.5), S(5, dtype="float32"), S(-1)],
            "arange.start_step": [S(1, 7), S(1, 7, 2), S(0, 1, 0.1), S(7, 1, -2), S(1, 5, 0), S(0, 5, -1), S(1.0, 3, dtype="int64")],
            "linspace": [S(0, 1, 5), S(-3, 3, 1), S(0, 10, 0), S(1, 9, 7, dtype="float64"), S(0, 10, 4, dtype="int64")],
            "logspace": [S(0, 2, 5), S(0, 3, 4, 2.0)],
            "eye": [S(3), S(2, dtype="int64")], "eye.m": [S(2, 4), S(4, 2), S(-1, 2)],
            "tril": [S(T(4, 5), dtypes=ALL), S(T(2, 3, 4), 1), S(T(4, 5), -2), S(T(3))], "triu": [S(T(4, 5), dtypes=ALL), S(T(2, 3, 4), 1), S(T(4, 5), -2)],
            "diag_embed": [S(x), S(x, 1), S(T(2, 3), 0, 0, 2)], "diag": [S(T(3)), S(T(3), 1), S(T(3, 4)), S(T(3, 4), -1), S(T(2, 2, 2))],
            "trace": [S(T(3, 4)), S(T(3, 3), dtypes=INTS), S(T(3))],
            "meshgrid": [S(T(3), T(4), indexing="ij"), S(T(3), T(4), T(2), indexing="xy")],
            "one_hot": [S(T(5, dtype="int64", low=0), 3), S(T(2, 2, dtype="int64", low=0)), S(T(2))],
        }
    )  # fmt: skip


def _indexing() -> None:
    rows, index = T(5, 4), T(2, 4, dtype="int64", low=0, high=5)
    pick = T(3, dtype="int64", low=0, high=4)
    SAMPLES.update(
        {
            "index_put": [S(rows, [T(values=[0, 3, 1], dtype="int64")], T(3, 4)), S(rows, [T(values=[0, 3, 0], dtype="int64")], T(4), True), S(rows, [T(5, 4, dtype="bool")], T())],
            "gather": [S(rows, 0, index, dtypes=ALL), S(rows, 1, T(5, 2, dtype="int64", low=0, high=4)), S(T(5, 4, layout="permuted"), 1, T(3, 6, dtype="int64", low=0, high=4)), S(rows, 0, T(2, 4, dtype="int64", low=5, high=9)), S(rows, 0, T(2, 5, dtype="int64", low=0)), S(T(), 0, T(dtype="int64", low=0, high=1))],
            "scatter": [S(rows, 0, T(values=[[0, 1, 2, 0], [3, 4, 0, 1]], dtype="int64"), T(3, 4), dtypes=NUMBERS), S(rows, 1, T(5, 1, dtype="int64", low=0, high=4), T(5, 1))],
            "scatter.value": [S(rows, 0, index, 2, dtypes=NUMBERS), S(rows, 0, index, 1.5)],
            "scatter_add": [S(rows, 0, index, T(2, 4), dtypes=NUMBERS), S(rows, 0, T(2, 4, dtype="int64", low=5, high=9), T(2, 4))],
            "index_select": [S(rows, 0, pick, dtypes=ALL), S(rows, 1, pick), S(T(5, 4, layout="permuted"), 0, pick), S(rows, 0, T(3, dtype="int64", low=7, high=9))],
            "index_add": [S(rows, 0, pick, T(3, 4), dtypes=NUMBERS), S(rows, 1, pick, T(5, 3), alpha=2)],
            "index_fill": [S(rows, 0, pick, 2.0), S(rows, 1, pick, 1)], "index_copy": [S(rows, 0, T(values=[0, 3, 1], dtype="int64"), T(3, 4))],
            "take_along_dim": [S(rows, T(2, 4, dtype="int64", low=0, high=5), 0), S(rows, T(5, 1, dtype="int64", low=0, high=4), 1), S(rows, T(7, dtype="int64", low=0, high=20))],
            "take": [S(rows, T(2, 3, dtype="int64", low=0, high=20))],
            "masked_select": [S(rows, T(5, 4, dtype="bool")), S(rows, T(4, dtype="bool"))],
            "nonzero": [S(T(3, 4), dtypes=ALL, strides=False), S(T(0, 2))], "nonzero.as_tuple": [S(T(3, 4, dtype="bool"), as_tuple=True, strides=False)], "argwhere": [S(T(3, 4, dtype="bool"), strides=False)],
            "embedding": [S(rows, T(2, 3, dtype="int64", low=0, high=5)), S(rows, T(3, dtype="int32", low=0, high=5)), S(rows, T(values=[1, 2, 1], dtype="int64"), 1), S(rows, T(2, dtype="int64", low=5, high=8)), S(rows, T(2))],
        }
    )  # fmt: skip


def _joining() -> None:
    x = T(3, 4)
    ordered = T(4, 6, values=np.random.default_rng(3).permutation(24).reshape(4, 6))
    SAMPLES.update(
        {
            "cat": [S([x, T(2, 4)], dtypes=ALL), S([x, T(3, 1)], 1), S([x, T(3, 4, dtype="int64")], -1), S([T(0), x]), S([x, T(2, 3)]), S([]), S([T()])],
            "stack": [S([x, x]), S([x, x], -1), S([x, T(4, 3)]), S([])],
            "hstack": [S([T(2), T(3)]), S([x, T(3, 1)])], "vstack": [S([T(4), x])],
            "repeat": [S(x, (2, 1)), S(x, (2, 1, 3)), S(x, (2,)), S(T(), (3,)), S(x, (1, 1))], "tile": [S(x, (2,)), S(x, (2, 1, 3))],
            "repeat_interleave": [S(x, 2), S(x, 3, 1), S(x, 2, dim=0)],
            "flip": [S(x, (0,), dtypes=ALL), S(x, (0, 1)), S(T(3, 4, layout="permuted"), (1,)), S(x, (0, 0)), S(T(0, 2), (0,))],
            "roll": [S(x, 1, 0), S(x, (1, -2), (0, 1)), S(x, 5), S(x, (1, 2), (0,))],
            "sort": [S(ordered, dtypes=NUMBERS), S(ordered, 0, True), S(T(values=[3.0, math.nan, -math.inf, 1.0], grad=False)), S(T(values=[3.0, math.nan, 1.0], grad=False), descending=True), S(T())],
            "argsort": [S(ordered), S(ordered, 0, True)],
            "topk": [S(ordered, 2, dtypes=NUMBERS), S(ordered, 2, 0, False), S(ordered, 9), S(T(values=[3.0, math.nan, 1.0], grad=False), 2)],
        }
    )  # fmt: skip


def _neural() -> None:
    scores, classes = T(4, 5), T(4, dtype="int64", low=0, high=5)
    probability = T(4, 5, low=0.05, high=0.95)
    SAMPLES.update(
        {
            "softmax": [S(scores, 1, dtypes=FLOATS), S(T(2, 3, 4), 0), S(T(2, 3, 4), 1), S(T(), 0), S(T(3, 40, layout="sliced"), -1), S(scores, 1, dtype="float64"), S(T(3, dtype="int64"), 0), S(T(values=[[math.nan, 1.0], [math.inf, 1.0], [-math.inf, 1.0], [-math.inf, -math.inf]], grad=False), 1)],
            "log_softmax": [S(scores, 1, dtypes=FLOATS), S(T(2, 3, 4), 0), S(T(2, 3, 4), 1), S(T(), 0), S(scores, 1, dtype="float64")],
            "layer_norm": [S(T(4, 6), (6,), T(6), T(6), dtypes=FLOATS, tolerance=4), S(T(2, 3, 4), (3, 4), tolerance=4), S(T(4, 6), (6,), T(6), None, 0.1, tolerance=4), S(T(4, 6), (5,))],
            "rms_norm": [S(T(4, 6), (6,), T(6), tolerance=4), S(T(2, 3, 4), (3, 4), eps=0.1, tolerance=4)],
            "mse_loss": [S(scores, T(4, 5)), S(scores, T(4, 5), reduction="sum"), S(scores, T(4, 5), reduction="none")],
            "l1_loss": [S(scores, T(4, 5)), S(scores, T(4, 5), reduction="none")],
            "smooth_l1_loss": [S(scores, T(4, 5)), S(scores, T(4, 5), beta=0.5, reduction="sum")],
            "huber_loss": [S(scores, T(4, 5)), S(scores, T(4, 5), delta=0.5, reduction="none")],
            "nll_loss": [S(scores, classes), S(scores, classes, T(5, low=0.1, grad=False)), S(T(2, 5, 3), T(2, 3, dtype="int64", low=0, high=5), reduction="sum"), S(scores, T(values=[1, -100, 2, -100], dtype="int64")), S(T(5), T(dtype="int64", low=0, high=5)), S(scores, T(3, dtype="int64", low=0))],
            "cross_entropy": [
                S(scores, classes, dtypes=FLOATS), S(scores, classes, T(5, low=0.1, grad=False)), S(T(2, 5, 3), T(2, 3, dtype="int64", low=0, high=5), reduction="none"), S(scores, T(values=[1, -100, 2, 0], dtype="int64"), label_smoothing=0.2),
                S(scores, T(values=[1, 1, 2, 0], dtype="int64"), T(5, low=0.1, grad=False), label_smoothing=0.1, ignore_index=1), S(scores, probability), S(scores, probability, label_smoothing=0.1, reduction="sum"), S(T(5), T(dtype="int64", low=0, high=5)), S(scores, T(4, dtype="int64", low=6, high=8)),
            ],
            "binary_cross_entropy": [S(probability, T(4, 5, low=0, high=1, grad=False)), S(probability, T(4, 5, low=0, high=1, grad=False), T(5, low=0.1, grad=False), reduction="sum")],
            "binary_cross_entropy_with_logits": [S(scores, T(4, 5, low=0, high=1, grad=False)), S(scores, T(4, 5, low=0, high=1, grad=False), T(5, low=0.1, grad=False), pos_weight=T(5, low=0.1, grad=False))],
            "kl_div": [S(scores, probability, reduction="batchmean"), S(scores, T(4, 5), log_target=True, reduction="sum")],
        }
    )  # fmt: skip


for _family in (_arithmetic, _comparison, _elementary, _activation, _reduction, _matmul, _views, _copies, _creation, _indexing, _joining, _neural):
    _family()

# Rows whose values are not PyTorch's by nature (uninitialised or random): tests/eager/test_random.py, or shape and dtype only.
UNSPECIFIED = {
    "empty": [S((2, 3)), S((0,), dtype="int64")],
    "empty_strided": [S((2, 3), (1, 2))],
    "empty_like": [S(T(2, 3)), S(T(2, 3, layout="permuted"))],
    "new_empty": [S(T(2, 3), (4,), dtype="int64")],
    "rand": [S((2, 3)), S((2,), dtype="float64")],
    "randn": [S((2, 3)), S((2,), dtype="float64")],
    "randint": [S(5, (2, 3))],
    "randint.low": [S(2, 5, (2, 3))],
    "randperm": [S(7)],
    "rand_like": [S(T(2, 3))],
    "randn_like": [S(T(2, 3))],
    "randint_like": [S(T(2, 3), 5)],
    "bernoulli": [S(T(2, 3, low=0, high=1))],
    "bernoulli.p": [S(T(2, 3), 0.5)],
    "multinomial": [S(T(2, 5, low=0.1), 3)],
    "dropout": [S(T(4, 5), 0.5, True)],
}

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {
    "div_trunc": "div.mode",
    "clamp_both": "clamp",
    "replace_nonfinite": "nan_to_num",
    "gelu_erf": "gelu",
    "gelu_erf_slope": "gelu",
    "gelu_tanh": "gelu",
    "gelu_tanh_slope": "gelu",
    "gelu_tanh_curvature": "gelu",
    "slice": "narrow",
    "alias": "t",
    "unfold_backward": "unfold",
    "contiguous_copy": "contiguous",
    "cast": "to.dtype",
    "copy": "index_put",
    "zero": "zeros",
    "uniform": "rand",
    "normal": "randn",
    "random": "randint",
    "exponential": "rand",
    "bernoulli_fill": "bernoulli.p",
    "index": "take",
    "index_put_": "index_put",
    "index_elements": "take",
    "index_put_elements": "index_put",
    "embedding_backward": "embedding",
    "softmax_rows": "softmax",
    "log_softmax_rows": "log_softmax",
    "native_layer_norm": "layer_norm",
}
