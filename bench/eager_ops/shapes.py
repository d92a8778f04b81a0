"""Layers, products, transforms and decompositions at the shapes that programs use; each case says its shape in its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eager_ops.case import Arrays, Case, K, floats, rng
from eager_ops.neural import functional

Shape = tuple[int, ...]


def at(
    name: str,
    call: Callable[..., Any],
    *shapes: Shape,
    dtype: str = "float32",
    numpy: Callable[..., Any] | None = None,
    prepare: Callable[..., Any] | None = None,
) -> Case:
    """A case of one size, that of its largest operand. Halves are made from float32."""
    n = max(K, *(int(np.prod(shape)) for shape in shapes))
    if dtype in ("bfloat16", "float16"):
        return Case(name, call, floats(*shapes), (n,), prepare=lambda t, *xs: [x.to(getattr(t, dtype)) for x in xs])
    return Case(name, call, floats(*shapes, dtype=np.dtype(dtype).type), (n,), numpy, prepare)


def trained(case: Case) -> Case:
    return Case(f"{case.name} fwd+bwd", case.call, case.arrays, case.sizes, prepare=case.prepare, backward=True)


def both(*cases: Case) -> list[Case]:
    return [variant for case in cases for variant in (case, trained(case))]


def convolution(name: str, images: Shape, weight: Shape, dims: int = 2, op: str = "conv", **options: Any) -> Case:
    call = functional(f"{op}{dims}d", **options)
    bias = weight[0] if op == "conv" else weight[1] * options.get("groups", 1)
    return at(f"{op}{dims}d {name} {'x'.join(map(str, images))}", call, images, weight, (bias,))


CONVOLUTIONS = both(
    convolution("3x3", (1, 16, 14, 14), (16, 16, 3, 3), padding=1),
    convolution("3x3", (16, 64, 32, 32), (64, 64, 3, 3), padding=1),
    convolution("3x3", (4, 256, 14, 14), (256, 256, 3, 3), padding=1),
    convolution("3x3 first layer", (32, 1, 28, 28), (32, 1, 3, 3)),
    convolution("3x3 rgb", (8, 3, 64, 64), (32, 3, 3, 3), padding=1),
    convolution("3x3 dilated", (4, 64, 28, 28), (64, 64, 3, 3), padding=2, dilation=2),
    convolution("5x5", (32, 6, 14, 14), (16, 6, 5, 5)),
    convolution("1x1", (16, 64, 32, 32), (128, 64, 1, 1)),
    convolution("1x1", (4, 512, 7, 7), (512, 512, 1, 1)),
    convolution("1x1 stride 2", (4, 128, 28, 28), (256, 128, 1, 1), stride=2),
    convolution("3x3 stride 2", (4, 128, 28, 28), (128, 128, 3, 3), stride=2, padding=1),
    convolution("7x7 stride 2", (2, 3, 224, 224), (64, 3, 7, 7), stride=2, padding=3),
    convolution("patches 16", (1, 3, 224, 224), (192, 3, 16, 16), stride=16),
    convolution("8 groups", (4, 128, 28, 28), (128, 16, 3, 3), padding=1, groups=8),
    convolution("depthwise", (1, 32, 14, 14), (32, 1, 3, 3), padding=1, groups=32),
    convolution("depthwise", (8, 96, 28, 28), (96, 1, 3, 3), padding=1, groups=96),
    convolution("depthwise stride 2", (8, 96, 28, 28), (96, 1, 3, 3), padding=1, groups=96, stride=2),
    convolution("depthwise 7x7", (4, 96, 28, 28), (96, 1, 7, 7), padding=3, groups=96),
    convolution("3", (16, 64, 256), (64, 64, 3), 1, padding=1),
    convolution("9 stride 4", (8, 1, 4096), (64, 1, 9), 1, stride=4),
    convolution("depthwise 4", (8, 128, 256), (128, 1, 4), 1, padding=3, groups=128),
    convolution("3x3x3", (2, 16, 16, 16, 16), (32, 16, 3, 3, 3), 3, padding=1),
    convolution("4x4 stride 2", (4, 128, 14, 14), (128, 64, 4, 4), op="conv_transpose", stride=2, padding=1),
    convolution("2x2 stride 2", (4, 64, 28, 28), (64, 32, 2, 2), op="conv_transpose", stride=2),
    convolution("3x3", (4, 32, 28, 28), (32, 32, 3, 3), op="conv_transpose", padding=1),
    convolution("4 stride 2", (8, 64, 128), (64, 32, 4), 1, op="conv_transpose", stride=2, padding=1),
)  # fmt: skip

POOLINGS = both(
    at("max_pool2d 2 1x16x14x14", functional("max_pool2d", kernel_size=2), (1, 16, 14, 14)),
    at("max_pool2d 2 16x64x32x32", functional("max_pool2d", kernel_size=2), (16, 64, 32, 32)),
    at("max_pool2d 3 stride 2 8x64x56x56", functional("max_pool2d", kernel_size=3, stride=2, padding=1), (8, 64, 56, 56)),
    at("max_pool2d 3 stride 1 4x64x28x28", functional("max_pool2d", kernel_size=3, stride=1, padding=1), (4, 64, 28, 28)),
    at("max_pool1d 2 16x64x256", functional("max_pool1d", kernel_size=2), (16, 64, 256)),
    at("max_pool3d 2 2x16x16x16x16", functional("max_pool3d", kernel_size=2), (2, 16, 16, 16, 16)),
    at("avg_pool2d 2 1x16x14x14", functional("avg_pool2d", kernel_size=2), (1, 16, 14, 14)),
    at("avg_pool2d 2 16x64x32x32", functional("avg_pool2d", kernel_size=2), (16, 64, 32, 32)),
    at("avg_pool2d 3 stride 1 4x64x28x28", functional("avg_pool2d", kernel_size=3, stride=1, padding=1), (4, 64, 28, 28)),
    at("avg_pool1d 4 16x64x256", functional("avg_pool1d", kernel_size=4), (16, 64, 256)),
    at("adaptive_avg_pool2d 1 16x512x7x7", functional("adaptive_avg_pool2d", output_size=1), (16, 512, 7, 7)),
    at("adaptive_avg_pool2d 1 16x64x32x32", functional("adaptive_avg_pool2d", output_size=1), (16, 64, 32, 32)),
    at("adaptive_avg_pool2d 7 16x64x32x32", functional("adaptive_avg_pool2d", output_size=7), (16, 64, 32, 32)),
    at("adaptive_max_pool2d 7 16x64x32x32", functional("adaptive_max_pool2d", output_size=7), (16, 64, 32, 32)),
    at("interpolate nearest 4x64x28x28", functional("interpolate", scale_factor=2), (4, 64, 28, 28)),
    at("interpolate bilinear 4x64x28x28", functional("interpolate", scale_factor=2, mode="bilinear"), (4, 64, 28, 28)),
    at("interpolate bilinear down 4x3x224x224", functional("interpolate", size=(112, 112), mode="bilinear"), (4, 3, 224, 224)),
    at("interpolate bicubic 4x16x28x28", functional("interpolate", scale_factor=2, mode="bicubic"), (4, 16, 28, 28)),
)  # fmt: skip


def norm(name: str, shape: Shape, features: int, call: Callable[..., Any]) -> Case:
    return at(f"{name} {'x'.join(map(str, shape))}", call, shape, (features,), (features,))


def layer_norm(*shape: int) -> Case:
    def call(t: Any, x: Any, w: Any, b: Any) -> Any:
        return t.nn.functional.layer_norm(x, (shape[-1],), w, b)

    return norm("layer_norm", shape, shape[-1], call)


def rms_norm(*shape: int) -> Case:
    def call(t: Any, x: Any, w: Any) -> Any:
        return t.nn.functional.rms_norm(x, (shape[-1],), w)

    return at(f"rms_norm {'x'.join(map(str, shape))}", call, shape, shape[-1:])


def batch_norm(*shape: int) -> Case:
    def call(t: Any, x: Any, w: Any, b: Any) -> Any:
        return t.nn.functional.batch_norm(x, None, None, w, b, training=True)

    return norm("batch_norm", shape, shape[1], call)


def batch_norm_eval(*shape: int) -> Case:
    def call(t: Any, x: Any, w: Any, b: Any) -> Any:
        mean, variance = w.detach(), (b * b + 1).detach()
        return t.nn.functional.batch_norm(x, mean, variance, w, b, training=False)

    return norm("batch_norm eval", shape, shape[1], call)


def group_norm(groups: int, *shape: int) -> Case:
    def call(t: Any, x: Any, w: Any, b: Any) -> Any:
        return t.nn.functional.group_norm(x, groups, w, b)

    return norm(f"group_norm {groups}", shape, shape[1], call)


def instance_norm(*shape: int) -> Case:
    def call(t: Any, x: Any, w: Any, b: Any) -> Any:
        return t.nn.functional.instance_norm(x, weight=w, bias=b)

    return norm("instance_norm", shape, shape[1], call)


NORMS = both(
    layer_norm(8, 64),
    layer_norm(256, 256),
    layer_norm(1024, 1024),
    layer_norm(32, 128, 96),
    rms_norm(8, 64),
    rms_norm(256, 256),
    rms_norm(1024, 1024),
    batch_norm(32, 64),
    batch_norm(256, 1024),
    batch_norm(4, 256, 8, 8),
    batch_norm(16, 64, 32, 32),
    batch_norm(32, 16, 14, 14),
    batch_norm(8, 64, 512),
    batch_norm_eval(1, 64, 14, 14),
    batch_norm_eval(16, 64, 32, 32),
    group_norm(4, 1, 16, 14, 14),
    group_norm(8, 16, 64, 32, 32),
    group_norm(32, 4, 256, 14, 14),
    instance_norm(4, 16, 14, 14),
    instance_norm(8, 64, 32, 32),
)


def classes(*shape: int) -> Case:
    def arrays(n: int) -> Arrays:
        (x,) = floats(shape)(n)
        return [x, rng().integers(0, shape[-1], shape[:-1])]

    return Case(f"cross_entropy {'x'.join(map(str, shape))}", functional("cross_entropy"), arrays, (max(K, int(np.prod(shape))),))


def words(count: int, table: int, width: int) -> Case:
    def arrays(n: int) -> Arrays:
        return [rng().integers(0, table, count), *floats((table, width))(n)]

    return Case(f"embedding {count} of {table}x{width}", functional("embedding"), arrays, (max(K, table * width),))


def attention(*shape: int, **options: Any) -> Case:
    names = " ".join(["attention", "x".join(map(str, shape)), *options])
    return at(names, functional("scaled_dot_product_attention", **options), shape, shape, shape)


def layer(name: str, shape: Shape, make: Callable[[Any], Any]) -> Case:
    """A module of `t.nn`, with the gradients of its parameters where there is a backward."""

    def prepare(t: Any, x: Any) -> list[Any]:
        t.manual_seed(0)
        module = make(t.nn)
        return [x, *module.parameters(), module]

    def call(t: Any, x: Any, *rest: Any) -> Any:
        result = rest[-1](x)
        return result[0] if isinstance(result, tuple) else result

    return Case(f"{name} {'x'.join(map(str, shape))}", call, floats(shape), (max(K, int(np.prod(shape))),), prepare=prepare)


def perceptron(nn: Any) -> Any:
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))


def lenet(nn: Any) -> Any:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10),
    )  # fmt: skip


def transformer(nn: Any) -> Any:
    return nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)


LAYERS = both(
    at("softmax 8x64", lambda t, x: t.softmax(x, -1), (8, 64)),
    at("softmax 1024x1024", lambda t, x: t.softmax(x, -1), (1024, 1024)),
    at("softmax channels 4x21x64x64", lambda t, x: t.softmax(x, 1), (4, 21, 64, 64)),
    at("log_softmax 256x1000", lambda t, x: t.log_softmax(x, -1), (256, 1000)),
    classes(8, 10),
    classes(256, 1000),
    classes(64, 16384),
    words(32, 1000, 64),
    words(4096, 10000, 128),
    attention(1, 4, 16, 16),
    attention(8, 4, 128, 32),
    attention(2, 8, 512, 64),
    attention(2, 8, 512, 64, is_causal=True),
    layer("LSTM 64", (8, 16, 64), lambda nn: nn.LSTM(64, 64, batch_first=True)),
    layer("LSTM 256", (16, 32, 256), lambda nn: nn.LSTM(256, 256, batch_first=True)),
    layer("LSTM step", (1, 1, 64), lambda nn: nn.LSTM(64, 64, batch_first=True)),
    layer("GRU 64", (8, 16, 64), lambda nn: nn.GRU(64, 64, batch_first=True)),
    layer("GRU 256", (16, 32, 256), lambda nn: nn.GRU(256, 256, batch_first=True)),
    layer("LSTMCell 64", (8, 64), lambda nn: nn.LSTMCell(64, 64)),
    layer("GRUCell 64", (8, 64), lambda nn: nn.GRUCell(64, 64)),
    layer("perceptron", (1, 64), perceptron),
    layer("perceptron", (64, 64), perceptron),
    layer("small CNN", (1, 1, 16, 16), lenet),
    layer("small CNN", (32, 1, 28, 28), lenet),
    layer("transformer layer", (1, 16, 64), transformer),
    layer("transformer layer", (16, 64, 64), transformer),
)


def matmul(m: int, k: int, n: int, dtype: str = "float32") -> Case:
    name = f"matmul {m}x{k}x{n} {dtype}"
    return at(name, lambda t, a, b: a @ b, (m, k), (k, n), dtype=dtype, numpy=np.matmul)


SIDES = (8, 16, 32, 64, 256, 1024)
LINEARS = ((1, 64, 64), (8, 32, 16), (32, 784, 128), (128, 256, 1024), (512, 768, 768))
BATCHES = ((16, 8), (256, 8), (64, 16), (16, 64), (8, 256))
OBLONGS = (
    (1, 64, 64), (1, 512, 512), (8, 512, 512), (128, 16, 128), (1024, 32, 1024), (16, 4096, 16), (32, 784, 128),
    (10000, 10, 10), (4096, 4096, 1),
)  # fmt: skip


def linear(m: int, i: int, o: int, dtype: str = "float32") -> Case:
    return at(f"linear {m}x{i} to {o} {dtype}", functional("linear"), (m, i), (o, i), (o,), dtype=dtype)


def bmm(batch: int, side: int, dtype: str) -> Case:
    shape = (batch, side, side)
    return at(f"bmm {batch}x{side} {dtype}", lambda t, a, b: t.bmm(a, b), shape, shape, dtype=dtype)


def einsum(equation: str, *shapes: Shape) -> Case:
    return at(f"einsum {equation}", lambda t, *operands: t.einsum(equation, *operands), *shapes)


PRODUCTS = [
    *(matmul(s, s, s, d) for d in ("float32", "float64", "bfloat16", "float16") for s in SIDES),
    *(matmul(*shape) for shape in OBLONGS),
    *(matmul(1, k, k, d) for k in (64, 512) for d in ("bfloat16", "float16")),
    *(linear(*shape, d) for d in ("float32", "bfloat16", "float64") for shape in LINEARS),
    *(trained(linear(*shape)) for shape in LINEARS[::2]),
    *(at(f"addmm {s}", lambda t, c, a, b: t.addmm(c, a, b), (s, s), (s, s), (s, s)) for s in (8, 64, 256)),
    *(bmm(*batch, d) for d in ("float32", "float64", "bfloat16") for batch in BATCHES),
    at("bmm 64x(1x64x64)", lambda t, a, b: t.bmm(a, b), (64, 1, 64), (64, 64, 64)),
    at("matrix by vector 512", lambda t, a, b: a @ b, (512, 512), (512,)),
    at("vector by matrix 512", lambda t, a, b: b @ a, (512, 512), (512,)),
    at("dot 4096", lambda t, a, b: t.dot(a, b), (4096,), (4096,)),
    at("outer 512", lambda t, a, b: t.outer(a, b), (512,), (512,)),
    einsum("bhid,bhjd->bhij", (2, 4, 64, 32), (2, 4, 64, 32)),
    einsum("bthd,bshd->bhts", (2, 64, 4, 32), (2, 64, 4, 32)),
    einsum("ij,jk->ik", (16, 16), (16, 16)),
    einsum("i,j->ij", (128,), (128,)),
    einsum("bij->bi", (16, 64, 64)),
    einsum("ii->i", (64, 64)),
    einsum("bn,anm,bm->ba", (32, 16), (8, 16, 24), (32, 24)),
]


def transform(op: str, *shape: int, dtype: str = "complex64", **options: Any) -> Case:
    name = " ".join([op, "x".join(map(str, shape)), *(f"{k}={v}" for k, v in options.items()), dtype])
    return at(name, lambda t, x: getattr(t.fft, op)(x, **options), shape, dtype=dtype)


TRANSFORMS = [
    *(transform("fft", n) for n in (16, 128, 1024, 4096, 65536, 1 << 20, 1000, 1331, 1517, 997, 10007, 30030)),
    *(transform("fft", 64, n) for n in (8, 16, 60, 64, 77, 100, 101, 128, 143, 512, 1000, 1021, 1024, 1331, 1517)),
    *(transform("fft", 1024, n) for n in (64, 100, 256, 1024)),
    *(transform("fft", n, dtype="complex128") for n in (1024, 65536)),
    transform("fft", 256, 256, dtype="complex128"),
    transform("fft", 256, 256, dim=0),
    transform("ifft", 256, 256),
    *(transform("rfft", n, dtype="float32") for n in (128, 400, 1024, 1331, 16000, 65536, 1 << 20)),
    *(transform("rfft", 100, n, dtype="float32") for n in (64, 143, 400, 512, 1024)),
    *(transform("irfft", 100, n) for n in (33, 72, 201, 257, 513)),
    *(transform("fft2", n, n) for n in (16, 64, 128, 224, 512)),
    *(transform("rfft2", n, n, dtype="float32") for n in (28, 64, 224, 512)),
    transform("irfft2", 64, 33),
    transform("fftn", 32, 32, 32),
    at("stft 16000", lambda t, x: t.stft(x, 400, 160, window=t.hann_window(400), return_complex=True), (16000,)),
]  # fmt: skip


def definite(*shape: int) -> Callable[[int], Arrays]:
    def arrays(n: int) -> Arrays:
        (a,) = floats(shape)(n)
        return [a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1], dtype=np.float32)]

    return arrays


def decomposition(name: str, *shape: int, call: Callable[..., Any] | None = None) -> Case:
    label = f"{name} {'x'.join(map(str, shape))}"
    apply = call or (lambda t, a: getattr(t.linalg, name)(a))
    return Case(label, apply, definite(*shape), (max(K, int(np.prod(shape))),))


SQUARES = ((8, 8), (64, 64), (256, 256), (512, 512), (1000, 4, 4), (64, 8, 8), (128, 32, 32), (16, 64, 64))
OF_SQUARES = (
    "inv", "det", "slogdet", "cholesky", "lu", "lu_factor", "qr", "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals",
    "pinv", "matrix_exp",
)  # fmt: skip


def solve(t: Any, a: Any) -> Any:
    return t.linalg.solve(a, a[..., :1])


def solve_triangular(t: Any, a: Any) -> Any:
    return t.linalg.solve_triangular(a, a, upper=True)


def lstsq(t: Any, a: Any) -> Any:
    return t.linalg.lstsq(a, a[..., :1]).solution


DECOMPOSITIONS = [
    *(decomposition(name, *shape) for name in OF_SQUARES for shape in SQUARES),
    *(decomposition("solve", *shape, call=solve) for shape in SQUARES),
    *(decomposition("solve_triangular", *shape, call=solve_triangular) for shape in SQUARES),
    *(decomposition("lstsq", *shape, call=lstsq) for shape in SQUARES),
    *(decomposition("cholesky_solve", *shape, call=lambda t, a: t.cholesky_solve(a, a)) for shape in SQUARES),
]
