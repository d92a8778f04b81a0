"""Walks the op table with every sample laid out otherwise in memory: the same elements must give the same result."""

from __future__ import annotations

import itertools
from typing import Any, Callable

import numpy as np
import pytest
from tests.op_samples import SAMPLES
from tests.eager.sample_call import ROWS, Call

import framejit as fj


def permuted(x: Any) -> Any:
    order = tuple(range(x.dim()))[::-1]
    return x.permute(order).contiguous().permute(order)


def stepped(x: Any) -> Any:
    """Every third element of a larger tensor, in all dims."""
    larger = fj.full([3 * size for size in x.shape], 7, dtype=x.dtype)
    view = larger[tuple(slice(1, None, 3) for _ in x.shape)]
    return view.copy_(x)


def offset(x: Any) -> Any:
    """In the middle of its storage, with a gap behind each row."""
    larger = fj.full([size + 2 for size in x.shape], 7, dtype=x.dtype)
    return larger[tuple(slice(1, size + 1) for size in x.shape)].copy_(x)


def expanded(x: Any) -> Any:
    """Only the first row, over and over."""
    return x[:1].expand(x.shape) if x.dim() and x.shape[0] else x


LAYOUTS: dict[str, Callable[[Any], Any]] = {"permuted": permuted, "stepped": stepped, "offset": offset, "expanded": expanded}

# Ops whose result depends on the memory and not on the elements alone.
OF_MEMORY = {"as_strided", "as_strided_", "as_strided_copy", "as_strided_scatter", "empty_like", "view", "view.dtype", "view_as", "view_as_complex", "resize_", "resize_as_", "set_.strided"}
WRITES = {"batch_norm", "instance_norm"}  # running statistics, which then are one number for all


def same(got: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, (tuple, list)):
        return len(got) == len(expected) and all(same(a, b, tolerance) for a, b in zip(got, expected))
    if not isinstance(expected, fj.Tensor):
        return got == expected or got != got or abs(got - expected) < 1e-4
    if got.dtype is not expected.dtype or got.shape != expected.shape:
        return False
    ours, theirs = (t.detach().resolve_conj().numpy() for t in (got, expected))
    if ours.dtype.kind not in "fc":
        return np.array_equal(ours, theirs)
    scale = max(1.0, float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0)))
    return np.allclose(ours, theirs, rtol=0, atol=2e-6 * tolerance * scale, equal_nan=True)


def outcome(call: Call, tensors: list) -> Any:
    try:
        return call.run(fj, tensors)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        return error


@pytest.mark.parametrize("name", [name for name in SAMPLES if name in ROWS and name not in OF_MEMORY])
def test_result_does_not_depend_on_layout(name: str) -> None:
    writes = name in WRITES or "(a!)" in ROWS[name]["schema"]
    for (i, sample), (layout, arrange) in itertools.product(enumerate(SAMPLES[name]), LAYOUTS.items()):
        if layout == "expanded" and writes:
            continue
        call = Call(name, sample, sample.dtypes[0])
        arranged = [arrange(t) for t in call.tensors(fj)]
        expected = outcome(call, [t.clone(memory_format=fj.contiguous_format) for t in arranged])
        got = outcome(call, arranged)
        where = f"sample {i}, {layout}"
        if isinstance(expected, Exception):
            assert type(got) is type(expected), f"{where}: got {got!r}, expected {expected!r}"
        else:
            assert not isinstance(got, Exception), f"{where}: {got!r}"
            assert same(got, expected, sample.tolerance), f"{where}: got {got}, expected {expected}"


@pytest.mark.parametrize("name", ["max_pool2d", "avg_pool2d", "adaptive_avg_pool2d", "adaptive_max_pool2d"])
def test_pooling_keeps_channels_last(name: str) -> None:
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).standard_normal((2, 3, 6, 8)).astype(np.float32)
    ours, theirs = (
        getattr(t.nn.functional, name)(t.from_numpy(x).contiguous(memory_format=t.channels_last), 2) for t in (fj, torch)
    )
    assert ours.stride() == theirs.stride()
    assert np.allclose(ours.numpy(), theirs.numpy())
