"""``autocast`` and its state. The layer itself is C++ (``eager/autocast.h``) and is traced like any other code."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from framejit import _C
from framejit._C import Tensor, _autograd
from framejit.autograd.grad_mode import _Decorator

#: Devices for which PyTorch knows autocast.
_DEVICES = ("cpu", "cuda")
_CPU_DTYPES = (_C.bfloat16, _C.float16)
#: The dtype that `set_autocast_dtype` chose, where it was called; of the whole process, as the C++ state is per thread.
_default_dtypes: dict[str, Any] = {"cpu": _C.bfloat16, "cuda": _C.float16}


def _check_device(device_type: str) -> None:
    if device_type not in _DEVICES:
        raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")


def is_autocast_available(device_type: str) -> bool:
    """Whether :class:`autocast` does anything for this device."""
    return device_type == "cpu"


def is_autocast_enabled(device_type: str = "cpu") -> bool:
    """Whether autocast is on for this device, on this thread."""
    _check_device(device_type)
    return _autograd.get_autocast(device_type)[0]


def get_autocast_dtype(device_type: str) -> Any:
    """The dtype to which :class:`autocast` casts on this device."""
    _check_device(device_type)
    enabled, dtype, _ = _autograd.get_autocast(device_type)
    return dtype if enabled else _default_dtypes[device_type]


def set_autocast_enabled(device_type: str, enabled: bool) -> None:
    """Switches autocast of a device on or off, for the rest of this thread."""
    dtype = get_autocast_dtype(device_type)
    _autograd.set_autocast(device_type, enabled, dtype, is_autocast_cache_enabled())


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Chooses the dtype that :class:`autocast` uses where none is given."""
    _check_device(device_type)
    _default_dtypes[device_type] = dtype
    enabled, _, cache = _autograd.get_autocast(device_type)
    if enabled:
        _autograd.set_autocast(device_type, True, dtype, cache)


def is_autocast_cache_enabled() -> bool:
    """Whether a parameter is cast once per region."""
    return _autograd.get_autocast("cpu")[2]


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Whether a parameter is cast once per region."""
    now, dtype, _ = _autograd.get_autocast("cpu")
    _autograd.set_autocast("cpu", now, dtype, enabled)


# PyTorch's names from when each device had functions of its own.
def is_autocast_cpu_enabled() -> bool:
    """See :func:`is_autocast_enabled`."""
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """See :func:`set_autocast_enabled`."""
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> Any:
    """See :func:`get_autocast_dtype`."""
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: Any) -> None:
    """See :func:`set_autocast_dtype`."""
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> Any:
    """See :func:`get_autocast_dtype`."""
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: Any) -> None:
    """See :func:`set_autocast_dtype`."""
    set_autocast_dtype("cuda", dtype)


def clear_autocast_cache() -> None:
    """Forgets the parameters that were cast."""
    _autograd.clear_autocast_cache()


class autocast(_Decorator):
    """In this block, or in the decorated function, matrix products and convolutions run in ``dtype``, and losses and
    other operations that need the range run in float32. Also a decorator.

    >>> with fj.autocast("cpu"):
    ...     loss = fj.nn.functional.mse_loss(model(x), y)
    >>> loss.backward()

    Args:
        device_type: "cpu". For "cuda", which there is none of, a warning is given and nothing changes.
        dtype: bfloat16 (the default) or float16.
        enabled: False switches autocast off within a block in which it is on.
        cache_enabled: whether a parameter is cast once per region.
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        _check_device(device_type)
        self.device = device_type
        self.fast_dtype = _default_dtypes[device_type] if dtype is None else dtype
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warnings.warn(
                "User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2
            )
            enabled = False
        if enabled and self.fast_dtype not in _CPU_DTYPES:
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtype of framejit.bfloat16, framejit.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> autocast:
        self._previous = _autograd.get_autocast(self.device)
        _autograd.set_autocast(self.device, self._enabled, self.fast_dtype, self._cache_enabled)
        return self

    def __exit__(self, *exception: object) -> None:
        enabled, dtype, cache = self._previous
        _autograd.set_autocast(self.device, enabled, dtype, cache)

    def _fresh(self) -> autocast:
        return type(self)(self.device, self.fast_dtype, self._enabled, self._cache_enabled)


def _cast(value: Any, dtype: Any) -> Any:
    """Floating tensors in nested containers, but for float64, in another dtype."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() and value.dtype != _C.float64 else value
    if isinstance(value, dict):
        return {_cast(key, dtype): _cast(entry, dtype) for key, entry in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_cast(entry, dtype) for entry in value)
    return value


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: Any = None
) -> Callable[..., Any]:
    """Decorates ``forward`` of a custom function: with ``cast_inputs``, it runs without autocast on inputs of that dtype;
    else ``backward``, decorated with :func:`custom_bwd`, runs as ``forward`` did."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    _check_device(device_type)

    @functools.wraps(fwd)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = is_autocast_enabled(device_type)
        if cast_inputs is None or not ctx._fwd_used_autocast:
            return fwd(ctx, *args, **kwargs)
        ctx._fwd_used_autocast = False
        with autocast(device_type, enabled=False):
            return fwd(ctx, *_cast(args, cast_inputs), **_cast(kwargs, cast_inputs))

    return wrapper


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorates ``backward`` of a custom function: it runs with the autocast of :func:`custom_fwd`."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    _check_device(device_type)

    @functools.wraps(bwd)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *grads)

    return wrapper
