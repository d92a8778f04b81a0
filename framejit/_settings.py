"""Settings of PyTorch that change nothing here or have one possible value, and questions about tensors."""

from __future__ import annotations

from typing import Any

from framejit import _C
from framejit._C import Tensor, ops
from framejit._tensor import _TYPE_NAMES

# --- determinism and precision ----------------------------------------------------------------------------------------
# Every kernel is deterministic, and float32 products are computed in float32; what was asked for is remembered.
_state: dict[str, Any] = {"deterministic": False, "warn_only": False, "matmul_precision": "highest", "warn_always": False}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Remembers the wish; all kernels are deterministic anyway."""
    _state.update(deterministic=bool(mode), warn_only=bool(warn_only))


def are_deterministic_algorithms_enabled() -> bool:
    """What :func:`use_deterministic_algorithms` was last told."""
    return bool(_state["deterministic"])


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """The ``warn_only`` that :func:`use_deterministic_algorithms` was last told."""
    return bool(_state["warn_only"])


def set_float32_matmul_precision(precision: str) -> None:
    """Remembers the wish; float32 products are always computed in float32."""
    if precision not in ("highest", "high", "medium"):
        raise ValueError(
            f"set_float32_matmul_precision: got {precision!r}, expected 'highest', 'high' or 'medium'"
        )
    _state["matmul_precision"] = precision


def get_float32_matmul_precision() -> str:
    """What :func:`set_float32_matmul_precision` was last told."""
    return str(_state["matmul_precision"])


def get_default_device() -> Any:
    """Where tensors are made: the CPU."""
    return _C.device("cpu")


def set_default_device(device: Any) -> None:
    """Accepts the CPU, the only device."""
    if device is not None and _C.device(device).type != "cpu":
        raise NotImplementedError(f"set_default_device: got {device}, but this build only has cpu")


def set_default_tensor_type(t: Any) -> None:
    """Makes the dtype of this type (``framejit.DoubleTensor``, or its name) the default one."""
    name = t if isinstance(t, str) else f"framejit.{t.__name__}"
    known = _TYPE_NAMES.get(name.removeprefix("framejit.").removeprefix("torch."))
    if known is None or not known.is_floating_point:
        raise TypeError(f"set_default_tensor_type: got {name}, expected a floating-point type, such as framejit.DoubleTensor")
    _C.set_default_dtype(known)


def set_flush_denormal(mode: bool) -> bool:
    """False: not supported."""
    return False


def set_warn_always(b: bool) -> None:
    """Remembers the wish; which warnings are shown once is for :mod:`warnings` to say."""
    _state["warn_always"] = bool(b)


def is_warn_always_enabled() -> bool:
    """What :func:`set_warn_always` was last told."""
    return bool(_state["warn_always"])


def get_num_interop_threads() -> int:
    """1: operations that do not depend on each other run one after the other."""
    return 1


def set_num_interop_threads(threads: int) -> None:
    """Accepts a positive number, and changes nothing."""
    if threads < 1:
        raise RuntimeError(f"set_num_interop_threads: got {threads}, expected a positive number")


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Remembers the wish: ``"default"``, ``"warn"`` or ``"error"``, or their numbers."""
    modes = ("default", "warn", "error")
    if debug_mode not in (*modes, 0, 1, 2):
        raise RuntimeError(f"set_deterministic_debug_mode: got {debug_mode!r}, expected 'default', 'warn', 'error' or 0, 1, 2")
    number = modes.index(debug_mode) if isinstance(debug_mode, str) else debug_mode
    use_deterministic_algorithms(number > 0, warn_only=number == 1)


def get_deterministic_debug_mode() -> int:
    """What :func:`set_deterministic_debug_mode` was last told, as a number."""
    if not are_deterministic_algorithms_enabled():
        return 0
    return 1 if is_deterministic_algorithms_warn_only_enabled() else 2


# --- questions about tensors ------------------------------------------------------------------------------------------


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element of ``input`` is not zero."""
    if input.numel() == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if input.numel() > 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(input.item())


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape."""
    return input.shape == other.shape


def is_signed(input: Tensor) -> bool:
    """Whether the dtype holds negative values."""
    return input.is_signed()


def is_inference(input: Tensor) -> bool:
    """Whether it was made in inference mode."""
    return input.is_inference()


def get_device(input: Tensor) -> int:
    """Number of the CUDA device, -1 on the CPU."""
    return input.get_device()


def typename(obj: Any) -> str:
    """The full name of the type of ``obj``; of tensors such as "framejit.FloatTensor"."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def detach(input: Tensor) -> Tensor:
    """The same values without a history, sharing memory."""
    return input.detach()


def detach_(input: Tensor) -> Tensor:
    """Takes the history away from ``input``."""
    return input.detach_()


# --- creation ---------------------------------------------------------------------------------------------------------


def empty_permuted(size: Any, physical_layout: Any, **options: Any) -> Tensor:
    """Uninitialised, with dim ``physical_layout[0]`` outermost in memory and so on."""
    if sorted(physical_layout) != list(range(len(size))):
        raise RuntimeError(
            f"empty_permuted: expected physical_layout to be a permutation of the {len(size)} dims, got {physical_layout}"
        )
    stored = ops.empty([size[d] for d in physical_layout], **options)
    return stored.permute([list(physical_layout).index(d) for d in range(len(size))])
