"""Corners that PyTorch's own operator samples found: each case computes the same in framejit and in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")

INF, NAN = math.inf, math.nan


def values(result: Any) -> Any:
    """Dtypes, shapes and elements, as Python objects."""
    if isinstance(result, (list, tuple)):
        return [values(one) for one in result]
    return str(result.dtype).split(".")[-1], tuple(result.shape), result.tolist()


def near(got: Any, expected: Any) -> bool:
    if isinstance(expected, (list, tuple)):
        return len(got) == len(expected) and all(near(one, other) for one, other in zip(got, expected))
    if isinstance(expected, (float, complex)):
        return got == pytest.approx(expected, rel=2e-3, abs=1e-6, nan_ok=True)
    return got == expected


CASES: dict[str, Callable[[Any], Any]] = {
    # complex numbers
    "addmm": lambda t: t.addmm(t.ones(2, 2) + 0j, t.ones(2, 3) + 0j, t.ones(3, 2) * 1j, beta=1 + 2j, alpha=2 + 3j),
    "baddbmm": lambda t: t.baddbmm(t.ones(1) + 0j, t.ones(2, 2, 3) * 1j, t.ones(2, 3, 2) + 0j, alpha=2j),
    "addbmm": lambda t: t.addbmm(t.ones(2, 2) + 0j, t.ones(4, 2, 3) + 0j, t.ones(4, 3, 2) * 1j, beta=2j),
    "addr": lambda t: t.addr(t.ones(2, 2) + 0j, t.ones(2) * 1j, t.ones(2) + 0j, alpha=1j),
    "logaddexp": lambda t: t.logaddexp(t.tensor([1 + 2j, -INF, 800j]), t.tensor([3 - 1j, -INF, 800 + 0j])),
    "logaddexp of infinities": lambda t: t.logaddexp(t.tensor([complex(-INF), complex(INF), complex(INF), 1j]), t.tensor([complex(NAN), complex(INF), 2j, complex(INF)])),
    "logcumsumexp of infinities": lambda t: t.logcumsumexp(t.tensor([complex(-INF), complex(-INF), 1 + 0j, complex(INF), complex(INF), complex(NAN)]), 0),
    "logsumexp": lambda t: t.logsumexp(t.tensor([[1 + 2j, 800 + 1j], [3 - 1j, 2j]]), (0, 1)),
    "logcumsumexp": lambda t: t.logcumsumexp(t.tensor([1 + 2j, 80 + 1j, 3 - 1j, 2j]), 0),
    "linspace": lambda t: t.linspace(1 + 1j, 5 - 3j, 5),
    "linspace dtype": lambda t: t.linspace(-2, 3, 6, dtype=t.complex128),
    "constant_pad": lambda t: t.constant_pad_nd(t.ones(2) * 1j, (1, 2), 2 + 1j),
    "float_power": lambda t: [t.float_power(t.tensor([1j, 2 + 1j]), 3), t.float_power(t.tensor([2.0, -1.0]), t.tensor([3, 1]))],
    "cov": lambda t: t.cov(t.tensor([[1 + 2j, 3 - 1j, 2j], [2 + 0j, 1j, 4 - 1j]])),
    "corrcoef": lambda t: t.corrcoef(t.tensor([[1 + 2j, 3 - 1j, 2j], [2 + 0j, 1j, 4 - 1j]])),
    "pairwise_distance": lambda t: t.nn.functional.pairwise_distance(t.tensor([[1 + 2j, 2j]]), t.tensor([[3 + 0j, 1j]])),
    # halves, where squares overflow
    "norm": lambda t: t.linalg.vector_norm(t.full((4,), 300.0, dtype=t.float16)),
    "dist": lambda t: t.dist(t.full((3,), 20.0, dtype=t.float16), t.zeros(3, dtype=t.float16), 4),
    "cdist": lambda t: t.cdist(t.full((1, 3), 300.0, dtype=t.float16).float(), t.zeros(2, 3)),
    "frexp": lambda t: t.frexp(t.tensor([0.3, -5.0, 0.0, INF], dtype=t.bfloat16))[0],
    "nextafter": lambda t: t.nextafter(t.tensor([1.0, -1.0, 0.0, 0.0, 2.0, INF, NAN], dtype=t.bfloat16), t.tensor([2.0, 2.0, -1.0, 1.0, 2.0, 0.0, 1.0], dtype=t.bfloat16)),
    # integers and bools
    "addbmm int16": lambda t: t.addbmm(t.ones(2, 2).short(), t.ones(3, 2, 2).short(), t.ones(3, 2, 2).short(), alpha=2),
    "addr bool": lambda t: [t.addr(t.eye(2).bool(), t.tensor([True, False]), t.tensor([True, True]), beta=beta, alpha=alpha) for beta in (0, 3) for alpha in (0, 2)],
    "einsum int16": lambda t: [t.einsum(e, t.ones(2, 3).short(), *more) for e, *more in (("ij->i",), ("ij,k->ik", t.ones(3).short()), ("ij,jk->ik", t.ones(3, 2).short()))],
    # tensors without dims, or with few elements
    "index_fill": lambda t: [t.tensor(1.0).index_fill(0, t.tensor([0]), 5.0), t.tensor(1.0).index_fill(0, t.tensor(0), t.tensor(6.0))],
    "index_copy": lambda t: t.tensor(1.0).index_copy(0, t.tensor([0]), t.tensor(5.0)),
    "gather": lambda t: t.ones(3).gather(0, t.zeros(0, dtype=t.uint8)),
    "cov of one variable": lambda t: t.cov(t.tensor([[1.0, 4.0, 2.0]])),
    "diff of order 0": lambda t: t.diff(t.ones(2, 3), 0, prepend=t.ones(2, 1)),
    "chunk of nothing": lambda t: t.ones(2, 0).chunk(3, 1),
    "logsumexp of nothing": lambda t: t.logsumexp(t.ones(2, 0), 1),
    "channel_shuffle of nothing": lambda t: t.channel_shuffle(t.ones(0, 6, 3, 2), 3),
    "complex of expanded parts": lambda t: t.complex(t.ones(2, 1, 3).transpose(0, 2).expand(3, 4, 2), t.ones(3, 4, 2)),
    "polar of expanded parts": lambda t: t.polar(t.arange(6.0).as_strided((3, 2, 2), (0, 1, 3)), t.ones(3, 2, 2)),
    "multi_margin_loss": lambda t: t.nn.functional.multi_margin_loss(t.ones(5), t.tensor([1]), reduction="none"),
    "igamma of large orders": lambda t: [f(t.tensor([1e4, 2e5, 1e6, 1e6, 5e6, 1e20], dtype=t.float64), t.tensor([1e4, 2e5, 1e6, 1.001e6, 4.998e6, 1e20], dtype=t.float64)) for f in (t.igamma, t.igammac)],
    "padding that cuts all away": lambda t: [t.nn.functional.pad(t.ones(1, 1, 5, 5), (0, 0, 0, -5), mode=mode) for mode in ("reflect", "replicate", "circular")],
    # bytes, whose weights are fixed-point numbers
    "interpolate bytes": lambda t: [t.nn.functional.interpolate((t.arange(2 * 3 * 9 * 11) * 37 % 256).to(t.uint8).reshape(2, 3, 9, 11), size=size, mode=mode, align_corners=corners, antialias=antialias) for size in ((5, 7), (20, 25), (3, 30)) for mode, antialias in (("bilinear", False), ("bilinear", True), ("bicubic", True)) for corners in (False, True)],
    # limits
    "exp": lambda t: t.exp(t.tensor([-INF, -1000.0, -745.0, -720.0, -708.0, 709.0, INF, NAN], dtype=t.float64)),
    "softmax": lambda t: t.softmax(t.tensor([-INF, 0.0], dtype=t.float64), 0),
    "logcumsumexp of -inf": lambda t: t.logcumsumexp(t.tensor([-INF, -INF, 1.0]), 0),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_same_result(name: str) -> None:
    got, expected = values(CASES[name](fj)), values(CASES[name](torch))
    assert near(got, expected), f"got {str(got)[:500]}, expected {str(expected)[:500]}"


ERRORS: dict[str, Callable[[Any], Any]] = {
    "float_power_": lambda t: t.ones(2).float_power_(2),
    "cov": lambda t: t.cov(t.ones(3), fweights=t.tensor([1, -1, 2])),
    "gradient": lambda t: t.gradient(t.ones(3, 3), dim=(1, 1)),
    "fft": lambda t: t.fft.fft(t.tensor(1.0)),
    "fftn": lambda t: t.fft.fftn(t.tensor(1.0), dim=(0,)),
    "put_": lambda t: t.ones(3).put_(t.tensor([0]), t.ones(2)),
    "cross_entropy": lambda t: t.nn.functional.cross_entropy(t.zeros(2, 3), t.tensor([0, 3])),
    "nll_loss": lambda t: t.nn.functional.nll_loss(t.zeros(2, 3), t.tensor([0, -5])),
    "householder_product": lambda t: t.linalg.householder_product(t.ones(3, 2), t.ones(3)),
    "copy_ to an expanded tensor": lambda t: t.ones(1).expand(3).copy_(t.ones(3)),
    "normal_ of an expanded tensor": lambda t: t.ones(1).expand(3).normal_(),
    "arange": lambda t: t.arange(0, 64, 0.5, out=t.empty(0, dtype=t.int64)),
    "linspace of bool": lambda t: t.linspace(0, 1, 3, dtype=t.bool),
    "logspace of bool": lambda t: t.logspace(0, 1, 3, dtype=t.bool),
    "out overlaps itself": lambda t: t.take(t.ones(6), t.tensor([0, 1]), out=t.ones(1).expand(2)),
}


@pytest.mark.parametrize("name", ERRORS)
def test_same_exception(name: str) -> None:
    with pytest.raises(Exception) as expected:
        ERRORS[name](torch)
    with pytest.raises(type(expected.value)):
        ERRORS[name](fj)


def test_dtype_methods_take_a_memory_format() -> None:
    x = fj.ones(2, 3, 4, 5)
    assert x.half(memory_format=fj.channels_last).stride() == torch.ones(2, 3, 4, 5).half(memory_format=torch.channels_last).stride()
    assert x.float(memory_format=fj.preserve_format) is not None and x.double(memory_format=fj.contiguous_format).is_contiguous()
    with pytest.raises(TypeError):
        x.int(memory=1)


def test_cat_keeps_channels_last() -> None:
    x = fj.ones(2, 3, 4, 5).contiguous(memory_format=fj.channels_last)
    assert fj.cat([x, x], 1).is_contiguous(memory_format=fj.channels_last)
    assert fj.cat([x, x.contiguous()], 1).is_contiguous()
    y = fj.rand(2, 3, 4, 5).contiguous(memory_format=fj.channels_last)
    compiled = fj.compile(lambda a, b: fj.cat([a, b * 2], 1) + 1)(x, y)
    assert compiled.tolist() == (fj.cat([x, y * 2], 1) + 1).tolist()


def test_histogram_edges_are_a_copy() -> None:
    edges = fj.tensor([0.0, 1.0, 2.0])
    fj.histogram(fj.tensor([0.5]), edges).bin_edges.zero_()
    assert edges.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("make", [lambda x: fj.bernoulli(x), lambda x: fj.cdist(x, x * 0.5, p=0.0), lambda x: fj.norm(x, 0)])
def test_steps_have_a_zero_gradient(make: Callable[[Any], Any]) -> None:
    x = fj.rand(3, 3, requires_grad=True)
    make(x).sum().backward()
    assert x.grad.tolist() == fj.zeros(3, 3).tolist()


def test_lu_with_info() -> None:
    a = fj.rand(3, 3) + fj.eye(3)
    factors = a.lu(get_infos=True)
    assert factors.info.item() == 0
    assert factors.LU.tolist() == fj.lu(a)[0].tolist()


WINDOWS = ("bartlett", "blackman", "cosine", "exponential", "gaussian", "hamming", "hann", "kaiser", "nuttall")


@pytest.mark.parametrize("sym", [False, True])
@pytest.mark.parametrize("name", WINDOWS)
def test_window(name: str, sym: bool) -> None:
    for length in (0, 1, 2, 7):
        got, expected = (getattr(t.signal.windows, name)(length, sym=sym, dtype=t.float64) for t in (fj, torch))
        assert got.tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    assert getattr(fj.signal.windows, name)(3, requires_grad=True).requires_grad
    with pytest.raises(ValueError, match="non-negative window length"):
        getattr(fj.signal.windows, name)(-1)
    with pytest.raises(ValueError, match="float32 or float64"):
        getattr(fj.signal.windows, name)(3, dtype=fj.int64)


def test_window_parameters() -> None:
    for t in (fj, torch):
        with pytest.raises(ValueError):
            t.signal.windows.exponential(3, tau=0)
        with pytest.raises(ValueError):
            t.signal.windows.exponential(3, center=1.0)
        with pytest.raises(ValueError):
            t.signal.windows.general_cosine(3, a=[])
    got, expected = (t.signal.windows.exponential(5, center=1.0, tau=2.0, sym=False) for t in (fj, torch))
    assert got.tolist() == pytest.approx(expected.tolist())


@pytest.mark.parametrize("density", [False, True])
def test_histogramdd(density: bool) -> None:
    def run(t: Any) -> Any:
        points = t.tensor([[0.0, 1.0], [0.5, 2.0], [1.0, 3.0], [1.0, 3.0]])
        edges = [t.tensor([0.0, 0.4, 1.0]), t.tensor([0.0, 2.0])]
        weight = t.tensor([1.0, 2.0, 3.0, 4.0])
        results = [t.histogramdd(points, 2, density=density), t.histogramdd(points, edges, weight=weight, density=density)]
        return [values([one.hist, *one.bin_edges]) for one in results]

    assert near(run(fj), run(torch))
    with pytest.raises(RuntimeError, match="bins must be > 0"):
        fj.histogramdd(fj.ones(2, 2), [1, 0])


def test_old_names() -> None:
    image, places = torch.rand(1, 2, 4, 4), torch.rand(1, 3, 3, 2) * 2 - 1
    got = fj.grid_sampler_2d(fj.from_dlpack(image), fj.from_dlpack(places), 0, 0, False)
    assert near(got.tolist(), torch.grid_sampler_2d(image, places, 0, 0, False).tolist())
    grad, result = torch.rand(2, 3), torch.rand(2, 3).softmax(1)
    got = fj._softmax_backward_data(fj.from_dlpack(grad), fj.from_dlpack(result), 1, fj.float32)
    assert near(got.tolist(), torch._softmax_backward_data(grad, result, 1, torch.float32).tolist())


ODD = ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p", "erf", "erfinv", "trunc", "round", "sqrt"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("name", ODD)
def test_odd_functions_keep_the_sign_of_zero(name: str, dtype: str) -> None:
    for size in (1, 40):
        got = getattr(fj, name)(fj.full((size,), -0.0, dtype=getattr(fj, dtype)))
        assert [math.copysign(1, x) for x in got.tolist()] == [-1] * size and got.sum() == 0


def test_remainders_of_zero_have_the_sign_of_the_divisor() -> None:
    got = fj.tensor([0.0, -0.0, 4.0, -4.0, 0.0, -0.0]) % fj.tensor([1.0, 1.0, 2.0, 2.0, -1.0, -3.0])
    assert [math.copysign(1, x) for x in got.tolist()] == [1, 1, 1, 1, -1, -1] and not got.any()


def test_kaiser_windows_of_large_beta() -> None:
    scipy = pytest.importorskip("scipy.signal")
    expected = scipy.windows.kaiser(33, 200.0)
    for got in (fj.kaiser_window(33, False, 200.0), fj.signal.windows.kaiser(33, beta=200.0)):
        assert near(got.tolist(), expected.tolist())


GRADIENTS: dict[str, tuple[Callable[..., Any], list]] = {
    "acosh in the left half plane": (lambda t, x: t.acosh(x), [[-1.5 + 0.7j, 1.5 - 0.7j, -0.3 - 2j]]),
    "acosh": (lambda t, x: t.acosh(x), [[1.5, 7.0]]),
    "atan2 at the origin": (lambda t, y, x: t.atan2(y, x), [[0.0, 0.0, 1.0], [0.0, -2.0, 0.0]]),
    "logit at the ends": (lambda t, x: t.logit(x), [[0.0, 1.0, 0.25, -1.0, 2.0]]),
    "clamp_min of NaN": (lambda t, x, least: t.clamp_min(x, least), [[NAN, 1.0, 3.0, 2.0], [1.0, NAN, 2.0, 2.0]]),
    "clamp_max of NaN": (lambda t, x, most: t.clamp_max(x, most), [[NAN, 1.0, 3.0, 2.0], [1.0, NAN, 2.0, 2.0]]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_same_gradient(name: str) -> None:
    function, arguments = GRADIENTS[name]

    def gradients(t: Any) -> list:
        leaves = [t.tensor(values, requires_grad=True) for values in arguments]
        function(t, *leaves).abs().sum().backward()
        return [leaf.grad.tolist() for leaf in leaves]

    assert near(gradients(fj), gradients(torch))


def test_gradient_of_atan2_with_a_number() -> None:
    x = fj.tensor([1.0, -2.0], requires_grad=True)
    (fj.atan2(x, 2.0) + fj.atan2(3.0, x)).sum().backward()
    assert near(x.grad.tolist(), [2 / 5 - 3 / 10, 2 / 8 - 3 / 13])


def test_a_filled_out_that_does_not_fit_warns() -> None:
    x = fj.ones(2, 2)
    for call in (
        lambda out: fj.add(x, x, out=out),
        lambda out: fj.cat([x], out=out),
        lambda out: fj.max(x, 0, out=(fj.empty(0), out.long())),
    ):
        with pytest.warns(UserWarning, match="was resized since it had shape"):
            call(fj.ones(3))
    out = fj.ones(3).resize_(0)
    assert fj.add(x, x, out=out) is out and out.tolist() == [[2, 2], [2, 2]]


@pytest.mark.filterwarnings("error")
def test_a_warning_may_be_an_error() -> None:
    out = fj.ones(3)
    with pytest.raises(UserWarning, match="was resized"):
        fj.add(fj.ones(2), fj.ones(2), out=out)
    assert out.tolist() == [1, 1, 1]


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_losses_of_other_sizes_warn(name: str) -> None:
    with pytest.warns(UserWarning, match="Using a target size"):
        got = getattr(fj.nn.functional, name)(fj.ones(4, 1), fj.zeros(4), reduction="none")
    assert got.shape == (4, 4)


def test_losses_with_weights_of_other_sizes() -> None:
    for loss in (fj.nn.functional.mse_loss, fj.nn.functional.l1_loss, fj.nn.functional.huber_loss):
        with pytest.raises(ValueError, match="same size"):
            loss(fj.ones(2, 3), fj.ones(2, 3), weight=fj.ones(3))


@pytest.mark.parametrize("name", ["hardswish", "silu", "relu", "softshrink", "hardsigmoid"])
def test_infinite_gradients_of_activations(name: str) -> None:
    """Where a function is constant, even an infinite gradient is 0; a product with a slope that is 0 would be NaN."""
    points, got = [-400.0, -4.0, -0.25, 0.0, 1.5, 4.0], []
    for library in (fj, torch):
        x = library.tensor(points).requires_grad_()
        getattr(library.nn.functional, name)(x).backward(library.full((len(points),), float("inf")))
        got.append(x.grad.tolist())
    np.testing.assert_array_equal(*got)


@pytest.mark.parametrize("name", ["hardshrink", "softshrink"])
def test_no_gradient_passes_where_the_input_is_no_number(name: str) -> None:
    x = fj.tensor([NAN, INF, -INF, 0.5, -0.5, 1.0] * 20).requires_grad_()
    (gradient,) = fj.autograd.grad(getattr(fj.nn.functional, name)(x).sum(), x)
    assert gradient.tolist() == [0.0, 1.0, 1.0, 0.0, 0.0, 1.0] * 20
