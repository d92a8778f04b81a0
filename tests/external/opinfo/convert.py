"""Samples of PyTorch made framejit's."""

from __future__ import annotations

import types
from typing import Any

import torch

import framejit as fj

from .names import dtype_name, is_python_wrapper, look_up, rebind


class Unconvertible(Exception):
    """The sample has something that framejit has no counterpart of: a sparse tensor, a dtype."""


def our_dtype(dtype: torch.dtype) -> Any:
    found = getattr(fj, dtype_name(dtype), None)
    if not isinstance(found, fj.dtype):
        raise Unconvertible(f"dtype {dtype_name(dtype)}")
    return found


def memory_of(tensor: torch.Tensor) -> torch.Tensor:
    """The elements between the tensor's first and last, as a 1-dim tensor of its own."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    length = last + 1 if tensor.numel() else 0
    return tensor.as_strided((length,), (1,)).clone()


WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}


class Converter:
    """Converts the arguments of one call. A tensor given twice stays one tensor; a copy of memory is made for each side.

    ``widened``: PyTorch's side in double precision.
    """

    def __init__(self, requires_grad: bool, widened: bool = False) -> None:
        self.requires_grad, self.widened = requires_grad, widened
        self.pairs: dict[
            int, tuple[Any, torch.Tensor, torch.Tensor]
        ] = {}  # id: original (kept alive), ours, theirs

    def tensors(self, tensor: torch.Tensor) -> tuple[Any, torch.Tensor]:
        if id(tensor) not in self.pairs:
            self.pairs[id(tensor)] = (tensor, *self._copies(tensor))
        return self.pairs[id(tensor)][1:]

    def _copies(self, tensor: torch.Tensor) -> tuple[Any, torch.Tensor]:
        if tensor.layout is not torch.strided or tensor.is_quantized:
            raise Unconvertible("sparse or quantized tensor")
        if tensor.device.type != "cpu":
            raise Unconvertible(f"device {tensor.device.type}")
        if tensor.dim() > 64:
            raise Unconvertible("more than 64 dims")
        our_dtype(tensor.dtype)
        plain = tensor.detach().resolve_conj().resolve_neg()
        memory = memory_of(plain)
        layout = (plain.shape, plain.stride())
        theirs = memory.clone().as_strided(*layout)
        ours = fj.from_dlpack(memory).as_strided(tuple(plain.shape), plain.stride())
        # Leaves that are no views, as the samples are.
        ours, theirs = ours.detach(), theirs.detach()
        if self.widened:
            theirs = theirs.to(WIDER.get(theirs.dtype, theirs.dtype))
        if self.requires_grad and tensor.requires_grad:
            ours.requires_grad_()
            theirs.requires_grad_()
        return ours, theirs

    def value(self, value: Any) -> tuple[Any, Any]:
        """(framejit's, PyTorch's) of anything that an argument may be."""
        if isinstance(value, torch.Tensor):
            return self.tensors(value)
        if isinstance(value, torch.Size):
            return tuple(value), value
        if isinstance(value, (list, tuple)):
            pairs = [self.value(entry) for entry in value]
            kind = list if isinstance(value, list) else tuple
            return kind(ours for ours, _ in pairs), kind(theirs for _, theirs in pairs)
        if isinstance(value, dict):
            pairs = {key: self.value(entry) for key, entry in value.items()}
            return {key: pair[0] for key, pair in pairs.items()}, {
                key: pair[1] for key, pair in pairs.items()
            }
        if isinstance(value, slice):
            pairs = [self.value(part) for part in (value.start, value.stop, value.step)]
            return slice(*(ours for ours, _ in pairs)), slice(*(theirs for _, theirs in pairs))
        if self.widened and isinstance(value, torch.dtype):
            return constant(value), WIDER.get(value, value)
        return constant(value), value


def constant(value: Any) -> Any:
    """framejit's counterpart of an argument that is no tensor."""
    if isinstance(value, torch.dtype):
        return our_dtype(value)
    if isinstance(value, torch.device):
        return fj.device(str(value))
    if isinstance(value, (torch.layout, torch.memory_format)):
        name = str(value).removeprefix("torch.")
        if not hasattr(fj, name):
            raise Unconvertible(name)
        return getattr(fj, name)
    if isinstance(value, torch.Generator):
        return fj.Generator().manual_seed(value.initial_seed())
    if isinstance(value, torch.nn.Module):
        ours = look_up(fj.nn, type(value).__name__)
        if ours is None:
            raise Unconvertible(f"module {type(value).__name__}")
        return ours()
    if is_python_wrapper(value):
        return rebind(value)
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) and (
        value.__module__ or ""
    ).startswith("torch"):
        ours = look_up(fj, value.__name__) or look_up(fj.nn.functional, value.__name__)
        if ours is None:
            raise Unconvertible(f"function {value.__name__}")
        return ours
    return value


class Arguments:
    """One call's arguments, for both libraries."""

    def __init__(self, sample: Any, requires_grad: bool = False, widened: bool = False) -> None:
        self.converter = Converter(requires_grad, widened)
        (ours, theirs) = self.converter.value((sample.input, sample.args, sample.kwargs))
        self.ours: tuple[Any, tuple, dict] = ours
        self.theirs: tuple[Any, tuple, dict] = theirs

    def leaves(self) -> list[tuple[Any, torch.Tensor]]:
        """The tensors that require grad."""
        return [(ours, theirs) for _, ours, theirs in self.converter.pairs.values() if theirs.requires_grad]

    def tensors(self) -> list[tuple[Any, torch.Tensor]]:
        return [(ours, theirs) for _, ours, theirs in self.converter.pairs.values()]


def to_torch(tensor: Any) -> torch.Tensor:
    """A PyTorch tensor on the memory of a framejit one, with its shape and strides."""
    return torch.from_dlpack(tensor.detach())
