"""Arguments that no program means to pass, and ordinary ones in unusual company: what tests/fuzz found and is mended."""

from __future__ import annotations

import math

import pytest

import framejit as fj

LOWEST = -(2**63)


# --- numbers -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", [LOWEST, LOWEST + 1, LOWEST + 5000, LOWEST + 2**47, LOWEST + 2**50, 2**63 - 1])
def test_any_int64_is_a_number(number: int) -> None:
    """Size expressions of traces are encoded as int64s near the lowest one."""
    x = fj.tensor([number, 7])
    assert x.tolist() == [number, 7]
    assert x[0].item() == number == int(x[0]) == fj.full((1,), number).item()
    assert (x - number)[0].item() == 0
    assert str(number) in repr(x)
    assert fj.compile(lambda x: x.max(0).values.item())(x) == max(number, 7)
    with pytest.raises(IndexError):
        fj.ones(3).sum(number)


@pytest.mark.parametrize("number", [LOWEST, LOWEST + 10, LOWEST + 5000, 2**63 - 1])
def test_far_indices(number: int) -> None:
    x = fj.ones(5000)
    with pytest.raises(IndexError):
        x[number]
    assert len(x[number:]) in (0, 5000)
    with pytest.raises((IndexError, RuntimeError)):
        x.narrow(0, number, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: fj.ones(3).expand(2**32 + 1, 2**32, 3).numel(),
        lambda: fj.nn.functional.pad(fj.ones(3), (2**62, 2**62)),
        lambda: fj.nn.functional.pad(fj.ones(3), (2**63 - 1, 2**63 - 1)),
        lambda: fj.repeat_interleave(fj.tensor([2**62] * 4)),
        lambda: fj.tril_indices(2**40, 3),
        lambda: fj.triu_indices(2**62, 2**62),
        lambda: fj.combinations(fj.ones(10**6), 9),
        lambda: fj.ones(3).tensor_split(2**62),
        lambda: fj.empty(2**40),
        lambda: fj.mvlgamma(fj.ones(3), 2**31),
        lambda: fj.ones([1] * 70),
        lambda: fj.meshgrid(*[fj.ones(1)] * 70),
        lambda: fj.ones([1] * 32)[None],
    ],
)
def test_too_large(call) -> None:
    with pytest.raises((RuntimeError, MemoryError)):
        call()


@pytest.mark.parametrize("op", ["sum", "amax", "flip", "std_mean", "any", "logsumexp", "squeeze"])
def test_long_lists_of_dims(op: str) -> None:
    with pytest.raises((RuntimeError, IndexError)):
        getattr(fj, op)(fj.ones(3, 2), [1] * 70)


def test_many_parts() -> None:
    """Lists of sizes may be longer than a tensor has dims."""
    x = fj.arange(100)
    assert [part.tolist() for part in x.split([1] * 100)] == [[i] for i in range(100)]
    assert len(x.tensor_split(100)) == len(x.tensor_split(list(range(1, 100)))) == len(x.hsplit(100)) == 100
    assert len(x.tensor_split(fj.arange(1, 100))) == 100


@pytest.mark.parametrize(
    "name", ["chebyshev_polynomial_t", "shifted_chebyshev_polynomial_w", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]
)
def test_degrees(name: str) -> None:
    polynomial = getattr(fj.special, name)
    assert math.isnan(polynomial(fj.tensor(0.5), 2**40).item())
    assert polynomial(fj.tensor(0.5), -0.7).item() == 1  # the fraction is dropped
    assert polynomial(fj.tensor(0.5), -1.0).item() == 0


# --- tensors where numbers are, and the reverse --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "call",
    [
        lambda x: fj.linalg.pinv(2.0),
        lambda x: fj.linalg.pinv(2, x),
        lambda x: fj.linalg.matrix_rank(True),
        lambda x: fj.where(1.5, x, x),
        lambda x: fj.masked_fill(x, 1, 2),
        lambda x: fj.masked_fill(3, x > 0, 2),
        lambda x: x.masked_fill_(1, x),
        lambda x: fj.fill(1.0, x),
    ],
)
def test_number_where_only_a_tensor_fits(call) -> None:
    with pytest.raises(TypeError):
        call(fj.ones(2, 2))


def test_complex_number_for_a_real_tensor() -> None:
    with pytest.raises(RuntimeError, match="complex"):
        fj.constant_pad_nd(fj.ones(2), (1, 1), 2 + 1j)
    assert fj.constant_pad_nd(fj.ones(1, dtype=fj.complex64), (1, 1), 2 + 1j).tolist() == [2 + 1j, 1, 2 + 1j]


# --- shapes that do not fit ----------------------------------------------------------------------------------------------
X, INDEX = fj.ones(3, 4), fj.zeros(2, 4, dtype=fj.int64)


@pytest.mark.parametrize(
    "call",
    [
        lambda: X.scatter(0, INDEX.float(), X),
        lambda: X.scatter(0, INDEX.bool(), 1.0),
        lambda: X.scatter(0, INDEX, fj.ones(1, 1)),
        lambda: X.scatter(0, INDEX, fj.ones(2, 4, dtype=fj.float64)),
        lambda: X.scatter_add(0, fj.zeros(2, 9, dtype=fj.int64), fj.ones(2, 9)),
        lambda: X.scatter(2**31, INDEX, 1.0),
        lambda: X.as_strided((2,), (1,), -1),
        lambda: X.as_strided((9,), (1,), LOWEST + 1),
        lambda: X.as_strided((2,), (2**63 - 1,), 1),
        lambda: X.as_strided((3, 2**62), (2**62, 4), 0),
        lambda: fj.linalg.pinv(fj.ones(5, 2), hermitian=True),
        lambda: fj.linalg.lu_solve(fj.eye(3), fj.tensor(1, dtype=fj.int32), fj.ones(3, 1)),
        lambda: fj.linalg.lu_solve(fj.eye(3), fj.tensor([1, 2, 3, 3, 3], dtype=fj.int32), fj.ones(3, 1)),
    ],
)
def test_does_not_fit(call) -> None:
    with pytest.raises((RuntimeError, IndexError)):
        call()


# --- right answers -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("rows", "columns", "offset"), [(3, 4, 0), (4, 3, 1), (4, 3, -2), (2, 5, -9), (2, 5, 9), (0, 3, 0), (3, 0, 0), (5, 2, -3)])
def test_triangle_indices(rows: int, columns: int, offset: int) -> None:
    for indices, triangle in ((fj.tril_indices, fj.tril), (fj.triu_indices, fj.triu)):
        expected = triangle(fj.ones(rows, columns), offset).nonzero().T
        assert indices(rows, columns, offset).tolist() == expected.tolist()


def test_scattered_views_of_tensors_with_gaps() -> None:
    x = fj.arange(24.0).reshape(4, 6)[:, :4]
    for scattered in (x.select_scatter(fj.zeros(4), 0, 1), x.slice_scatter(fj.zeros(2, 4), 0, 1, 3), x.diagonal_scatter(fj.zeros(4))):
        same = scattered == x
        assert same.any() and not same.all()
        assert scattered[~same].abs().sum() == 0


@pytest.mark.parametrize(
    "write",
    [
        lambda x, low: x.clamp_(low, fj.tensor(1.0)),
        lambda x, low: x.nan_to_num_(0.0),
        lambda x, low: x.logit_(0.2),
        lambda x, low: x.renorm_(2, 0, 1.5),
        lambda x, low: x.mvlgamma_(1),
        lambda x, low: x.index_reduce_(0, fj.tensor([0]), low, "amax"),
    ],
)
def test_gradient_of_a_composite_in_place(write) -> None:
    """What the derivatives save is what was there before."""
    grads = []
    for copied in (False, True):
        x = fj.tensor([[0.3, 0.7], [1.5, 0.9]], requires_grad=True)
        low = fj.tensor([[0.5, 0.6]], requires_grad=True)
        y = x * 1
        (write(y.clone(), low) if copied else write(y, low)).sum().backward()
        grads.append(x.grad.tolist())
    assert grads[0] == grads[1]


def test_out_of_ops_without_derivative() -> None:
    x, out = fj.ones(2, requires_grad=True), fj.empty(2, dtype=fj.bool)
    assert fj.eq(x, 1, out=out).tolist() == [True, True]
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        fj.mul(x, 2, out=fj.empty(2))


def test_gradient_of_overlapping_complex_view() -> None:
    z = fj.tensor([1 + 2j, 3 - 1j, 2j], requires_grad=True)
    z.as_strided((2, 2), (1, 1)).abs().square().sum().backward()
    assert z.grad.tolist() == [2 + 4j, 12 - 4j, 4j]


@pytest.mark.parametrize("sample", [math.nan, math.inf, -5.0, 1e300])
def test_fractional_pooling_by_absurd_samples(sample: float) -> None:
    x = fj.arange(72.0).reshape(1, 1, 9, 8)
    pooled = fj.nn.functional.fractional_max_pool2d(x, 2, output_size=(4, 4), _random_samples=fj.full((1, 1, 2), sample))
    assert 0 <= pooled.min().item() and pooled.max().item() <= 71
    with pytest.raises(RuntimeError, match="too large"):
        fj.nn.functional.fractional_max_pool2d(x, 2**63 - 1, output_size=(4, 4))


@pytest.mark.parametrize("std", [lambda x: x.std(), lambda x: x.std(0, correction=0).sum(), lambda x: fj.std_mean(x, False)[0]])
def test_gradient_of_a_deviation_of_zero(std) -> None:
    x = fj.ones(4, requires_grad=True)
    std(x).backward()
    assert x.grad.tolist() == [0, 0, 0, 0]


def test_leftovers() -> None:
    assert fj.polygamma(0, fj.tensor([0.0, -0.0])).tolist() == [-math.inf, math.inf]
    x = fj.tensor([0, 3, 0, 4])
    assert fj.nonzero(x, as_tuple=False).tolist() == [[1], [3]]
    assert fj.nonzero(x, as_tuple=True)[0].tolist() == [1, 3]
    assert fj.equal(x, x.double()) and not fj.equal(x, x.bool())
    assert fj.view_copy(fj.arange(6).reshape(2, 3).T, (6,)).tolist() == [0, 3, 1, 4, 2, 5]
    z = fj.tensor([1j, 2.0])
    assert z.scatter(0, fj.tensor([0]), 3.0, reduce="multiply").tolist() == [3j, 2]


def test_mean_over_the_batch_of_a_number() -> None:
    with pytest.raises(IndexError, match="batchmean"):
        fj.nn.functional.kl_div(fj.tensor(0.5), fj.tensor(0.5), reduction="batchmean")


@pytest.mark.parametrize("dtype", [fj.bfloat16, fj.int32, fj.bool])
def test_scattered_complex_number(dtype: fj.dtype) -> None:
    with pytest.raises(RuntimeError, match="cannot be converted"):
        fj.zeros(3, dtype=dtype).scatter(0, fj.tensor([0]), 2 + 1j)


@pytest.mark.parametrize("pool", [fj.nn.functional.adaptive_max_pool2d, fj.nn.functional.adaptive_avg_pool2d])
def test_no_windows_of_an_empty_batch(pool) -> None:
    assert pool(fj.zeros(0, 2, 1, 3), (2**62, 1)).shape == (0, 2, 2**62, 1)


def test_strides_of_an_empty_tensor() -> None:
    with pytest.raises(ValueError, match="too big"):  # NumPy's
        fj.IntTensor(0, 2**63 - 1).numpy()
    with pytest.raises(RuntimeError, match="divisible"):
        fj.vsplit(fj.zeros(4, 6), LOWEST)


@pytest.mark.parametrize(
    "call",
    [
        lambda: fj.tensor(1).repeat_interleave(2, 0),
        lambda: fj.tensor(1.0).repeat_interleave(fj.tensor([2]), 0),
        lambda: fj.tensor(True).scatter_(-1, fj.tensor([0, 0]), fj.tensor(True)),
        lambda: fj.ctc_loss(fj.zeros(4, 3, 5), fj.ones(2, 2, dtype=fj.int64), fj.tensor([4, 4, 4]), fj.tensor([2, 2, 2])),
    ],
)
def test_beyond_the_dims_there_are(call) -> None:
    with pytest.raises((RuntimeError, IndexError)):
        call()
