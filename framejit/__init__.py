"""framejit: eager tensors with autograd, and a compiler for Python functions on them (``import framejit as fj``).

Names, signatures and meanings are PyTorch's. Op functions (``fj.add``) come from the op table.
"""

from __future__ import annotations

import builtins
import math
from typing import TYPE_CHECKING, Any

from framejit import _C
from framejit._C import Generator as Generator
from framejit._C import Size as Size
from framejit._C import Tensor as Tensor
from framejit._C import UntypedStorage as UntypedStorage
from framejit._C import as_tensor as as_tensor
from framejit._C import default_generator as default_generator
from framejit._C import device as device
from framejit._C import dtype as dtype
from framejit._C import from_dlpack as from_dlpack
from framejit._C import from_numpy as from_numpy
from framejit._C import get_default_dtype as get_default_dtype
from framejit._C import get_num_threads as get_num_threads
from framejit._C import promote_types as promote_types
from framejit._C import result_type as result_type
from framejit._C import set_default_dtype as set_default_dtype
from framejit._C import set_num_threads as set_num_threads
from framejit._C import tensor as tensor

__version__ = "0.1.0"

# --- dtypes -----------------------------------------------------------------------------------------------------------
uint8 = _C.uint8
int8 = _C.int8
int16 = short = _C.int16
int32 = int = _C.int32
int64 = long = _C.int64
float16 = half = _C.float16
bfloat16 = _C.bfloat16
float32 = float = _C.float32
float64 = double = _C.float64
complex64 = cfloat = _C.complex64
complex128 = cdouble = _C.complex128
bool = _C.bool

# --- constants --------------------------------------------------------------------------------------------------------
inf, nan, pi, e = math.inf, math.nan, math.pi, math.e
newaxis = None


class _Layout:
    """A value of ``layout=`` or ``memory_format=``: accepted for PyTorch's sake, the only ones there are."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"framejit.{self._name}"

    def __reduce__(self) -> str:
        return self._name


strided = _Layout("strided")
contiguous_format = _Layout("contiguous_format")
preserve_format = _Layout("preserve_format")

# --- op functions -----------------------------------------------------------------------------------------------------
if TYPE_CHECKING:
    from framejit._C.ops import *
globals().update({name: function for name, function in vars(_C.ops).items() if not name.startswith("__")})


# --- settings and small helpers ---------------------------------------------------------------------------------------
def manual_seed(seed: builtins.int) -> Generator:
    """Starts the stream of random numbers of a seed, and returns the generator that all ops draw from."""
    return default_generator.manual_seed(seed)


def seed() -> builtins.int:
    """Seeds with a random number, and returns it."""
    return default_generator.seed()


def initial_seed() -> builtins.int:
    """The seed of the stream of random numbers."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The place in the stream of random numbers."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Goes to a place that :func:`get_rng_state` returned."""
    default_generator.set_state(new_state)


def is_tensor(obj: Any) -> builtins.bool:
    """Whether ``obj`` is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> builtins.bool:
    """Whether the dtype of ``input`` holds real numbers with a fraction."""
    return input.is_floating_point()


def is_complex(input: Tensor) -> builtins.bool:
    """Whether the dtype of ``input`` holds complex numbers."""
    return input.is_complex()


def is_conj(input: Tensor) -> builtins.bool:
    """Always False: tensors are conjugated at once."""
    return input.is_conj()


def is_neg(input: Tensor) -> builtins.bool:
    """Always False: tensors are negated at once."""
    return input.is_neg()


def resolve_conj(input: Tensor) -> Tensor:
    """``input``, which is never a conjugation in waiting."""
    return input.resolve_conj()


def resolve_neg(input: Tensor) -> Tensor:
    """``input``, which is never a negation in waiting."""
    return input.resolve_neg()


def numel(input: Tensor) -> builtins.int:
    """Number of elements."""
    return input.numel()


from framejit import compiler as compiler  # noqa: E402  isort: skip  (autograd and optim mark functions with it)
from framejit import _tensor as _tensor  # noqa: E402  (completes Tensor; needs autograd)
from framejit import autograd as autograd  # noqa: E402
from framejit._dtype_info import can_cast as can_cast  # noqa: E402
from framejit._dtype_info import finfo as finfo  # noqa: E402
from framejit._dtype_info import iinfo as iinfo  # noqa: E402
from framejit._tensor_str import set_printoptions as set_printoptions  # noqa: E402
from framejit.autograd.grad_mode import enable_grad as enable_grad  # noqa: E402
from framejit.autograd.grad_mode import inference_mode as inference_mode  # noqa: E402
from framejit.autograd.grad_mode import is_grad_enabled as is_grad_enabled  # noqa: E402
from framejit.autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled  # noqa: E402
from framejit.autograd.grad_mode import no_grad as no_grad  # noqa: E402
from framejit.autograd.grad_mode import set_grad_enabled as set_grad_enabled  # noqa: E402
from framejit.compiler import compile as compile  # noqa: E402
from framejit.compiler import explain as explain  # noqa: E402

from framejit import nn as nn  # noqa: E402  isort: skip
from framejit import optim as optim  # noqa: E402  isort: skip
from framejit import fx as fx  # noqa: E402  isort: skip
from framejit import serialization as serialization  # noqa: E402  isort: skip
from framejit import utils as utils  # noqa: E402  isort: skip
from framejit import linalg as linalg  # noqa: E402  isort: skip
from framejit import special as special  # noqa: E402  isort: skip
from framejit._products import lu as lu  # noqa: E402
from framejit._products import tensordot as tensordot  # noqa: E402

from framejit import multiprocessing as multiprocessing  # noqa: E402  isort: skip
from framejit.serialization import load as load  # noqa: E402  isort: skip
from framejit.serialization import save as save  # noqa: E402  isort: skip

compiler.start_logging()
