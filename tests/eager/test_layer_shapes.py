"""Normalisations, pooling and convolutions in the shapes that have loops of their own, forward and backward, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")

Call = Callable[..., Any]


def compare(call: Call, *shapes: tuple[int, ...], tolerance: float = 2e-5) -> None:
    numbers = np.random.default_rng(0)
    arrays = [numbers.standard_normal(shape).astype(np.float32) for shape in shapes]
    results = []
    for library in (fj, torch):
        tensors = [library.from_numpy(x.copy()).requires_grad_() for x in arrays]
        result = call(library.nn.functional, *tensors)
        weights = np.cos(np.arange(result.numel(), dtype=np.float32)).reshape(tuple(result.shape))
        (result * library.from_numpy(weights)).sum().backward()
        results.append([result.detach().numpy(), *(x.grad.numpy() for x in tensors)])
    for ours, theirs in zip(*results, strict=True):
        scale = max(1.0, float(np.abs(theirs).max()))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)


def batch_norm(F: Any, x: Any, weight: Any, bias: Any) -> Any:
    return F.batch_norm(x, None, None, weight, bias, training=True)


@pytest.mark.parametrize(
    "shape",
    [(33, 5), (70, 600), (7, 3, 5), (9, 4, 2, 7), (3, 4, 16), (2, 5, 14, 14), (5, 3, 300), (2, 3, 2, 3, 4)],
)
def test_batch_norm(shape: tuple[int, ...]) -> None:
    compare(batch_norm, shape, (shape[1],), (shape[1],), tolerance=1e-4)


@pytest.mark.parametrize("shape", [(33, 5), (70, 600), (9, 4, 2, 7), (2, 5, 14, 14)])
def test_batch_norm_by_given_statistics(shape: tuple[int, ...]) -> None:
    def call(F: Any, x: Any, weight: Any, bias: Any, mean: Any, root: Any) -> Any:
        return F.batch_norm(x, mean.detach(), (root * root).detach() + 1, weight, bias) + 0 * (mean + root).sum()

    compare(call, shape, *[shape[1:2]] * 4, tolerance=1e-4)


@pytest.mark.parametrize("shape", [(300, 7), (5, 70, 33), (130, 600), (2, 5000)])
def test_layer_norm(shape: tuple[int, ...]) -> None:
    width = shape[-1:]
    compare(lambda F, x, w, b: F.layer_norm(x, width, w, b), shape, width, width, tolerance=1e-4)
    compare(lambda F, x: F.layer_norm(x, width), shape, tolerance=1e-4)


@pytest.mark.parametrize("shape, groups", [((3, 8, 5), 4), ((2, 6, 9, 11), 1), ((4, 6), 3), ((2, 4, 130), 4)])
def test_group_norm(shape: tuple[int, ...], groups: int) -> None:
    channels = shape[1:2]
    compare(lambda F, x, w, b: F.group_norm(x, groups, w, b), shape, channels, channels, tolerance=1e-4)
    compare(lambda F, x: F.group_norm(x, groups), shape, tolerance=1e-4)


@pytest.mark.parametrize("stride, padding, dilation", [(1, 1, 1), (2, 1, 1), (1, 0, 2), (3, 2, 1), ((2, 1), (0, 2), 1)])
@pytest.mark.parametrize("kernel", [(3, 3), (1, 1), (5, 2)])
@pytest.mark.parametrize("size", [(9, 7), (40, 70)])
def test_depthwise(size: tuple[int, int], kernel: tuple[int, int], stride: Any, padding: Any, dilation: int) -> None:
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": 10}
    compare(lambda F, x, w, b: F.conv2d(x, w, b, **options), (2, 10, *size), (20, 1, *kernel), (20,), tolerance=1e-4)
    compare(lambda F, x, w: F.conv_transpose2d(x, w, None, stride, padding, groups=10), (2, 10, *size), (10, 2, *kernel), tolerance=1e-4)  # fmt: skip


def test_few_channels_of_large_images_and_volumes() -> None:
    compare(lambda F, x, w: F.conv2d(x, w, padding=2), (1, 3, 200, 300), (2, 3, 5, 5), tolerance=1e-3)
    compare(lambda F, x, w: F.conv3d(x, w, stride=(1, 2, 2), padding=1), (2, 2, 6, 7, 8), (3, 2, 3, 3, 3), tolerance=1e-4)
    compare(lambda F, x, w: F.conv1d(x, w, stride=4), (2, 1, 4000), (1, 1, 9), tolerance=1e-4)
    compare(lambda F, x, w, b: F.conv2d(x, w, b, padding=1, groups=2), (2, 10, 7, 7), (320, 5, 3, 3), (320,), tolerance=1e-4)


@pytest.mark.parametrize("stride", [1, 2, (2, 3)])
@pytest.mark.parametrize("width", [7, 19, 50])
def test_many_channels_in_short_rows(width: int, stride: Any) -> None:
    """Panels of pixels that are made of several rows, and strides that sort columns."""
    compare(lambda F, x, w: F.conv2d(x, w, stride=stride, padding=1), (2, 6, 9, width), (16, 6, 3, 4), tolerance=1e-4)


@pytest.mark.parametrize("stride, dilation", [(1, 2), (2, 1), (2, 2), (3, 2), ((2, 4), (4, 1)), ((1, 2), 1), (3, 1), (5, 1)])
@pytest.mark.parametrize("kernel", [(3, 3), (1, 2), (4, 5)])
@pytest.mark.parametrize("groups, padding", [(1, 0), (2, 1)])
def test_transposed(kernel: tuple[int, int], stride: Any, dilation: Any, groups: int, padding: int) -> None:
    options = dict(stride=stride, dilation=dilation, groups=groups, padding=padding)
    for images, weight in (((2, 10, 7, 6), (10, 6, *kernel)), ((1, 8, 3, 19), (8, 10, *kernel))):
        bias = (weight[1] * groups,)
        compare(lambda F, x, w, b: F.conv_transpose2d(x, w, b, **options), images, weight, bias, tolerance=5e-5)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("include", [False, True])
@pytest.mark.parametrize("kernel, stride, padding", [(2, 2, 0), (3, 1, 1), ((3, 5), (2, 3), (1, 2)), (3, 4, 0)])
def test_average_pooling(kernel: Any, stride: Any, padding: Any, include: bool, ceil_mode: bool) -> None:
    call: Call = lambda F, x: F.avg_pool2d(x, kernel, stride, padding, ceil_mode, include)  # noqa: E731
    compare(call, (2, 3, 11, 20))


@pytest.mark.parametrize("dim", [0, 1])
def test_softmax_of_columns(dim: int) -> None:
    for name in ("softmax", "log_softmax"):
        compare(lambda F, x, name=name: getattr(F, name)(x, dim), (3, 70, 40))
    compare(lambda F, x: F.softmax(x, dim), (130, 5, 600))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("queries, keys", [(1, 5), (7, 7), (300, 129), (40, 260)])
def test_attention_without_gradients(queries: int, keys: int, causal: bool) -> None:
    """In blocks, of which no gradient is asked; heads that are not contiguous too."""
    numbers = np.random.default_rng(0)
    shapes = ((2, queries, 3, 20), (2, keys, 3, 20), (2, keys, 3, 11))
    arrays = [numbers.standard_normal(shape).astype(np.float32) for shape in shapes]
    results = []
    for library in (fj, torch):
        q, k, v = (library.from_numpy(x).transpose(1, 2) for x in arrays)
        attend = library.nn.functional.scaled_dot_product_attention
        results.append([attend(q, k, v, is_causal=causal).numpy(), attend(q.contiguous(), k, v, scale=0.7).numpy()])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("rows, classes", [(1, 1), (50, 3), (9, 130), (3, 5000)])
def test_cross_entropy_of_rows(rows: int, classes: int, reduction: str) -> None:
    targets = np.random.default_rng(1).integers(0, classes, rows)
    targets[0] = 0

    def call(F: Any, x: Any) -> Any:
        target = (fj if F is fj.nn.functional else torch).from_numpy(targets)
        return F.cross_entropy(x, target, reduction=reduction, ignore_index=0 if rows > 1 else -100).reshape(-1)

    compare(call, (rows, classes))


def test_cross_entropy_of_a_class_that_is_not_there() -> None:
    with pytest.raises(IndexError, match=r"Target 4 is out of bounds. Expected classes from 0 to 3, or ignore_index."):
        fj.nn.functional.cross_entropy(fj.zeros(2, 4), fj.tensor([1, 4]))


@pytest.mark.parametrize("planes, size", [(1, 7), (37, 7), (16, 8), (5, 14)])
def test_average_of_small_images(planes: int, size: int) -> None:
    compare(lambda F, x: F.adaptive_avg_pool2d(x, 1), (1, planes, size, size))


@pytest.mark.parametrize("shape", [(3, 4, 10), (1, 1, 2), (2, 5, 64)])
def test_largest_of_pairs_without_gradients(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    x.flat[::7] = np.nan
    ours, theirs = (t.nn.functional.max_pool1d(t.from_numpy(x), 2).numpy() for t in (fj, torch))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("rows, terms, columns", [(1, 64, 64), (4, 256, 256), (47, 64, 5), (3, 8208, 2)])
def test_linear_of_few_rows(rows: int, terms: int, columns: int) -> None:
    compare(lambda F, x, w, b: F.linear(x, w, b), (rows, terms), (columns, terms), (columns,))
