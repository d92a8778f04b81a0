"""Corners of arithmetic that kill processes or give wrong numbers elsewhere; the expectations are spelled out."""

from __future__ import annotations

import math

import numpy as np
import pytest

import framejit as fj

MIN32, MIN64 = -(2**31), -(2**63)


@pytest.mark.parametrize(("dtype", "lowest"), [("int32", MIN32), ("int64", MIN64)])
def test_lowest_integer_by_minus_one(dtype: str, lowest: int) -> None:
    x = fj.tensor([lowest], dtype=getattr(fj, dtype))
    minus_one = fj.tensor([-1], dtype=x.dtype)
    assert (x // minus_one).item() == lowest
    assert (x % minus_one).item() == 0
    assert fj.fmod(x, minus_one).item() == 0
    assert fj.div(x, minus_one, rounding_mode="trunc").item() == lowest
    assert (-x).item() == lowest
    assert x.abs().item() == lowest
    assert (x - 1).item() == -lowest - 1
    assert (x * 2).item() == 0


def test_python_signs_of_division() -> None:
    x, y = fj.tensor([7, -7, 7, -7]), fj.tensor([3, 3, -3, -3])
    assert (x // y).tolist() == [2, -3, -3, 2]
    assert (x % y).tolist() == [1, 2, -2, -1]
    assert fj.fmod(x, y).tolist() == [1, -1, 1, -1]
    assert (x / y).dtype is fj.float32
    assert (fj.tensor([1.0], dtype=fj.float64) // 0.1).item() == 9.0


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
def test_integer_division_by_zero(name: str) -> None:
    for size in (1, 100_000):  # in one tile, and on the pool's threads
        with pytest.raises(RuntimeError, match="^ZeroDivisionError$"):
            getattr(fj, name)(fj.ones(size, dtype=fj.int64), 0)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_integer_division_is_exact(dtype: str) -> None:
    """Also of numbers that no floating type holds, beside ones that it does, and of the least number by -1."""
    info = fj.iinfo(getattr(fj, dtype))
    near = [center + offset for center in (0, info.min, info.max, 2**31, -(2**50), 2**50, 3 * 2**40) for offset in range(-3, 4)]
    values = [value for value in near if info.min <= value <= info.max]
    pairs = [(x, y) for x in values for y in values if y != 0 and (x, y) != (info.min, -1)]
    x, y = (fj.tensor(list(column), dtype=getattr(fj, dtype)) for column in zip(*pairs, strict=True))
    assert (x // y).tolist() == [a // b for a, b in pairs]
    assert (x % y).tolist() == [a % b for a, b in pairs]
    assert fj.fmod(x, y).tolist() == [(abs(a) % abs(b)) * (-1 if a < 0 else 1) for a, b in pairs]
    if info.min < 0:
        least = fj.full((40,), info.min, dtype=getattr(fj, dtype))
        assert (least // -1).tolist() == [info.min] * 40
        assert (least % -1).tolist() == [0] * 40


def test_bytes_wrap() -> None:
    x = fj.tensor([250, 3], dtype=fj.uint8)
    assert (x + 10).tolist() == [4, 13]
    assert (x - 5).tolist() == [245, 254]
    assert (x * x).tolist() == [(250 * 250) % 256, 9]
    assert (-x).tolist() == [6, 253]
    assert x.sum().item() == 253
    assert x.sum().dtype is fj.int64


def test_shifts_outside_the_width() -> None:
    x = fj.tensor([1, -8], dtype=fj.int32)
    assert (x << 40).tolist() == [0, 0]
    assert (x >> 40).tolist() == [0, -1]


def test_integer_powers() -> None:
    assert (fj.tensor([3, -2]) ** fj.tensor([4, 3])).tolist() == [81, -8]
    assert (fj.tensor([2, 1, -1]) ** fj.tensor([-1, -3, -3])).tolist() == [0, 1, -1]
    assert (fj.tensor([2]) ** 64).item() == 0


def test_nan() -> None:
    x, nan = fj.tensor([1.0, math.nan, 3.0]), fj.tensor(math.nan)
    assert math.isnan(fj.maximum(x, nan)[0].item())
    assert math.isnan(fj.minimum(nan, x)[2].item())
    assert fj.fmax(x, nan)[0].item() == 1.0
    assert math.isnan(x.clamp(0, 2)[1].item())
    assert math.isnan(x.max().item())
    assert math.isnan(x.amin().item())
    assert x.argmax().item() == 1
    assert x.argmin().item() == 1
    assert x.sort().values.tolist()[:2] == [1.0, 3.0]
    assert x.relu().isnan().tolist() == [False, True, False]
    assert (x == x).tolist() == [True, False, True]


def test_signed_zero_and_infinity() -> None:
    zero = fj.tensor([-0.0])
    assert math.copysign(1, fj.sqrt(zero).item()) == -1
    assert math.copysign(1, fj.round(fj.tensor([-0.4])).item()) == -1
    assert fj.round(fj.tensor([0.5, 1.5, 2.5, -0.5])).tolist() == [0, 2, 2, 0]
    assert (1 / zero).item() == -math.inf
    assert fj.logaddexp(fj.tensor(-math.inf), fj.tensor(-math.inf)).item() == -math.inf
    assert fj.softmax(fj.tensor([1000.0, 1001.0]), 0).isfinite().all()


def test_large_integers_stay_exact() -> None:
    big = 2**62 + 1
    assert (fj.tensor([big]) + 1).item() == big + 1
    assert fj.tensor([big]).clamp(max=big - 1).item() == big - 1
    assert fj.full((1,), big).item() == big
    assert fj.where(fj.tensor([True]), fj.tensor([big]), 0).item() == big
    assert fj.arange(big, big + 3).tolist() == [big, big + 1, big + 2]


def test_overlapping_and_strided_inputs() -> None:
    base = fj.arange(12.0)
    windows = base.unfold(0, 4, 2)
    expected = np.lib.stride_tricks.sliding_window_view(np.arange(12.0, dtype="float32"), 4)[::2]
    np.testing.assert_array_equal((windows * 2).numpy(), expected * 2)
    np.testing.assert_array_equal(windows.sum(1).numpy(), expected.sum(1))
    np.testing.assert_array_equal((windows @ windows.t()).numpy(), expected @ expected.T)
    row = fj.ones(1, 3).expand(4, 3)
    np.testing.assert_array_equal((row.cumsum(0)).numpy(), np.cumsum(np.ones((4, 3), "float32"), 0))


def test_copy_between_overlapping_views() -> None:
    x = fj.arange(6)
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]
    y = fj.arange(9).reshape(3, 3)
    y.copy_(y.t())
    assert y.tolist() == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    z = fj.arange(4)
    z.add_(z.flip(0))
    assert z.tolist() == [3, 3, 3, 3]
