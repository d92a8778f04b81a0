"""Forward and backward, and steps of optimizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eager_ops.case import ALL, LARGE, Arrays, Case, K, M, floats
from eager_ops.neural import (
    HEADS,
    IMAGES,
    LINEAR,
    SMALL_AND_LARGE,
    batch_norm,
    channels,
    classes,
    convolution,
    functional,
    group_norm,
    layer_norm,
    normalized,
    words,
)
from eager_ops.structure import picks_along, rows_to_pick


def trained(
    name: str, call: Callable[..., Any], arrays: Callable[[int], Arrays], sizes: tuple[int, ...] = LARGE
) -> Case:
    return Case(f"{name} fwd+bwd", call, arrays, sizes, backward=True)


def fifty_parameters(n: int) -> Arrays:
    return floats(*[(n // 50,)] * 50)(n)


def optimizer(name: str, **options: Any) -> Callable[..., Any]:
    def prepare(t: Any, *tensors: Any) -> list[Any]:
        parameters = [t.nn.Parameter(x) for x in tensors]
        for parameter in parameters:
            parameter.grad = t.ones_like(parameter)
        return [getattr(t.optim, name)(parameters, lr=1e-3, **options)]

    return prepare


def step(name: str, **options: Any) -> Case:
    return Case(
        f"{name}, 50 parameters",
        lambda t, o: o.step(),
        fifty_parameters,
        (K, 64 * K, M),
        prepare=optimizer(name, **options),
    )


CASES = (
    trained("add", lambda t, a, b: a + b, floats((), ()), ALL),
    trained("multiply, row", lambda t, a, b: a * b, floats((), (256,)), (64 * K,)),
    trained("gelu", functional("gelu"), floats(), (K, 64 * K, M)),
    trained("tanh", lambda t, a: t.tanh(a), floats(), (K, 64 * K, M)),
    trained("sum dim 1", lambda t, a: a.sum(1), floats(), (K, 64 * K, M)),
    trained("max dim 1", lambda t, a: a.max(1)[0], floats()),
    trained("softmax", lambda t, a: t.softmax(a, 1), floats(), (K, 64 * K, M)),
    trained("layer_norm", layer_norm, normalized, (K, 64 * K, M)),
    trained("batch_norm", batch_norm, channels),
    trained("group_norm", group_norm, channels),
    trained("matmul", lambda t, a, b: a @ b, floats((), ()), (K, 64 * K, M)),
    trained("linear", functional("linear"), LINEAR, (K, 64 * K, M)),
    trained("conv2d 1x1", functional("conv2d"), convolution(64, 64, 1, 1), SMALL_AND_LARGE),
    trained("conv2d 3x3", functional("conv2d", padding=1), convolution(64, 64, 3, 3), SMALL_AND_LARGE),
    trained(
        "conv2d 7x7 stride 2",
        functional("conv2d", padding=3, stride=2),
        convolution(64, 3, 7, 7, images=(-1, 3, 112, 112)),
    ),
    trained("conv2d depthwise", functional("conv2d", padding=1, groups=64), convolution(64, 1, 3, 3)),
    trained("max_pool2d", functional("max_pool2d", kernel_size=2), floats(IMAGES)),
    trained("max_pool2d 3x3", functional("max_pool2d", kernel_size=3, stride=2, padding=1), floats(IMAGES)),
    trained("avg_pool2d", functional("avg_pool2d", kernel_size=2), floats(IMAGES)),
    trained("adaptive_avg_pool2d 7", functional("adaptive_avg_pool2d", output_size=7), floats(IMAGES)),
    trained(
        "interpolate bilinear", functional("interpolate", scale_factor=2, mode="bilinear"), floats(IMAGES)
    ),
    trained("embedding", functional("embedding"), words),
    trained("cross_entropy", functional("cross_entropy"), classes, (K, 64 * K, M)),
    trained("attention", functional("scaled_dot_product_attention"), HEADS),
    trained("gather", lambda t, a, i: a.gather(1, i), picks_along),
    trained("index by rows", lambda t, a, i: a[i], rows_to_pick),
    trained("cat", lambda t, a, b: t.cat([a, b], 1), floats((), ())),
    trained("transpose", lambda t, a: a.T.contiguous(), floats()),
    step("SGD", momentum=0.9),
    step("Adam"),
    step("AdamW"),
)
