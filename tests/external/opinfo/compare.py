"""Two results compared: structure, dtype, shape, strides, memory shared with the arguments, values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import torch

import framejit as fj

from .convert import WIDER, to_torch
from .names import dtype_name

# Relative and absolute difference allowed: those of torch.testing.assert_close.
TOLERANCE = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}
ROUNDING = 30  # times the tolerance: what sums in another order come to


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that differs. ``kind`` is what: value, rounding (a value, by little), dtype, shape, strides, memory, type,
    requires_grad, error (another exception), raises (where PyTorch answers), answers (where PyTorch raises), missing."""

    kind: str
    text: str


def tensors_in(result: Any) -> list:
    if isinstance(result, (torch.Tensor, fj.Tensor)):
        return [result]
    if isinstance(result, (list, tuple)):
        return [tensor for entry in result for tensor in tensors_in(entry)]
    return []


def compare(
    ours: Any, theirs: Any, arguments: list[tuple[Any, torch.Tensor]], loosened: float = 1
) -> Iterator[Finding]:
    """``arguments``: pairs of the tensors given, for memory that results share with them. ``loosened`` scales the tolerance."""
    if isinstance(theirs, (list, tuple)):
        if not isinstance(ours, (list, tuple)) or isinstance(ours, list) != isinstance(theirs, list):
            yield Finding("type", f"got a {type(ours).__name__}, expected a {type(theirs).__name__}")
            return
        if len(ours) != len(theirs):
            yield Finding("type", f"got {len(ours)} results, expected {len(theirs)}")
            return
        missing = [name for name in getattr(theirs, "__match_args__", ()) if not hasattr(ours, name)]
        if missing:
            yield Finding("type", f"the result has no fields {missing}")
        for one, other in zip(ours, theirs):
            yield from compare(one, other, arguments, loosened)
    elif isinstance(theirs, torch.Tensor):
        if not isinstance(ours, fj.Tensor):
            yield Finding("type", f"got a {type(ours).__name__}, expected a tensor")
            return
        yield from compare_tensors(ours, theirs, arguments, loosened)
    elif isinstance(theirs, torch.dtype):
        if str(ours).split(".")[-1] != dtype_name(theirs):
            yield Finding("value", f"got {ours}, expected {theirs}")
    elif type(ours) is not type(theirs) and not isinstance(theirs, torch.Size):
        yield Finding("type", f"got a {type(ours).__name__}, expected a {type(theirs).__name__}")
    elif isinstance(theirs, (bool, int, float, complex)):
        if not close(torch.tensor(ours), torch.tensor(theirs), loosened):
            yield Finding("value", f"got {ours}, expected {theirs}")


def compare_tensors(
    ours: Any, theirs: torch.Tensor, arguments: list[tuple[Any, torch.Tensor]], loosened: float
) -> Iterator[Finding]:
    got_dtype = str(ours.dtype).split(".")[-1]
    if got_dtype != dtype_name(theirs.dtype):
        yield Finding("dtype", f"got {got_dtype}, expected {dtype_name(theirs.dtype)}")
        return
    if tuple(ours.shape) != tuple(theirs.shape):
        yield Finding("shape", f"got {tuple(ours.shape)}, expected {tuple(theirs.shape)}")
        return
    if ours.requires_grad != theirs.requires_grad:
        yield Finding("requires_grad", f"got {ours.requires_grad}, expected {theirs.requires_grad}")
    theirs = theirs.detach().resolve_conj().resolve_neg()
    if theirs.numel():
        if strides(ours) != strides(theirs):
            yield Finding(
                "strides",
                f"got {tuple(ours.stride())}, expected {theirs.stride()} of shape {tuple(theirs.shape)}",
            )
        if memory(ours, [one for one, _ in arguments]) != memory(theirs, [other for _, other in arguments]):
            yield Finding("memory", "a view on one side and not on the other, or of other elements")
    got = to_torch(ours)
    if not close(got, theirs, loosened):
        kind = "rounding" if close(got, theirs, loosened * ROUNDING) else "value"
        yield Finding(kind, describe(got, theirs))


def strides(tensor: Any) -> list[int]:
    """Strides of the dims that are walked."""
    return [stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1]


def memory(tensor: Any, arguments: list) -> tuple[int, int] | None:
    """(argument, distance in bytes) if the tensor starts in memory of an argument. Arguments are whole allocations here."""
    start = tensor.data_ptr()
    for i, argument in enumerate(arguments):
        if argument.numel():
            last = sum((size - 1) * stride for size, stride in zip(argument.shape, argument.stride()))
            if 0 <= start - argument.data_ptr() <= last * argument.element_size():
                return i, start - argument.data_ptr()
    return None


def close(got: torch.Tensor, expected: torch.Tensor, loosened: float) -> bool:
    if got.dtype not in TOLERANCE or loosened == 0:
        return torch.equal(got, expected)
    relative, absolute = TOLERANCE[got.dtype]
    return torch.allclose(got, expected, rtol=relative * loosened, atol=absolute * loosened, equal_nan=True)


def as_exact(ours: Any, theirs: Any, exact: Any) -> bool:
    """Whether our tensors are about as near as PyTorch's to ``exact``, what PyTorch computes in double precision."""
    triples = list(zip(tensors_in(ours), tensors_in(theirs), tensors_in(exact)))
    return bool(triples) and all(_as_exact(to_torch(o), t.detach(), e.detach()) for o, t, e in triples)


def _as_exact(ours: torch.Tensor, theirs: torch.Tensor, exact: torch.Tensor) -> bool:
    if close(ours, theirs, 1):
        return True
    if ours.dtype not in WIDER or (exact.dtype, exact.shape) != (WIDER[ours.dtype], ours.shape):
        return False
    rounded = exact.to(ours.dtype)  # which may be infinite
    allowed = 2 * (theirs.to(exact.dtype) - exact).abs()
    allowed = allowed[allowed.isfinite()].max() if allowed.isfinite().any() else 0
    relative, absolute = TOLERANCE[ours.dtype]
    near = (ours.to(exact.dtype) - exact).abs() <= relative * exact.abs() + absolute + allowed
    return bool((near | (ours == rounded) | (ours.isnan() & exact.isnan())).all())


def describe(got: torch.Tensor, expected: torch.Tensor) -> str:
    if got.dtype == torch.bool:
        differing = got != expected
    else:
        differing = ~torch.isclose(got, expected, rtol=1e-6, atol=0, equal_nan=True)
    first = tuple(differing.nonzero()[0].tolist()) if differing.any() else ()
    text = f"{int(differing.sum())} of {got.numel()} elements of shape {tuple(got.shape)} differ"
    return (
        f"{text}; at {first}: got {got[first].item()}, expected {expected[first].item()}"
        if differing.any()
        else text
    )
