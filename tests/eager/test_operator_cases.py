"""Single cases in which PyTorch's own operator samples (tests/external/opinfo) once found a difference."""

from __future__ import annotations

import pytest

import framejit as fj

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")

HALVES = ["float16", "bfloat16"]


def both(case, *tensors, grad: bool = False):
    """``case(library, tensors...)`` in framejit and in PyTorch."""
    ours = [fj.from_dlpack(tensor.clone()).requires_grad_(grad) for tensor in tensors]
    theirs = [tensor.clone().requires_grad_(grad) for tensor in tensors]
    return case(fj, *ours), case(torch, *theirs)


def check(got, expected, **tolerance) -> None:
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            check(one, other, **tolerance)
        return
    assert str(got.dtype).split(".")[-1] == str(expected.dtype).split(".")[-1]
    torch.testing.assert_close(
        torch.from_dlpack(got.detach()), expected.detach(), equal_nan=True, **tolerance
    )


def numbers(*shape: int, dtype=torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(*shape, generator=generator, dtype=torch.complex64 if dtype.is_complex else None).to(dtype)


# --- norms --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("p", [2, 3, 6, 0.5, -1])
def test_norms_of_halves_do_not_overflow(p):
    check(*both(lambda lib, x: lib.linalg.vector_norm(x, p), torch.full((4,), 300, dtype=torch.float16)))


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, float("inf"), -1, -float("inf")])
def test_gradients_of_norms_at_zeros(p):
    def gradient(lib, x):
        lib.linalg.vector_norm(x, p, dim=1).sum().backward()
        return x.grad

    check(*both(gradient, torch.tensor([[0.0, 0, 0], [3, 0, 4], [1, 2, 2]]), grad=True))


@pytest.mark.parametrize("norm", [lambda x: fj.norm(x, p=0), lambda x: fj.linalg.matrix_power(x, 0).sum()])
def test_constants_have_gradients_of_zero(norm):
    x = fj.tensor([[0.0, 2], [1, 1]], requires_grad=True)
    norm(x).backward()
    assert x.grad.tolist() == [[0, 0], [0, 0]]


def test_nuclear_norm():
    check(*both(lambda lib, x: lib.norm(x, p="nuc"), numbers(3, 4)))
    check(*both(lambda lib, x: x.norm(p="nuc", dim=(0, 2)), numbers(2, 3, 4)))


# --- dtypes -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", [torch.complex64, torch.int64])
@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_convolutions_of_complex_and_integers(spatial, dtype, transposed):
    name = f"conv_transpose{spatial}d" if transposed else f"conv{spatial}d"
    options = {"output_padding": 1} if transposed else {}

    def case(lib, x, weight, bias):
        function = getattr(lib.nn.functional, name)
        return function(x, weight, bias, stride=2, padding=1, dilation=2, groups=2, **options)

    x = numbers(2, 4, *[7, 6, 5][:spatial]).mul(9).to(dtype)
    weight = numbers(4, 3 if transposed else 2, *[3, 2, 2][:spatial]).mul(9).to(dtype)
    if dtype.is_complex:
        x, weight = x + 1j * x.flip(0), weight - 1j * weight.flip(1)
    check(*both(case, x, weight, numbers(6 if transposed else 4).mul(9).to(dtype)), rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("name", ["silu", "softsign", "tanhshrink"])
def test_activations_of_complex_numbers(name):
    def case(lib, x):
        return getattr(lib.nn.functional, name)(x)

    check(*both(case, numbers(20, dtype=torch.complex64)))


@pytest.mark.parametrize("name", ["softsign", "tanhshrink"])
def test_gradients_of_complex_activations(name):
    def case(lib, x):
        getattr(lib.nn.functional, name)(x).abs().sum().backward()
        return x.grad

    check(*both(case, numbers(20, dtype=torch.complex64), grad=True))


@pytest.mark.parametrize("dtype", HALVES)
def test_nextafter_of_halves(dtype):
    values = [0.0, -0.0, 1.0, -1.0, 65504.0, -65504.0, 1e-7, -1e-7, float("inf"), float("nan"), 2.5]
    x = torch.tensor(values).to(getattr(torch, dtype))
    check(*both(lambda lib, a, b: lib.nextafter(a.unsqueeze(1), b.unsqueeze(0)), x, x))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("antialias", [False, True])
def test_interpolation_of_bytes(mode, antialias):
    image = numbers(1, 3, 20, 30).mul(99).add(128).clamp(0, 255).to(torch.uint8)
    got, expected = both(
        lambda lib, x: lib.nn.functional.interpolate(x, (13, 41), mode=mode, antialias=antialias), image
    )
    assert got.dtype == fj.uint8
    # PyTorch's weights are fixed-point numbers.
    assert (torch.from_dlpack(got).int() - expected.int()).abs().max() <= 1


def test_complex_residuals_and_distances_are_real():
    check(*both(lambda lib, a, b: lib.nn.functional.pairwise_distance(a, b), *[numbers(3, 4, dtype=torch.complex64)] * 2))
    a = numbers(5, 3, dtype=torch.complex64)
    got, expected = both(lambda lib, a, b: lib.linalg.lstsq(a, b), a, a.flip(0))
    assert [str(x.dtype).split(".")[-1] for x in got] == [str(x.dtype).split(".")[-1] for x in expected]


def test_tensordot_of_small_integers():
    a, b = torch.ones(1, 1, 3, dtype=torch.int16), torch.ones(3, 4, 2, dtype=torch.int16)
    check(*both(lambda lib, a, b: lib.tensordot(a, b, dims=([0, 2], [1, 0])), a, b))


def test_pivots_of_complex_matrices_are_lapacks():
    a = numbers(3, 5, 5, dtype=torch.complex128)
    check(*both(lambda lib, a: lib.linalg.lu_factor(a), a))


def test_pinv_takes_the_diagonal_of_hermitian_matrices_as_real():
    a = numbers(4, 4, dtype=torch.complex128)
    check(*both(lambda lib, a: lib.linalg.pinv(a, hermitian=True), a))


# --- arguments ----------------------------------------------------------------------------------------------------------
def test_take_along_dim_counts_from_the_end():
    index = torch.tensor([[-1, 0], [1, -2]])
    check(*both(lambda lib, x, i: lib.take_along_dim(x, i, 1), numbers(2, 3), index))


def test_nonzero_as_tuple_and_out():
    x = torch.tensor([[0, 1], [2, 0]])
    check(*both(lambda lib, x: lib.nonzero(x, as_tuple=False), x))
    check(*both(lambda lib, x: list(x.nonzero(as_tuple=True)), x))
    check(*both(lambda lib, x: lib.nonzero(x, out=lib.empty(0, dtype=lib.int64)), x))


def test_lists_of_results_have_an_out():
    def case(lib, x):
        out = [lib.zeros(3), lib.zeros(0)]
        assert lib.unbind_copy(x, out=out) is None
        return out

    check(*both(case, numbers(2, 3)))
    with pytest.raises(RuntimeError, match=r"split_with_sizes_copy\(\): expected out to have 2 tensors, but got 1"):
        fj.split_with_sizes_copy(fj.zeros(3), (1, 2), out=[fj.zeros(1)])


def test_out_of_one_memory_location_is_refused():
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        fj.masked_select(fj.ones(3), fj.ones(3) > 0, out=fj.zeros(1).expand(3))


@pytest.mark.parametrize("scatter", [fj.scatter, fj.scatter_add])
def test_scatter_checks_its_arguments(scatter):
    index = fj.zeros(2, 2, dtype=fj.int64)
    with pytest.raises(RuntimeError):
        scatter(fj.zeros(3, 5, 3), 0, index, fj.zeros(2, 5))
    with pytest.raises(RuntimeError, match="dtype"):
        scatter(fj.zeros(3, 5, dtype=fj.float64), 0, index, fj.zeros(2, 5))


def test_memory_of_results():
    strided = fj.arange(8)[::2]
    assert strided.ravel().is_contiguous() and strided.ravel().data_ptr() != strided.data_ptr()
    image = fj.zeros(1, 4, 2, 2)
    assert fj.nn.functional.pixel_shuffle(image, 1).data_ptr() != image.data_ptr()
    assert fj.nn.functional.pixel_unshuffle(image, 1).data_ptr() != image.data_ptr()


# --- halves compute in float32 --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(
    "case",
    [
        lambda F, x: F.scaled_dot_product_attention(x, x, x),
        lambda F, x: F.softmin(x, -1),
        lambda F, x: F.log_softmax(x, -1),
        lambda F, x: F.batch_norm(x, None, None, training=True),
        lambda F, x: F.layer_norm(x, (5,)),
        lambda F, x: F.grid_sample(x.unsqueeze(1), x[:, :, :2].unsqueeze(1) / 4, align_corners=False),
    ],
)
def test_halves_are_rounded_once(case, dtype):
    """Results and gradients are as near to those in float64 as one rounding allows, or a little more."""
    half = numbers(3, 4, 5).to(getattr(torch, dtype))

    def run(F, x):
        result = case(F, x)
        result.square().sum().backward()
        return result, x.grad

    got = run(fj.nn.functional, fj.from_dlpack(half.clone()).requires_grad_())
    exact = run(torch.nn.functional, half.double().requires_grad_())
    step = torch.finfo(half.dtype).eps
    for one, other in zip(got, exact):
        torch.testing.assert_close(
            torch.from_dlpack(one.detach()).double(), other.detach(), rtol=4 * step, atol=4 * step
        )


@pytest.mark.parametrize("mask", [[[True, False, True], [False, False, False]]])
def test_queries_that_see_nothing_get_zeros(mask):
    mask = torch.tensor(mask)

    def case(lib, x):
        ours = mask if lib is torch else fj.from_dlpack(mask)
        result = lib.nn.functional.scaled_dot_product_attention(x[:2], x, x, ours)
        result.square().sum().backward()
        return result, x.grad

    check(*both(case, numbers(3, 4), grad=True))


# --- functions ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("wide", [False, True])
def test_factors_of_low_rank(wide):
    a = fj.randn(3, 20, 4, dtype=fj.float64) @ fj.randn(3, 4, 12, dtype=fj.float64)
    a = a.mT if wide else a
    u, s, v = fj.svd_lowrank(a, q=5)
    assert fj.allclose(u @ fj.diag_embed(s) @ v.mT, a)
    u, s, v = fj.pca_lowrank(a, q=5)
    assert fj.allclose(u @ fj.diag_embed(s) @ v.mT, a - a.mean(-2, keepdim=True))
    with pytest.raises(ValueError, match=r"q\(=40\) must be non-negative"):
        fj.pca_lowrank(a, 40)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("left", [False, True])
def test_ormqr(left, transpose):
    reflections, tau = torch.geqrf(numbers(5, 3, dtype=torch.complex64))
    other = numbers(5, 4, dtype=torch.complex64)
    other = other if left else other.mT.contiguous()
    check(*both(lambda lib, a, t, c: lib.ormqr(a, t, c, left, transpose), reflections.contiguous(), tau, other))


def test_linear_cross_entropy():
    target = torch.tensor([1, 0, 2, -100])
    check(
        *both(
            lambda lib, x, w, b, t: lib.nn.functional.linear_cross_entropy(
                x, w, t, linear_bias=b, label_smoothing=0.1
            ),
            numbers(4, 5),
            numbers(3, 5),
            numbers(3),
            target,
        )
    )


def test_norms_with_their_statistics():
    x, weight, bias = numbers(2, 4, 3), numbers(4), numbers(4)
    check(*both(lambda lib, x: lib.native_layer_norm(x, (4, 3), None, None, 1e-5), x))
    check(*both(lambda lib, x, w, b: lib.native_group_norm(x, w, b, 2, 4, 3, 2, 1e-5), x, weight, bias))
    check(*both(lambda lib, x, w, b: lib.native_batch_norm(x, w, b, None, None, True, 0.1, 1e-5), x, weight, bias))
    check(*both(lambda lib, x, m: lib.native_batch_norm(x, None, None, m, m.abs(), False, 0.1, 1e-5), x, weight))


def test_norms_of_the_main_namespace():
    x, weight, bias = numbers(2, 4, 3), numbers(4), numbers(4)
    check(*both(lambda lib, x: lib.layer_norm(x, (3,)), x))
    check(*both(lambda lib, x, w: lib.rms_norm(x.mT, (4,), w), x, weight))
    check(*both(lambda lib, x, w, b: lib.group_norm(x, 2, w, b), x, weight, bias))
    check(*both(lambda lib, x, w, b: lib.batch_norm(x, w, b, None, None, True, 0.1, 1e-5, False), x, weight, bias))
    check(*both(lambda lib, x, w, b: lib.instance_norm(x, w, b, None, None, True, 0.1, 1e-5, False), x, weight, bias))
