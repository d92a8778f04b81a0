"""One random call run in framejit, and where it is tame in PyTorch too; what is wrong with the outcome.

What a call may do: return, or raise one of the exceptions below. What it gives must be what PyTorch gives, or, where there
is no PyTorch, what it gives for contiguous copies of its arguments.
"""

from __future__ import annotations

import dataclasses
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import framejit as fj

from .calls import Call, INTEGERS

try:
    import torch
except ImportError:  # only one of the interpreters has it
    torch = None

# NotImplementedError and LinAlgError are RuntimeErrors.
ALLOWED = (TypeError, ValueError, RuntimeError, IndexError, MemoryError, OverflowError, AttributeError, AssertionError, ZeroDivisionError)
OURS = ("internal error", "please report", "std::", "bad_alloc", "vector::", "basic_string")  # in a text: our bug
# Relative and absolute difference allowed. Values are drawn at random, so sums may cancel.
TOLERANCE = {"float16": (2e-2, 2e-2), "bfloat16": (6e-2, 6e-2), "float32": (1e-3, 1e-3), "complex64": (1e-3, 1e-3)}
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, -3e38, 255.0, 32768.0, 2.5]


@dataclasses.dataclass
class Outcome:
    """``results`` are NumPy arrays and Python values; ``written`` the first argument after the call; ``grads`` of the leaves."""

    error: BaseException | None = None
    results: Any = None
    written: Any = None
    grads: Any = None


def tensor(
    library: Any, leaves: list, contiguous: bool, shape: tuple, dtype: str, layout: str = "contiguous", low: float = -3,
    high: float = 3, values: Any = None, special: bool = False, grad: bool = False,
) -> Any:  # fmt: skip
    """The argument that a call's text describes, in framejit or PyTorch."""
    base = memory_shape(shape, layout)
    rng = np.random.default_rng(zlib.crc32(repr((shape, dtype, layout, low)).encode()))
    memory = library.from_numpy(elements(base, dtype, low, high, values if base == shape else None, special, rng))
    memory = memory.to(getattr(library, dtype))
    if grad:
        leaves.append(memory.requires_grad_())
        memory = memory * 1
    view = arranged(memory, shape, layout)
    return view.clone(memory_format=library.contiguous_format) if contiguous else view


def memory_shape(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """Of the contiguous tensor that the argument is a view of."""
    if layout == "windows":
        return (sum(max(size - 1, 0) for size in shape) + 1,)
    if not shape:
        return shape
    return {
        "transposed": (*shape[:-2], *shape[-2:][::-1]),
        "permuted": shape[::-1],
        "sliced": (*shape[:-1], 2 * shape[-1]),
        "offset": (shape[0] + 1, *shape[1:]),
        "expanded": (1, *shape[1:]),
        "tail": (*shape[:-1], shape[-1] + 2),
    }.get(layout, shape)


def arranged(memory: Any, shape: tuple[int, ...], layout: str) -> Any:
    rank = len(shape)
    if layout == "windows":  # every element is in several places
        return memory.as_strided(shape, (1,) * rank)
    if rank == 0 or layout == "contiguous":
        return memory
    if layout == "transposed":
        return memory.transpose(-1, -2) if rank > 1 else memory
    if layout == "permuted":
        return memory.permute(tuple(range(rank))[::-1])
    if layout == "sliced":
        return memory[..., ::2]
    if layout == "expanded":
        return memory.expand(shape)
    return memory[1:] if layout == "offset" else memory[..., : shape[-1]]


def elements(
    shape: tuple, dtype: str, low: float, high: float, values: Any, special: bool, rng: np.random.Generator
) -> np.ndarray:  # fmt: skip
    """In a dtype that NumPy has and that holds them exactly."""
    kind = "float32" if dtype == "bfloat16" else dtype
    if values is not None:
        found = np.asarray(values)
    elif special and dtype not in INTEGERS:
        found = rng.choice(SPECIAL, shape)
    elif dtype in INTEGERS:
        bounds = (np.iinfo(dtype).min, np.iinfo(dtype).max) if special else (int(np.ceil(low)), max(int(np.ceil(low)) + 1, int(high)))
        bounds = (max(bounds[0], np.iinfo(dtype).min), min(bounds[1], np.iinfo(dtype).max))
        found = rng.integers(*bounds, shape, endpoint=special)
    elif dtype == "bool":
        found = rng.integers(0, 2, shape)
    else:
        found = rng.uniform(low, high, shape)
        if dtype.startswith("complex"):
            found = found + 1j * rng.uniform(low, high, shape)
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(found.astype(kind)).reshape(shape)


def run(call: Call, library: Any, contiguous: bool = False) -> Outcome:
    leaves: list = []
    scope = {"m": library, "t": lambda *a, **k: tensor(library, leaves, contiguous, *a, **k)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec("\n".join(call.setup), scope)
            result = eval(call.text, scope)
            written = scope["a0"] if call.inplace else None
            grads = gradients(library, result, leaves)
            return Outcome(None, plain(result), plain(written), plain(grads))
        except Exception as error:
            return Outcome(error)


def gradients(library: Any, result: Any, leaves: list) -> Any:
    results = [r for r in (result if isinstance(result, list | tuple) else [result]) if isinstance(r, library.Tensor) and r.requires_grad]
    if not leaves or not results:
        return None
    total = sum((r.abs() if r.is_complex() else r).float().sum() for r in results)
    return library.autograd.grad(total, leaves, allow_unused=True) if total.requires_grad else None


def plain(value: Any) -> Any:
    """Tensors as (dtype, array), containers entry by entry; the rest as it is."""
    if isinstance(value, fj.Tensor) or (torch and isinstance(value, torch.Tensor)):
        value = value.detach()
        dtype = str(value.dtype).split(".")[1]
        if dtype in ("bfloat16", "float16"):
            value = value.float()
        return dtype, value.resolve_conj().resolve_neg().numpy() if torch and isinstance(value, torch.Tensor) else value.numpy()
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value


# --- judging ----------------------------------------------------------------------------------------------------------
def wrong_exception(error: BaseException | None) -> str | None:
    if error is None:
        return None
    if not isinstance(error, ALLOWED):
        return f"raised {error!r}"
    found = [word for word in OURS if word in str(error).lower()]
    return f"the text says {found[0]!r}: {error!r}" if found else None


def differences(got: Outcome, expected: Outcome, whose: str) -> Iterator[tuple[str, str]]:
    """(kind, text). PyTorch's refusals are its own affair; ours are not."""
    if expected.error is not None:
        if got.error is None:
            yield "answers", f"{whose} raised {expected.error!r}"
        return
    if got.error is not None:
        yield "raises", f"raised {got.error!r}, where {whose} answered"
        return
    for name in ("results", "written", "grads"):
        for kind, text in compare(getattr(got, name), getattr(expected, name)):
            yield f"{kind} of {name}", f"{text} ({whose})"


def compare(got: Any, expected: Any) -> Iterator[tuple[str, str]]:
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            yield "type", f"got {got!r}, expected {expected!r}"
            return
        for one, other in zip(got, expected):
            yield from compare(one, other)
    elif isinstance(expected, tuple):
        if not isinstance(got, tuple):
            if expected[1].any():  # a gradient that is zero everywhere may be None
                yield "none", f"got {got!r}, expected {expected!r}"
        else:
            yield from compare_arrays(got, expected)
    elif isinstance(got, tuple):
        if got[1].any():
            yield "none", f"got {got!r}, expected {expected!r}"
    elif isinstance(expected, bool | int | float | complex):
        if not isinstance(got, type(expected)) or not np.allclose(got, expected, 1e-3, 1e-3, equal_nan=True):
            yield "number", f"got {got!r}, expected {expected!r}"


def compare_arrays(got: tuple[str, np.ndarray], expected: tuple[str, np.ndarray]) -> Iterator[tuple[str, str]]:
    if got[0] != expected[0]:
        yield "dtype", f"got {got[0]}, expected {expected[0]}"
    elif got[1].shape != expected[1].shape:
        yield "shape", f"got {got[1].shape}, expected {expected[1].shape}"
    else:
        relative, absolute = TOLERANCE.get(got[0], (1e-6, 1e-6))
        ours, theirs = (array.astype("complex128" if array.dtype.kind == "c" else "float64") for array in (got[1], expected[1]))
        with np.errstate(all="ignore"):
            scale = max(1.0, float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0)))
            same = np.isclose(ours, theirs, relative, absolute * scale, equal_nan=True)
        if not same.all():
            where = tuple(int(i) for i in np.argwhere(~same)[0])
            yield "value", f"{int((~same).sum())} of {same.size} differ, at {where}: got {got[1][where]!r}, expected {expected[1][where]!r}"


def judge(call: Call, oracle: str, phase: Callable[[str], None]) -> list[tuple[str, str]]:
    """Everything wrong with a call. ``oracle``: torch, copies (of the arguments, contiguous) or none. ``phase`` is told which
    library runs next: PyTorch may crash too."""
    phase("framejit")
    got = run(call, fj)
    bad = wrong_exception(got.error)
    if bad:
        return [("exception", bad)]
    if not call.tame or oracle == "none":
        return []
    if oracle == "torch":
        phase("torch")
        expected = run(call, torch)
        phase("framejit")
        return list(differences(got, expected, "PyTorch"))
    if call.inplace or "as_strided" in call.text or got.error is not None:
        return []
    return list(differences(got, run(call, fj, contiguous=True), "contiguous copies"))
