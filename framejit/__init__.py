"""framejit: eager tensors with autograd, and a compiler for Python functions on them (``import framejit as fj``).

Names, signatures and meanings are PyTorch's. Op functions (``fj.add``) come from the op table.
"""

from __future__ import annotations

import builtins
import importlib
import math
from typing import TYPE_CHECKING, Any

from framejit import _C
from framejit._C import Generator as Generator
from framejit._C import OutOfMemoryError as OutOfMemoryError
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


class layout:
    """A value of ``layout=``: accepted for PyTorch's sake. Every tensor is ``strided``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"framejit.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class memory_format(str):
    """A value of ``memory_format=``: an order in which the elements of a tensor lie."""

    def __repr__(self) -> str:
        return f"framejit.{self}"

    def __reduce__(self) -> str:
        return str(self)


strided, sparse_coo, sparse_csr = layout("strided"), layout("sparse_coo"), layout("sparse_csr")
Tensor.layout = property(lambda self: strided, doc="framejit.strided: there is no other one.")
contiguous_format = legacy_contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")

# --- op functions -----------------------------------------------------------------------------------------------------
if TYPE_CHECKING:
    from framejit._C.ops import *
globals().update({name: function for name, function in vars(_C.ops).items() if not name.startswith("__")})
# In-place forms as functions, `relu_(x)`.
globals().update(
    {name: method for name, method in vars(Tensor).items() if name.endswith("_") and name[:-1] in globals()}
)


# --- settings and small helpers ---------------------------------------------------------------------------------------
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
from framejit import _tensor_methods as _tensor_methods  # noqa: E402
from framejit import autograd as autograd  # noqa: E402
from framejit import functional as functional  # noqa: E402
from framejit import random as random  # noqa: E402
from framejit._C._autograd import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled  # noqa: E402
from framejit._C._autograd import is_anomaly_enabled as is_anomaly_enabled  # noqa: E402
from framejit._C._autograd import set_anomaly_enabled as set_anomaly_enabled  # noqa: E402
from framejit._dtype_info import can_cast as can_cast  # noqa: E402
from framejit._dtype_info import finfo as finfo  # noqa: E402
from framejit._dtype_info import iinfo as iinfo  # noqa: E402
from framejit._lowrank import ormqr as ormqr  # noqa: E402
from framejit._lowrank import pca_lowrank as pca_lowrank  # noqa: E402
from framejit._lowrank import svd_lowrank as svd_lowrank  # noqa: E402
from framejit._settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled  # noqa: E402
from framejit._settings import detach as detach  # noqa: E402
from framejit._settings import detach_ as detach_  # noqa: E402
from framejit._settings import empty_permuted as empty_permuted  # noqa: E402
from framejit._settings import get_default_device as get_default_device  # noqa: E402
from framejit._settings import get_deterministic_debug_mode as get_deterministic_debug_mode  # noqa: E402
from framejit._settings import get_device as get_device  # noqa: E402
from framejit._settings import get_float32_matmul_precision as get_float32_matmul_precision  # noqa: E402
from framejit._settings import get_num_interop_threads as get_num_interop_threads  # noqa: E402
from framejit._settings import (  # noqa: E402
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from framejit._settings import is_inference as is_inference  # noqa: E402
from framejit._settings import is_nonzero as is_nonzero  # noqa: E402
from framejit._settings import is_same_size as is_same_size  # noqa: E402
from framejit._settings import is_signed as is_signed  # noqa: E402
from framejit._settings import is_warn_always_enabled as is_warn_always_enabled  # noqa: E402
from framejit._settings import set_default_device as set_default_device  # noqa: E402
from framejit._settings import set_default_tensor_type as set_default_tensor_type  # noqa: E402
from framejit._settings import set_deterministic_debug_mode as set_deterministic_debug_mode  # noqa: E402
from framejit._settings import set_float32_matmul_precision as set_float32_matmul_precision  # noqa: E402
from framejit._settings import set_flush_denormal as set_flush_denormal  # noqa: E402
from framejit._settings import set_num_interop_threads as set_num_interop_threads  # noqa: E402
from framejit._settings import set_warn_always as set_warn_always  # noqa: E402
from framejit._settings import typename as typename  # noqa: E402
from framejit._settings import use_deterministic_algorithms as use_deterministic_algorithms  # noqa: E402
from framejit._symbolic_numbers import sym_float as sym_float  # noqa: E402
from framejit._symbolic_numbers import sym_int as sym_int  # noqa: E402
from framejit._symbolic_numbers import sym_ite as sym_ite  # noqa: E402
from framejit._symbolic_numbers import sym_max as sym_max  # noqa: E402
from framejit._symbolic_numbers import sym_min as sym_min  # noqa: E402
from framejit._symbolic_numbers import sym_not as sym_not  # noqa: E402
from framejit._symbolic_numbers import sym_sqrt as sym_sqrt  # noqa: E402
from framejit._symbolic_numbers import sym_sum as sym_sum  # noqa: E402
from framejit._tensor_str import set_printoptions as set_printoptions  # noqa: E402
from framejit.autograd.grad_mode import enable_grad as enable_grad  # noqa: E402
from framejit.autograd.grad_mode import inference_mode as inference_mode  # noqa: E402
from framejit.autograd.grad_mode import is_grad_enabled as is_grad_enabled  # noqa: E402
from framejit.autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled  # noqa: E402
from framejit.autograd.grad_mode import no_grad as no_grad  # noqa: E402
from framejit.autograd.grad_mode import set_grad_enabled as set_grad_enabled  # noqa: E402
from framejit.compiler import compile as compile  # noqa: E402
from framejit.compiler import explain as explain  # noqa: E402
from framejit.functional import asarray as asarray  # noqa: E402
from framejit.functional import broadcast_shapes as broadcast_shapes  # noqa: E402
from framejit.functional import frombuffer as frombuffer  # noqa: E402
from framejit.functional import gradient as gradient  # noqa: E402
from framejit.functional import lu as lu  # noqa: E402
from framejit.functional import nonzero as nonzero  # type: ignore[no-redef]  # noqa: E402
from framejit.functional import orgqr as orgqr  # noqa: E402
from framejit.functional import rms_norm as rms_norm  # noqa: E402
from framejit.functional import tensordot as tensordot  # noqa: E402
from framejit.functional import unique as unique  # noqa: E402
from framejit.functional import unique_consecutive as unique_consecutive  # noqa: E402
from framejit.functional import zero_ as zero_  # noqa: E402
from framejit.random import fork_rng as fork_rng  # noqa: E402
from framejit.random import get_rng_state as get_rng_state  # noqa: E402
from framejit.random import initial_seed as initial_seed  # noqa: E402
from framejit.random import manual_seed as manual_seed  # noqa: E402
from framejit.random import seed as seed  # noqa: E402
from framejit.random import set_rng_state as set_rng_state  # noqa: E402

from framejit import nn as nn  # noqa: E402  isort: skip
from framejit import optim as optim  # noqa: E402  isort: skip
from framejit import fx as fx  # noqa: E402  isort: skip
from framejit import serialization as serialization  # noqa: E402  isort: skip
from framejit import utils as utils  # noqa: E402  isort: skip
from framejit._typed_storage import STORAGES as _TYPED_STORAGES  # noqa: E402
from framejit._typed_storage import TypedStorage as TypedStorage  # noqa: E402
from framejit._typed_storage import is_storage as is_storage  # noqa: E402
from framejit._typed_tensors import TYPES as _TYPED_TENSORS  # noqa: E402

from framejit import backends as backends  # noqa: E402  isort: skip
from framejit import amp as amp  # noqa: E402  isort: skip
from framejit.amp import GradScaler as GradScaler  # noqa: E402
from framejit.amp import autocast as autocast  # noqa: E402
from framejit.amp.autocast_mode import clear_autocast_cache as clear_autocast_cache  # noqa: E402
from framejit.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype  # noqa: E402
from framejit.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype  # noqa: E402
from framejit.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype  # noqa: E402
from framejit.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled  # noqa: E402
from framejit.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled  # noqa: E402
from framejit.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled  # noqa: E402
from framejit.amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled  # noqa: E402
from framejit.amp.autocast_mode import set_autocast_cpu_dtype as set_autocast_cpu_dtype  # noqa: E402
from framejit.amp.autocast_mode import set_autocast_cpu_enabled as set_autocast_cpu_enabled  # noqa: E402
from framejit.amp.autocast_mode import set_autocast_dtype as set_autocast_dtype  # noqa: E402
from framejit.amp.autocast_mode import set_autocast_enabled as set_autocast_enabled  # noqa: E402
from framejit.amp.autocast_mode import set_autocast_gpu_dtype as set_autocast_gpu_dtype  # noqa: E402

from framejit import cuda as cuda  # noqa: E402  isort: skip
from framejit import distributed as distributed  # noqa: E402  isort: skip
from framejit import futures as futures  # noqa: E402  isort: skip
from framejit import jit as jit  # noqa: E402  isort: skip
from framejit import profiler as profiler  # noqa: E402  isort: skip
from framejit.autograd import profiler as _autograd_profiler  # noqa: E402, F401  isort: skip
from framejit import sparse as sparse  # noqa: E402  isort: skip
from framejit import testing as testing  # noqa: E402  isort: skip
from framejit import types as types  # noqa: E402  isort: skip
from framejit import _dynamo as _dynamo  # noqa: E402  isort: skip
from framejit import version as version  # noqa: E402  isort: skip
from framejit import _utils as _utils  # noqa: E402  isort: skip
from framejit import func as func  # noqa: E402  isort: skip
from framejit.func import vmap as vmap  # noqa: E402

from framejit import library as library  # noqa: E402  isort: skip
from framejit.library.operators import Tag as Tag  # noqa: E402

from framejit.library.operators import ops as ops  # noqa: E402  isort: skip
from framejit import linalg as linalg  # noqa: E402  isort: skip
from framejit import special as special  # noqa: E402  isort: skip
from framejit import fft as fft  # noqa: E402  isort: skip
from framejit import masked as masked  # noqa: E402  isort: skip
from framejit import signal as signal  # noqa: E402  isort: skip
from framejit._histogram import histogramdd as histogramdd  # noqa: E402
from framejit._losses_by_number import *  # noqa: E402
from framejit._old_functions import _assert as _assert  # noqa: E402
from framejit._old_functions import _softmax_backward_data as _softmax_backward_data  # noqa: E402
from framejit._old_functions import batch_norm as batch_norm  # noqa: E402
from framejit._old_functions import conv_tbc as conv_tbc  # noqa: E402
from framejit._old_functions import grid_sampler_2d as grid_sampler_2d  # noqa: E402
from framejit._old_functions import grid_sampler_3d as grid_sampler_3d  # noqa: E402
from framejit._old_functions import group_norm as group_norm  # noqa: E402
from framejit._old_functions import instance_norm as instance_norm  # noqa: E402
from framejit._old_functions import layer_norm as layer_norm  # noqa: E402
from framejit._old_functions import native_batch_norm as native_batch_norm  # noqa: E402
from framejit._old_functions import native_group_norm as native_group_norm  # noqa: E402
from framejit._old_functions import native_layer_norm as native_layer_norm  # noqa: E402
from framejit._old_functions import range as range  # noqa: E402
from framejit._old_functions import spmm as spmm  # noqa: E402
from framejit.cuda import Stream as Stream  # noqa: E402
from framejit.sparse import sparse_coo_tensor as sparse_coo_tensor  # noqa: E402

from framejit import _VF as _VF  # noqa: E402  isort: skip
from framejit import _jit_internal as _jit_internal  # noqa: E402  isort: skip
from framejit import accelerator as accelerator  # noqa: E402  isort: skip
from framejit import cpu as cpu  # noqa: E402  isort: skip
from framejit import mps as mps  # noqa: E402  isort: skip
from framejit import overrides as overrides  # noqa: E402  isort: skip
from framejit import xpu as xpu  # noqa: E402  isort: skip
from framejit import multiprocessing as multiprocessing  # noqa: E402  isort: skip
from framejit.serialization import load as load  # noqa: E402  isort: skip
from framejit.serialization import save as save  # noqa: E402  isort: skip

# Subpackages that few programs use and that import much; each is loaded when it is first named.
_LOADED_WHEN_NAMED = ("distributions", "hub", "onnx", "quantization")
if TYPE_CHECKING:
    from framejit import distributions as distributions
    from framejit import hub as hub
    from framejit import onnx as onnx
    from framejit import quantization as quantization


@compiler.disable  # an import runs much code that is not the program's
def __getattr__(name: str) -> Any:
    if name in _LOADED_WHEN_NAMED:
        return importlib.import_module(f"framejit.{name}")
    raise AttributeError(f"module 'framejit' has no attribute '{name}'")


globals().update(_TYPED_TENSORS)
globals().update(_TYPED_STORAGES)
Storage = _TYPED_STORAGES["FloatStorage"]
compiler.start_logging()
