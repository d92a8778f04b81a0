"""Pointwise calls and reductions that have loops of their own, over more elements than a tile holds: operands that are rows,
columns and slices, numbers among three operands, types with kernels of their own, `out=` that is computed into."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")

NARROW = ("int8", "int16", "float16", "bfloat16", "complex64")
BROADCASTS = {
    "row": lambda a, b: a + b[0],
    "column": lambda a, b: a - b[:, :1],
    "row and column": lambda a, b: a[:1] * b[:, :1],
    "slices": lambda a, b: a[:, :100] * b[:, 7:107],
    "every other row": lambda a, b: a[::2] + b[1::2],
    "reversed rows": lambda a, b: a.flip(0) - b,
    "three dims": lambda a, b: a.reshape(50, 3, 205) + b.reshape(50, 3, 205)[:, :1],
    "inner row of three dims": lambda a, b: a.reshape(50, 3, 205) * b[:3],
}


def both(dtype: str, *shape: int) -> list[tuple[Any, Any]]:
    numbers = np.random.default_rng(0)
    arrays = [numbers.uniform(-90, 90, shape).astype("float32") for _ in range(2)]
    return [tuple(t.asarray(x).to(getattr(t, dtype)) for x in arrays) for t in (fj, torch)]


ABSOLUTE = {"float16": 1e-4, "bfloat16": 1e-4, "complex64": 2e-3, "float32": 1e-5}  # gelu's tail; what cancels


def assert_same(got: Any, expected: Any) -> None:
    name = str(got.dtype).partition(".")[2]
    assert name == str(expected.dtype).partition(".")[2]
    wide = (x.to(t.complex128 if x.is_complex() else t.float64).numpy() for t, x in ((fj, got), (torch, expected)))
    np.testing.assert_allclose(*wide, rtol=2e-6, atol=ABSOLUTE.get(name, 0))


@pytest.mark.parametrize("name", BROADCASTS)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_broadcast(name: str, dtype: str) -> None:
    ours, theirs = both(dtype, 150, 205)
    assert_same(BROADCASTS[name](*ours), BROADCASTS[name](*theirs))
    assert fj.equal(fj.compile(BROADCASTS[name])(*ours), BROADCASTS[name](*ours))


SHORT_ROWS = [
    ((20, 1, 20, 1), (1, 20, 1, 20)),
    ((3000, 3), (3000, 1)),
    ((3000, 3), (3,)),
    ((40, 50, 3), (40, 1, 3)),
    ((7, 1, 33), (1, 31, 33)),
    ((60, 1, 1, 5), (60, 3, 4, 1)),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "float16", "complex128"])
@pytest.mark.parametrize("shapes", SHORT_ROWS)
def test_short_rows(shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: str) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 100, shape).astype(dtype) for shape in shapes)
    x, y = fj.from_numpy(a), fj.from_numpy(b)
    np.testing.assert_array_equal((x + y).numpy(), a + b)
    np.testing.assert_array_equal(fj.where(x == y, x, y).numpy(), np.where(a == b, a, b))


@pytest.mark.parametrize("times", [2, 3, 17, 64])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_repeated_elements(times: int, dtype: str) -> None:
    x = np.random.default_rng(0).integers(0, 100, (31, 67, 40)).astype(dtype)
    ours = fj.from_numpy(x)
    np.testing.assert_array_equal(ours.repeat_interleave(times, 2).numpy(), x.repeat(times, 2))
    turned = ours.transpose(0, 2)[:, 1:].unsqueeze(-1).expand(-1, -1, -1, times).contiguous()
    np.testing.assert_array_equal(turned[..., times - 1].numpy(), x.transpose(2, 1, 0)[:, 1:])
    assert fj.equal(turned[..., 0], turned[..., times // 2])


def test_rows_are_written_in_place() -> None:
    (a, b), (c, d) = both("float32", 150, 205)
    a[:, 3:] += b[:, 1:203]
    c[:, 3:] += d[:, 1:203]
    a[10:, :64].mul_(b[0, :64])
    c[10:, :64].mul_(d[0, :64])
    assert_same(a, c)


def narrow_calls(t: Any, a: Any, b: Any) -> list[Any]:
    calls = [a + b, a * b, a - b, a + b[0, 0], a * 3, 3 - a, -a, a == b, a.square(), t.abs(a), t.add(a, b, alpha=2)]
    if not a.is_complex():
        calls += [a < b, a >= 7, t.maximum(a, b), t.minimum(a, b), t.relu(a), a > b[0, 0]]
    if a.is_floating_point():
        calls += [a * 0.1, t.nn.functional.gelu(a), a[0] * b]
    return calls


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("shape", [(5,), (150, 205)])
def test_narrow_types(dtype: str, shape: tuple[int, ...]) -> None:
    ours, theirs = both(dtype, *shape) if len(shape) > 1 else [[x[:1] for x in pair] for pair in both(dtype, *shape, 3)]
    results = narrow_calls(fj, *ours)
    for got, expected in zip(results, narrow_calls(torch, *theirs), strict=True):
        assert_same(got, expected)
    for got, compiled in zip(results, fj.compile(lambda a, b: narrow_calls(fj, a, b))(*ours), strict=True):
        assert got.dtype is compiled.dtype and fj.equal(got, compiled)


def test_numbers_among_three_operands() -> None:
    (a, b), (c, d) = both("float32", 150, 205)
    for call in (
        lambda t, x, y: t.clamp(x, -1, 1),
        lambda t, x, y: t.where(x > 0, x, 0.0),
        lambda t, x, y: t.where(x > 0, 0.0, y),
        lambda t, x, y: t.lerp(x, y, 0.3),
    ):
        assert_same(call(fj, a, b), call(torch, c, d))


def test_out_is_computed_into() -> None:
    (a, b), _ = both("float32", 150, 205)
    out = fj.empty(150, 205)
    memory = out.data_ptr()
    assert fj.add(a, b, out=out) is out and out.data_ptr() == memory
    assert fj.equal(out, a + b)
    expected = a[:-1] * b[1:]
    assert fj.equal(fj.mul(a[:-1], b[1:], out=b[:-1]), expected)  # overlaps an operand
    strided = fj.empty(205, 150).T
    assert fj.equal(fj.sub(a, b, out=strided), a - b)


@pytest.mark.parametrize("dim", [None, 0, 1])
@pytest.mark.parametrize("shape", [(3, 5), (150, 205), (3, 100_000), (100_000, 3), (16, 8, 8)])
def test_counts_of_masks(shape: tuple[int, ...], dim: int | None) -> None:
    mask = np.random.default_rng(1).random(shape) < 0.9
    ours = fj.from_numpy(mask)
    got = ours.sum() if dim is None else ours.sum(dim)
    np.testing.assert_array_equal(got.numpy(), mask.sum(dim))
    assert got.dtype is fj.int64
    assert fj.equal(fj.compile(lambda m: m.sum() if dim is None else m.sum(dim))(ours), got)


@pytest.mark.parametrize("pad", [(1, 2), (1, 0, 0, 2), (-1, 2, 3, -1), (0, 0, 1, 1, 2, 2)])
def test_constant_pad(pad: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4, 5)).astype("float32")
    got = fj.nn.functional.pad(fj.from_numpy(x), pad, value=7.0)
    np.testing.assert_array_equal(got.numpy(), torch.nn.functional.pad(torch.from_numpy(x), pad, value=7.0).numpy())


def test_multinomial_draws_entries_that_weigh_something() -> None:
    fj.manual_seed(0)
    weights = fj.tensor([0.0, 1.0, 0.0, 3.0, 0.0])
    drawn = fj.multinomial(weights, 20_000, replacement=True)
    counts = fj.bincount(drawn, minlength=5)
    assert counts[0] == counts[2] == counts[4] == 0
    assert abs(counts[3].item() / 20_000 - 0.75) < 0.02
