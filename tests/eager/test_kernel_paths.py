"""Kernels that choose between ways by size or strides: each way against PyTorch, with NaN, infinities and equal elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")


def numbers(*shape: int, nan: bool = False) -> np.ndarray:
    """Of few values, so that many are equal."""
    x = np.random.default_rng(0).integers(-20, 20, shape).astype("float32") / 4
    if nan:
        x.flat[:: max(2, x.size // 3)] = np.nan
        x.flat[1] = np.inf
    return x


@pytest.mark.parametrize("length", [1, 5, 16, 17, 64, 65, 200])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "uint8", "bool"])
@pytest.mark.parametrize("descending", [False, True])
def test_sort(length: int, dtype: str, descending: bool) -> None:
    x = numbers(3, length).astype(dtype)
    if dtype.startswith("float") and length > 4:
        x[1, 3] = np.nan
    got = fj.from_numpy(x).sort(dim=1, descending=descending, stable=True)
    expected = torch.from_numpy(x).sort(dim=1, descending=descending, stable=True)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize("k", [1, 10, 32, 33, 500])
@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_topk(k: int, largest: bool, dim: int) -> None:
    x = numbers(700, 700, nan=True)[:, :3] if dim == 0 else numbers(3, 700, nan=True)
    values, indices = fj.from_numpy(x).topk(k, dim, largest=largest)
    np.testing.assert_array_equal(values.numpy(), torch.from_numpy(x).topk(k, dim, largest=largest)[0].numpy())
    np.testing.assert_array_equal(np.take_along_axis(x, indices.numpy(), dim), values.numpy())


@pytest.mark.parametrize("length, k", [(20, 10), (64, 64), (700, 60), (700, 500), (5000, 100), (3000, 2), (40_000, 40)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "uint8", "bool", "float16"])
def test_topk_is_the_head_of_a_sort(length: int, k: int, dtype: str) -> None:
    x = fj.from_numpy(numbers(3, length) + 6).to(getattr(fj, dtype))
    for largest in (False, True):
        got, expected = x.topk(k, largest=largest), x.sort(descending=largest, stable=True)
        assert all(fj.equal(a, b[:, :k]) for a, b in zip(got, expected, strict=True))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "uint8", "bool", "float16"])
@pytest.mark.parametrize("scale", [1e-9, 120])
def test_places_of_a_sorted_row(dtype: str, scale: float) -> None:
    """Of rows that fall, rise, and alternate: pivots are bad then."""
    up = np.arange(1000.0)
    rows = np.stack([up, -up, up * (-1) ** up, up % 7, np.abs(up - 500)]) / 1000 * scale
    x = fj.from_numpy(rows).to(getattr(fj, dtype))
    values, indices = x.sort(stable=True)
    for k in (1, 2, 499, 500, 501, 999, 1000):
        got = x.kthvalue(k)
        assert fj.equal(got[0], values[:, k - 1]) and fj.equal(got[1], indices[:, k - 1])


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize("length", [1, 2, 7, 300])
def test_order_statistics(nan: bool, length: int) -> None:
    x = numbers(5, max(length, 2), nan=nan)[:, :length]
    for name in ("median", "nanmedian"):
        got, expected = (getattr(t.from_numpy(x.copy()), name)(1)[0].numpy() for t in (fj, torch))
        np.testing.assert_array_equal(got, expected)
    place = (length + 1) // 2
    values, indices = fj.from_numpy(x).kthvalue(place, 1)
    np.testing.assert_array_equal(values.numpy(), torch.from_numpy(x.copy()).kthvalue(place, 1)[0].numpy())
    np.testing.assert_array_equal(indices.numpy(), np.argsort(x, 1, kind="stable")[:, place - 1])


@pytest.mark.parametrize("shape", [(3, 5), (70, 5), (33, 63), (4, 64), (3, 5000), (200_000,), (5, 9000, 8), (300, 70)])
@pytest.mark.parametrize("name", ["sum", "prod", "amax", "argmin", "nansum", "mean"])
def test_reductions(shape: tuple[int, ...], name: str) -> None:
    x = numbers(*shape, nan=True) if name in ("nansum", "amax", "argmin") else numbers(*shape) / 4
    x.flat[1] = 0
    for dim in range(len(shape)):
        got, expected = (getattr(t, name)(t.from_numpy(x), dim).numpy() for t in (fj, torch))
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("shape", [(7, 33), (40, 64), (3, 5000), (300, 70), (4, 600, 8), (70_001,)])
@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_reductions_of_halves(shape: tuple[int, ...], name: str, dtype: str) -> None:
    """They are read as they are stored: the same as of floats, rounded once."""
    x = fj.from_numpy(numbers(*shape, nan=name == "amax")).to(getattr(fj, dtype))
    for dim in range(len(shape)):
        got, expected = getattr(x, name)(dim), getattr(x.float(), name)(dim).to(x.dtype)
        np.testing.assert_array_equal(got.float().numpy(), expected.float().numpy())
        np.testing.assert_array_equal(fj.compile(getattr(fj, name))(x, dim).float().numpy(), got.float().numpy())


@pytest.mark.parametrize("shape", [(3, 50, 7), (2, 700, 8), (2, 9000, 3), (70, 100), (2, 300, 200), (40, 3000), (2, 1000, 24)])
def test_sums_of_columns_do_not_depend_on_the_program(shape: tuple[int, ...]) -> None:
    """One that computes much, in small tiles, adds in the order of one that reads memory alone."""
    a, b = (fj.from_numpy(np.random.default_rng(i).standard_normal(shape).astype("float32")) for i in range(2))

    def sums(a: Any, b: Any) -> Any:
        x = (a * b + a) * (b - a)
        y = x * a + b
        z = fj.maximum(x, y) - b
        return x.sum(-2), y.sum(-2), z.sum(-2), z.amax(-2), z.argmin(-2)

    for got, expected in zip(fj.compile(sums)(a, b), sums(a, b), strict=True):
        assert fj.equal(got, expected)


def test_nansum_of_infinities() -> None:
    for values, expected in (([np.inf, -np.inf, np.nan], np.nan), ([np.nan, np.inf], np.inf), ([np.nan], 0.0)):
        for copies in (1, 40):
            np.testing.assert_equal(fj.nansum(fj.tensor(values * copies)).item(), expected)


@pytest.mark.parametrize("n", [10, 5000])
def test_sums_of_functions_are_those_of_graphs(n: int) -> None:
    """One pass over what is not recorded gives what the two ops give."""
    a, b = fj.from_numpy(numbers(n) / 3), fj.from_numpy(numbers(n)[::-1].copy() / 7)
    wanted = a.clone().requires_grad_()
    assert fj.dot(a, b).item() == fj.dot(wanted, b).item() == (a * b).sum().item()
    assert fj.linalg.vector_norm(a, 1).item() == fj.linalg.vector_norm(wanted, 1).item()
    assert fj.linalg.vector_norm(a).item() == fj.linalg.vector_norm(wanted).item()


@pytest.mark.parametrize("shape", [(10,), (300, 70), (3, 40_000), (5, 900, 8)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "bool"])
def test_aminmax_is_both(shape: tuple[int, ...], dtype: str) -> None:
    x = fj.from_numpy(numbers(*shape, nan=dtype.startswith("float"))).to(getattr(fj, dtype))
    for dim in (None, *range(len(shape))):
        for got, name in zip(fj.aminmax(x, dim=dim, keepdim=True), ("amin", "amax"), strict=True):
            expected = getattr(x, name)(() if dim is None else dim, keepdim=True)
            np.testing.assert_array_equal(got.float().numpy(), expected.float().numpy())


@pytest.mark.parametrize("shape", [(8, 9), (300, 400)])
@pytest.mark.parametrize("name", ["mse_loss", "l1_loss"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_losses_in_one_pass(shape: tuple[int, ...], name: str, reduction: str) -> None:
    a, b = (fj.from_numpy(np.random.default_rng(i).standard_normal(shape).astype("float32")) for i in range(2))
    loss = getattr(fj.nn.functional, name)
    for x, y in ((a, b), (a.T.contiguous().T, b), (a[::2], b[1::2])):
        expected = loss(x.detach().requires_grad_(), y, reduction=reduction)
        assert loss(x, y, reduction=reduction).item() == expected.item()


def test_copies_larger_than_caches() -> None:
    """They go past these: also where rows begin anywhere, and where both are parts of one tensor."""
    x = fj.arange(32 << 20, dtype=fj.int8)
    for begin, end in ((0, 1), (3, 7), (64, 5)):
        to = fj.zeros_like(x)
        to[begin : x.numel() - end].copy_(x[end : x.numel() - begin])
        assert fj.equal(to[begin : x.numel() - end], x[end : x.numel() - begin])
        assert not to[:begin].any() and not to[x.numel() - end :].any()
    shifted = x.clone()
    shifted[5:] = shifted[:-5]
    assert fj.equal(shifted[5:], x[:-5])


@pytest.mark.parametrize("shape", [(300, 300), (1, 90_000), (3000, 3), (40, 50, 60)])
def test_writes_do_not_depend_on_threads(shape: tuple[int, ...]) -> None:
    """Many indices are equal: the last value stays, sums are in order."""
    random = np.random.default_rng(0)
    x, values = (fj.from_numpy(random.standard_normal(shape).astype("float32")) for _ in range(2))
    rows = fj.from_numpy(random.integers(0, shape[-2], shape[-2]))

    def writes() -> list[Any]:
        results = []
        for dim in range(len(shape)):
            index = fj.from_numpy(np.random.default_rng(1).integers(0, min(9, shape[dim]), shape))
            results += [x.scatter(dim, index, values), x.scatter_add(dim, index, values)]
        key = (slice(None),) * (len(shape) - 2) + (rows,)
        for accumulate in (False, True):
            results.append(x.clone())
            results[-1].index_put_((None,) * (len(shape) - 2) + (rows,), values, accumulate)
        assert fj.equal(results[-2][key][..., -1, :], values[..., -1, :])
        return results

    before = fj.get_num_threads()
    try:
        fj.set_num_threads(1)
        expected = writes()
        fj.set_num_threads(3)
        assert all(fj.equal(a, b) for a, b in zip(writes(), expected, strict=True))
    finally:
        fj.set_num_threads(before)


@pytest.mark.parametrize("step", [-1, 2, 3, -2])
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex64", "float16"])
def test_strided_casts(step: int, dtype: str) -> None:
    x = (numbers(3000) * 4).astype("int8").astype(dtype)
    as_of = {t: t.from_numpy(x).flip(0) if step < 0 else t.from_numpy(x) for t in (fj, torch)}
    for to in ("float32", "float64", "int32", "bool", "complex128", "bfloat16"):
        got, expected = (as_of[t][:: abs(step)].to(getattr(t, to)).to(t.complex128).numpy() for t in (fj, torch))
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "complex128", "bfloat16"])
def test_copies_of_rows(dtype: str) -> None:
    """Of rows that are short, turned round, repeated or of every third element; also where they are converted."""
    x, y = (t.from_numpy(numbers(40, 30, 6) * 4).abs().to(getattr(t, dtype)) for t in (fj, torch))
    for view in (
        lambda a: a[:, :, :2], lambda a: a.flip(2), lambda a: a.flip(0, 1), lambda a: a[:, :, ::3],
        lambda a: a[:, :, :1].expand(40, 30, 6), lambda a: a.transpose(0, 1)[:, ::2, ::2], lambda a: a.roll(1, 2),
    ):  # fmt: skip
        for to in (dtype, "float32", "complex128"):
            got, expected = (
                view(a).to(getattr(t, to)).contiguous().to(t.complex128).numpy() for t, a in ((fj, x), (torch, y))
            )
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("channels", [2, 3, 4, 5])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_channels_last_and_back(channels: int, dtype: str) -> None:
    x = numbers(2, channels, 21, 19).astype("int8").astype(dtype)
    last = fj.from_numpy(x).permute(0, 2, 3, 1).contiguous()
    np.testing.assert_array_equal(last.numpy(), x.transpose(0, 2, 3, 1))
    np.testing.assert_array_equal(last.permute(0, 3, 1, 2).contiguous().numpy(), x)


def test_sums_over_all_but_channels() -> None:
    x = numbers(6, 5, 32, 64)
    for axes in ((0, 2, 3), (0, 3), (1,)):
        np.testing.assert_allclose(fj.from_numpy(x).sum(axes).numpy(), x.sum(axes), rtol=1e-5, atol=1e-3)
        np.testing.assert_array_equal(fj.from_numpy(x).amax(axes).numpy(), x.max(axes))


def test_operands_that_lie_across() -> None:
    a, b = numbers(60, 70), numbers(70, 60)
    x, y = fj.from_numpy(a), fj.from_numpy(b)
    np.testing.assert_array_equal((x + y.T).numpy(), a + b.T)
    np.testing.assert_array_equal(fj.where(x > 0, y.T, x).numpy(), np.where(a > 0, b.T, a))


def test_bad_index_is_named() -> None:
    x, index = fj.zeros(4, 600), fj.zeros(4, 600, dtype=fj.int64)
    index[3, 599] = 600
    for call in (lambda: x.gather(1, index), lambda: x.scatter(1, index, x), lambda: x.scatter_add_(1, index, x + 1)):
        with pytest.raises(RuntimeError, match="index 600 is out of bounds for dimension 1 with size 600"):
            call()
    assert not x.any()


SCATTERS = {"scatter_": lambda old, new: new, "scatter_add_": np.add, "scatter_reduce_": np.maximum}


@pytest.mark.parametrize("name", SCATTERS)
@pytest.mark.parametrize("turned", [False, True])
def test_scatters_in_place(name: str, turned: bool) -> None:
    """Of what is written, as it was before."""
    index = np.argsort(np.random.default_rng(0).random((5, 700)), 1)
    x = numbers(5, 700)
    there = SCATTERS[name](np.take_along_axis(x, index, 1), x)
    expected = x.copy()
    np.put_along_axis(expected, index, there, 1)
    rows = fj.from_numpy(x.T.copy()).T if turned else fj.from_numpy(x)
    options = ("amax",) if name == "scatter_reduce_" else ()
    assert getattr(rows, name)(1, fj.from_numpy(index), rows, *options) is rows
    np.testing.assert_array_equal(rows.numpy(), expected)


def test_index_add_in_place() -> None:
    x, index = numbers(600, 7), np.random.default_rng(0).integers(0, 600, 900)
    source = numbers(900, 7)
    expected = x.copy()
    np.add.at(expected, index, source)
    for to in (fj.from_numpy(x.copy()), fj.from_numpy(x.T.copy()).T):
        to.index_add_(0, fj.from_numpy(index), fj.from_numpy(source))
        np.testing.assert_allclose(to.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("key", ["one", "pair", "broadcast", "behind"])
def test_index_tensors(key: str) -> None:
    """Some below 0, more than are read at once, one or several, with dims before and behind."""
    numbers_of = np.random.default_rng(0)
    i, j = numbers_of.integers(-50, 50, (2, 3, 400))
    keys = {"one": (i,), "pair": (i, j), "broadcast": (i[:1], j), "behind": (slice(None), i[0])}[key]
    x = numbers(50, 50, 3)
    ours = tuple(fj.from_numpy(k) if isinstance(k, np.ndarray) else k for k in keys)
    got = fj.from_numpy(x.copy())
    np.testing.assert_array_equal(got[ours].numpy(), x[keys])
    got[ours] = 7
    x[keys] = 7
    np.testing.assert_array_equal(got.numpy(), x)
    with pytest.raises(IndexError, match="index 50 is out of bounds for dimension 0 with size 50"):
        got[fj.tensor([0, 50])] = 1
    np.testing.assert_array_equal(got.numpy(), x)


@pytest.mark.parametrize("size", [0, 1, 7, 511, 512, 513, 5000])
def test_randperm(size: int) -> None:
    fj.manual_seed(3)
    order = fj.randperm(size)
    np.testing.assert_array_equal(order.sort()[0].numpy(), np.arange(size))
    fj.manual_seed(3)
    np.testing.assert_array_equal(order.numpy(), fj.randperm(size, dtype=fj.int32).numpy())


@pytest.mark.parametrize("length", [1, 2, 7, 1000])
@pytest.mark.parametrize("right", [False, True])
def test_searchsorted(length: int, right: bool) -> None:
    """Several values at once, with NaN, the largest, among some of them; in one row for all and in a row for each."""
    rows, values = np.sort(numbers(3, length, nan=True), 1), numbers(3, 600)
    values[1, 100:120:7] = np.nan
    side = "right" if right else "left"
    for sequence in (rows, rows[1]):
        each = sequence if sequence.ndim == 2 else [sequence] * 3
        expected = [np.searchsorted(row, wanted, side) for row, wanted in zip(each, values, strict=True)]
        got = fj.searchsorted(fj.from_numpy(sequence), fj.from_numpy(values), right=right)
        np.testing.assert_array_equal(got.numpy(), expected)


def test_cummax_with_and_without_gradient() -> None:
    x = fj.from_numpy(numbers(9, 300, nan=True))
    for dim in (0, 1):
        got, expected = x.cummax(dim), torch.from_numpy(x.numpy().copy()).cummax(dim)
        for a, b, c in zip(got, expected, x.clone().requires_grad_().cummax(dim), strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
            np.testing.assert_array_equal(a.numpy(), c.detach().numpy())


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("shift", [1, 3, -3, 16, 63, 64])
def test_long_rows_at_any_place(dtype: str, shift: int) -> None:
    values = np.arange(8 * 4096 // np.dtype(dtype).itemsize).reshape(8, -1).astype(dtype)
    ours = fj.from_numpy(values.copy())
    np.testing.assert_array_equal(ours.roll(shift, 1).numpy(), np.roll(values, shift, 1))
    copied = fj.zeros_like(ours)
    copied[:, abs(shift) :] = ours[:, : -abs(shift)]
    np.testing.assert_array_equal(copied.numpy()[:, abs(shift) :], values[:, : -abs(shift)])


@pytest.mark.parametrize("dtype", ["float32", "int8", "float64", "complex128"])
@pytest.mark.parametrize("rows", [1, 3, 4, 9])
def test_index_select_of_columns(dtype: str, rows: int) -> None:
    values = np.arange(rows * 37).reshape(rows, 37).astype(dtype)
    places = np.random.default_rng(0).integers(0, 37, 21)
    got = fj.from_numpy(values).index_select(1, fj.from_numpy(places))
    np.testing.assert_array_equal(got.numpy(), values[:, places])


@pytest.mark.parametrize("steps", [0, 1, 2, 5, 1000])
def test_linspace(steps: int) -> None:
    for dtype in ("float32", "float64", "int64"):
        expected = torch.linspace(-3, 11, steps, dtype=getattr(torch, dtype))
        np.testing.assert_allclose(fj.linspace(-3, 11, steps, dtype=getattr(fj, dtype)).numpy(), expected.numpy(), rtol=1e-6, atol=1e-6)



@pytest.mark.parametrize("padding", [None, 3, -1])
@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("offsets", [None, [0, 9, 9, 20, 45], [0, 30, 45]])
@pytest.mark.parametrize("width", [1, 7, 100])
def test_bags_with_and_without_gradients(width: int, offsets: list[int] | None, mode: str, padding: int | None) -> None:
    generator = np.random.default_rng(width)
    table, indices = generator.normal(size=(20, width)).astype("f"), generator.integers(0, 20, 45)
    if offsets is None:
        indices = indices.reshape(5, 9)

    def run(t, differentiable: bool):
        weight = t.tensor(table, requires_grad=differentiable)
        starts = None if offsets is None else t.tensor(offsets)
        options = dict(mode=mode, padding_idx=padding, include_last_offset=offsets is not None and len(offsets) == 3)
        return t.nn.functional.embedding_bag(t.tensor(indices), weight, starts, **options).detach().numpy()

    np.testing.assert_array_equal(run(fj, False), run(fj, True))
    np.testing.assert_allclose(run(fj, False), run(torch, False), atol=1e-5)
    with pytest.raises(IndexError, match="index 45"):
        fj.nn.functional.embedding_bag(fj.tensor([[0, 45]]), fj.tensor(table))


# --- gradients that are zero but for a part (zeros are not stored before they are copied, where there are many) --------
@pytest.mark.parametrize("part", [
    lambda x: x[3:70:2, 1:], lambda x: x[5], lambda x: x.diagonal(), lambda x: x[:, x[0].argsort()[:7]], lambda x: x.topk(3, 1)[0],
    lambda x: x.gather(1, x[:, :9].argsort(1)), lambda x: x.index_select(0, x[:, 0].argsort()[:4]),
])  # fmt: skip
def test_gradient_of_a_part_of_many(part: Callable[[Any], Any]) -> None:
    values = np.random.default_rng(0).permutation(80 * 64).astype(np.float32).reshape(80, 64)
    grads = []
    for library in (fj, torch):
        x = library.tensor(values, requires_grad=True)
        (part(x) ** 2).sum().backward()
        assert x.grad.is_contiguous()
        grads.append(x.grad.numpy())
    np.testing.assert_array_equal(*grads)
