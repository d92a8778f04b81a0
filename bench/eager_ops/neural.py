"""What networks are made of, forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eager_ops.case import LARGE, Arrays, Case, K, M, floats, rng

IMAGES = (-1, 64, 28, 28)
SMALL_AND_LARGE = (64 * K, M)


def convolution(*weight: int, images: tuple[int, ...] = IMAGES) -> Callable[[int], Arrays]:
    def make(n: int) -> Arrays:
        x, w = floats(images, weight)(n)
        return [x, w * 0.05]

    return make


def functional(name: str, **options: Any) -> Callable[..., Any]:
    return lambda t, *operands: getattr(t.nn.functional, name)(*operands, **options)


def normalized(n: int) -> Arrays:
    """Rows of 256, a weight and a bias."""
    return floats((-1, 256), (256,), (256,))(n)


def channels(n: int) -> Arrays:
    return floats((-1, 64, 14, 14), (64,), (64,))(n)


def words(n: int) -> Arrays:
    """Indices that pick `n` elements from a table of rows of 64."""
    return [rng().integers(0, 5000, max(1, n // 64)), floats((5000, 64))(n)[0]]


def classes(n: int) -> Arrays:
    (x,) = floats((-1, 128))(n)
    return [x, rng().integers(0, 128, len(x))]


HEADS = floats((-1, 4, 128, 32), (-1, 4, 128, 32), (-1, 4, 128, 32))
LINEAR = floats((-1, 256), (256, 256), (256,))


def layer_norm(t: Any, x: Any, weight: Any, bias: Any) -> Any:
    return t.nn.functional.layer_norm(x, (256,), weight, bias)


def batch_norm(t: Any, x: Any, weight: Any, bias: Any) -> Any:
    return t.nn.functional.batch_norm(x, None, None, weight, bias, training=True)


def group_norm(t: Any, x: Any, weight: Any, bias: Any) -> Any:
    return t.nn.functional.group_norm(x, 8, weight, bias)


def lstm(t: Any, x: Any) -> tuple[Any, Any]:
    return t.nn.LSTM(64, 64, batch_first=True), x


CASES = (
    Case("linear", functional("linear"), LINEAR, (K, 64 * K, M)),
    Case("conv2d 1x1", functional("conv2d"), convolution(64, 64, 1, 1), SMALL_AND_LARGE),
    Case("conv2d 3x3", functional("conv2d", padding=1), convolution(64, 64, 3, 3), SMALL_AND_LARGE),
    Case(
        "conv2d 3x3 stride 2",
        functional("conv2d", padding=1, stride=2),
        convolution(64, 64, 3, 3),
        SMALL_AND_LARGE,
    ),
    Case(
        "conv2d 5x5, 8 channels",
        functional("conv2d"),
        convolution(16, 8, 5, 5, images=(-1, 8, 28, 28)),
        LARGE,
    ),
    Case(
        "conv2d 7x7 stride 2",
        functional("conv2d", padding=3, stride=2),
        convolution(64, 3, 7, 7, images=(-1, 3, 112, 112)),
        SMALL_AND_LARGE,
    ),
    Case(
        "conv2d depthwise",
        functional("conv2d", padding=1, groups=64),
        convolution(64, 1, 3, 3),
        SMALL_AND_LARGE,
    ),
    Case(
        "conv2d 4 groups",
        functional("conv2d", padding=1, groups=4),
        convolution(64, 16, 3, 3),
        SMALL_AND_LARGE,
    ),
    Case(
        "conv_transpose2d",
        functional("conv_transpose2d", stride=2),
        convolution(64, 32, 2, 2),
        SMALL_AND_LARGE,
    ),
    Case(
        "conv1d",
        functional("conv1d", padding=1),
        convolution(32, 32, 3, images=(-1, 32, 256)),
        SMALL_AND_LARGE,
    ),
    Case("max_pool2d", functional("max_pool2d", kernel_size=2), floats(IMAGES), LARGE),
    Case(
        "max_pool2d 3x3", functional("max_pool2d", kernel_size=3, stride=2, padding=1), floats(IMAGES), LARGE
    ),
    Case("avg_pool2d", functional("avg_pool2d", kernel_size=2), floats(IMAGES), LARGE),
    Case("adaptive_avg_pool2d 1", functional("adaptive_avg_pool2d", output_size=1), floats(IMAGES), LARGE),
    Case("adaptive_avg_pool2d 7", functional("adaptive_avg_pool2d", output_size=7), floats(IMAGES), LARGE),
    Case("interpolate nearest", functional("interpolate", scale_factor=2), floats(IMAGES), LARGE),
    Case(
        "interpolate bilinear",
        functional("interpolate", scale_factor=2, mode="bilinear"),
        floats(IMAGES),
        LARGE,
    ),
    Case("batch_norm", batch_norm, channels),
    Case("layer_norm", layer_norm, normalized),
    Case("group_norm", group_norm, channels),
    Case("embedding", functional("embedding"), words),
    Case("cross_entropy", functional("cross_entropy"), classes),
    Case("mse_loss", functional("mse_loss"), floats((), ())),
    Case("attention", functional("scaled_dot_product_attention"), HEADS, LARGE),
    Case(
        "attention causal",
        functional("scaled_dot_product_attention", is_causal=True),
        HEADS,
        LARGE,
    ),
    Case("LSTM", lambda t, layer, x: layer(x), floats((-1, 16, 64)), LARGE, prepare=lstm),
)
