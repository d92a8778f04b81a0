"""The small and complex dtypes against PyTorch: promotion, casts, rounding, views, Python and NumPy data."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")

NAMES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
HALVES = ("float16", "bfloat16")
COMPLEX = ("complex64", "complex128")


def name_of(dtype: Any) -> str:
    return str(dtype).split(".")[1]


def to_numpy(tensor: Any) -> np.ndarray:
    """Halves as float32, since NumPy has no bfloat16."""
    wide = tensor.detach().float() if name_of(tensor.dtype) in HALVES else tensor.detach()
    return wide.numpy(force=True) if isinstance(wide, torch.Tensor) else wide.numpy()


def both(values: Any, dtype: str) -> tuple[Any, Any]:
    return tuple(library.tensor(values, dtype=getattr(library, dtype)) for library in (fj, torch))


def check(got: Any, expected: Any, tolerance: float = 0.0) -> None:
    assert name_of(got.dtype) == name_of(expected.dtype)
    assert tuple(got.shape) == tuple(expected.shape)
    np.testing.assert_allclose(to_numpy(got), to_numpy(expected), rtol=tolerance, atol=tolerance)


# --- types ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("a", NAMES)
def test_promotion(a: str) -> None:
    for b in NAMES:
        x, y = both([1], a), both([1], b)
        if not {a, b} & set(COMPLEX) or not {a, b} & {"float16"}:  # PyTorch makes ComplexHalf of some
            assert name_of(fj.promote_types(x[0].dtype, y[0].dtype)) == name_of(torch.promote_types(x[1].dtype, y[1].dtype))
        if "float16" in (a, b) and set(COMPLEX) & {a, b}:
            continue
        assert name_of((x[0] * y[0]).dtype) == name_of((x[1] * y[1]).dtype)
        assert name_of((x[0] * y[0][0]).dtype) == name_of((x[1] * y[1][0]).dtype)


@pytest.mark.parametrize("a", [name for name in NAMES if name != "float16"])
def test_promotion_with_numbers(a: str) -> None:
    x, y = both([1], a)
    for number in (True, 2, 2.5, 1 + 2j):
        assert name_of((x * number).dtype) == name_of((y * number).dtype)


def test_result_type_and_can_cast() -> None:
    for a, b in itertools.product(NAMES, NAMES):
        assert fj.can_cast(getattr(fj, a), getattr(fj, b)) == torch.can_cast(getattr(torch, a), getattr(torch, b)), (a, b)
    for one, other in itertools.product(("uint8", "int16", "bfloat16", "complex64"), (True, 3, 2.5, 1j)):
        x, y = both([1], one)
        assert name_of(fj.result_type(x, other)) == name_of(torch.result_type(y, other))
        assert name_of(fj.result_type(other, x)) == name_of(torch.result_type(other, y))
        assert name_of(fj.result_type(x, fj.tensor(1.0))) == name_of(torch.result_type(y, torch.tensor(1.0)))


def test_properties() -> None:
    for name in NAMES:
        ours, theirs = getattr(fj, name), getattr(torch, name)
        for attribute in ("is_floating_point", "is_complex", "is_signed", "itemsize"):
            assert getattr(ours, attribute) == getattr(theirs, attribute)
        assert name_of(ours.to_real()) == name_of(theirs.to_real())
    for name in ("half", "short", "cfloat", "cdouble", "int8", "bfloat16"):
        assert name_of(getattr(fj, name)) == name_of(getattr(torch, name))
    for method in "half bfloat16 char short cfloat cdouble".split():
        assert name_of(getattr(fj.ones(2), method)().dtype) == name_of(getattr(torch.ones(2), method)().dtype)
    with pytest.raises(RuntimeError, match="complex dtype"):
        fj.int8.to_complex()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
def test_finfo(name: str) -> None:
    ours, theirs = fj.finfo(getattr(fj, name)), torch.finfo(getattr(torch, name))
    for attribute in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution"):
        assert getattr(ours, attribute) == getattr(theirs, attribute), attribute
    assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_iinfo(name: str) -> None:
    ours, theirs = fj.iinfo(getattr(fj, name)), torch.iinfo(getattr(torch, name))
    assert (ours.bits, ours.min, ours.max) == (theirs.bits, theirs.min, theirs.max)


def test_default_dtype() -> None:
    try:
        for name, of_complex in (("float64", "complex128"), ("bfloat16", "complex64"), ("float16", "complex64")):
            fj.set_default_dtype(getattr(fj, name))
            assert name_of(fj.ones(2).dtype) == name
            assert name_of(fj.tensor(1.5).dtype) == name
            assert name_of(fj.tensor([1j]).dtype) == of_complex
            assert name_of((fj.tensor([1]) / 2).dtype) == name
        with pytest.raises(TypeError, match="floating-point"):
            fj.set_default_dtype(fj.complex64)
    finally:
        fj.set_default_dtype(fj.float32)


# --- casts ------------------------------------------------------------------------------------------------------------
VALUES = [0, 1, -1, 2, -3, 7, 100, 127]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(NAMES, NAMES)))
def test_cast(a: str, b: str) -> None:
    values = [abs(v) for v in VALUES] if "uint8" in (a, b) else VALUES
    x, y = both(values, a)
    check(x.to(getattr(fj, b)), y.to(getattr(torch, b)))
    check(x[::3].to(getattr(fj, b)), y[::3].to(getattr(torch, b)))
    check(x[1].expand(5).to(getattr(fj, b)), y[1].expand(5).to(getattr(torch, b)))


def all_halves(dtype: str) -> Any:
    """Every one of the 65536 bit patterns, in PyTorch."""
    return torch.arange(-32768, 32768, dtype=torch.int32).to(torch.int16).view(getattr(torch, dtype))


def test_every_half_to_float() -> None:
    halves = all_halves("float16")
    ours = fj.from_numpy(halves.numpy())
    np.testing.assert_array_equal(ours.float().numpy(), halves.float().numpy())
    check(ours.float().half(), halves)


def test_every_bfloat16_to_float() -> None:
    halves = all_halves("bfloat16")
    ours = fj.from_dlpack(halves)
    np.testing.assert_array_equal(ours.float().numpy(), halves.float().numpy())
    check(ours.float().bfloat16(), halves)


@pytest.mark.parametrize("dtype", HALVES)
def test_rounding_to_half(dtype: str) -> None:
    """Between all neighbours, at the halfway points, and a bit beside those."""
    halves = all_halves(dtype).float().numpy()
    finite = np.sort(halves[np.isfinite(halves)])
    middle = ((finite[1:].astype("float64") + finite[:-1]) / 2).astype("float32")
    beside = [np.nextafter(middle, np.float32(math.inf)), np.nextafter(middle, np.float32(-math.inf))]
    extremes = np.float32([65519.9, 65520, 65536, 1e30, -1e30, 3.4e38, -3.4e38, math.inf, -math.inf, math.nan, 1e-45, -1e-45, 5.96e-8, 2.98e-8])
    values = np.concatenate([middle, *beside, extremes])
    ours = fj.from_numpy(values).to(getattr(fj, dtype)).float().numpy()
    theirs = torch.from_numpy(values).to(getattr(torch, dtype)).float().numpy()
    np.testing.assert_array_equal(ours, theirs)
    numbers = ~np.isnan(ours)
    np.testing.assert_array_equal(np.signbit(ours[numbers]), np.signbit(theirs[numbers]))
    few = values[:3]  # shorter than a vector
    np.testing.assert_array_equal(fj.from_numpy(few).to(getattr(fj, dtype)).float().numpy(), torch.from_numpy(few).to(getattr(torch, dtype)).float().numpy())


# --- data -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", NAMES)
def test_python_data(dtype: str) -> None:
    x, y = both([[1, 0, 1], [2, 3, 1]], dtype)
    assert x.tolist() == y.tolist()
    assert x[1, 1].item() == y[1, 1].item()
    assert repr(x).replace("framejit.", "torch.") == repr(y)
    assert bool(x[0, 0]) is True
    check(fj.full((2, 2), 3, dtype=x.dtype), torch.full((2, 2), 3, dtype=y.dtype))
    for make in ("zeros", "ones", "empty"):
        assert getattr(fj, make)(3, dtype=x.dtype).dtype is x.dtype
    if dtype not in ("bool", *COMPLEX):
        check(fj.arange(1, 7, dtype=x.dtype), torch.arange(1, 7, dtype=y.dtype))


@pytest.mark.parametrize("dtype", [name for name in NAMES if name != "bfloat16"])
def test_numpy(dtype: str) -> None:
    array = np.array([[1, 0], [3, 2]], dtype=dtype)
    x = fj.from_numpy(array)
    assert name_of(x.dtype) == dtype
    assert x.numpy().dtype == array.dtype
    np.testing.assert_array_equal(x.numpy(), array)
    array[0, 0] = 0
    assert x[0, 0].item() == 0  # shared
    np.testing.assert_array_equal(np.asarray(fj.tensor(array)), array)


def test_bfloat16_has_no_array() -> None:
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        fj.ones(2, dtype=fj.bfloat16).numpy()


@pytest.mark.parametrize("dtype", NAMES)
def test_dlpack(dtype: str) -> None:
    x, y = both([1, 0, 1], dtype)
    check(torch.from_dlpack(x), y)
    check(fj.from_dlpack(y), y)


@pytest.mark.parametrize("dtype", [name for name in NAMES if name != "bfloat16"])
def test_pickle_and_copy(dtype: str) -> None:
    x, y = both([1, 0, 1], dtype)
    check(pickle.loads(pickle.dumps(x)), y)
    check(copy.deepcopy(x), y)


@pytest.mark.parametrize("values", [[1 + 2j, -3.5j], [[0j, 1e-7 + 1j], [2, 1e9]], [1e5 - 1j, math.inf], 1.5 - 2j, [1 + 1j] * 1200])
def test_printing_of_complex(values: Any) -> None:
    for dtype in COMPLEX:
        x, y = both(values, dtype)
        assert repr(x).replace("framejit.", "torch.") == repr(y)


def test_complex_numbers() -> None:
    x, y = fj.tensor([1 + 2j, 3]), torch.tensor([1 + 2j, 3])
    check(x, y)
    assert complex(x[0]) == 1 + 2j
    assert x[0].item() == 1 + 2j
    with pytest.raises(RuntimeError):
        fj.tensor([1j], dtype=fj.float32)
    x[1] = 2j
    y[1] = 2j
    check(x, y)
    check(x.fill_(1 - 1j), y.fill_(1 - 1j))
    check(fj.tensor([1.0, 2]) + 1j, torch.tensor([1.0, 2]) + 1j)
    check(1j * fj.tensor([1, 2]), 1j * torch.tensor([1, 2]))
    check(fj.ones(3, dtype=fj.float64) * 1j, torch.ones(3, dtype=torch.float64) * 1j)
    with pytest.raises(RuntimeError):
        fj.ones(2).fill_(1j)


# --- arithmetic -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_small_integers_wrap(dtype: str) -> None:
    low, high = fj.iinfo(getattr(fj, dtype)).min, fj.iinfo(getattr(fj, dtype)).max
    values = [low, low + 1, -7, -1, 0, 1, 3, high - 1, high]
    x, y = both(values, dtype)
    a, b = (t[:, None] for t in (x, y))
    for op in ("add", "sub", "mul", "bitwise_and", "bitwise_or", "bitwise_xor", "maximum", "lt", "eq"):
        check(getattr(fj, op)(a, x), getattr(torch, op)(b, y))
    for op in ("neg", "abs", "bitwise_not", "sign", "square"):
        check(getattr(fj, op)(x), getattr(torch, op)(y))
    divisors = both([v for v in values if v != 0], dtype)
    for op in ("floor_divide", "remainder", "fmod"):
        check(getattr(fj, op)(a, divisors[0]), getattr(torch, op)(b, divisors[1]))
    for op in ("bitwise_left_shift", "bitwise_right_shift"):
        check(getattr(fj, op)(a, fj.arange(9, dtype=x.dtype)), getattr(torch, op)(b, torch.arange(9, dtype=y.dtype)))
    check(a @ x[None], b @ y[None])
    check(x.cumsum(0, dtype=x.dtype), y.cumsum(0, dtype=y.dtype))
    assert x.sum().item() == y.sum().item()
    check(x.amax(), y.amax())
    assert x.argmin().item() == y.argmin().item()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        x // 0


@pytest.mark.parametrize("dtype", HALVES)
def test_each_op_on_halves_rounds(dtype: str) -> None:
    rng = np.random.default_rng(0)
    array = rng.normal(size=(64, 33)).astype("float32")
    x, y = fj.from_numpy(array).to(getattr(fj, dtype)), torch.from_numpy(array).to(getattr(torch, dtype))
    for function in (lambda t: t * t + t, lambda t: (t + 3) / (t * t + 1) - t, lambda t: t * 0.1 + 1, lambda t: t.abs().sqrt() - t * 1.5):
        check(function(x), function(y))
    exact = 2.0**-10 if dtype == "float16" else 2.0**-7
    for op in ("exp", "tanh", "sin", "sigmoid", "erf"):
        check(getattr(fj, op)(x), getattr(torch, op)(y), exact)
    check(x.sum(), y.sum(), exact)
    check(x.sum(0), y.sum(0), exact)
    check(x.mean(1), y.mean(1), exact)
    check(x.softmax(1), y.softmax(1), exact)
    check(x.var(0), y.var(0), exact)
    check(x.amax(0), y.amax(0))
    check(x @ x.T, y @ y.T, exact)
    assert (x > 0).dtype is fj.bool


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_reductions_and_products(dtype: str) -> None:
    rng = np.random.default_rng(0)
    array = (rng.normal(size=(5, 70)) + 1j * rng.normal(size=(5, 70))).astype(dtype)
    x, y = fj.from_numpy(array), torch.from_numpy(array)
    exact = 1e-5 if dtype == "complex64" else 1e-12
    for call in (
        lambda t: t.sum(), lambda t: t.sum(0), lambda t: t.mean(1), lambda t: t[:, :6].prod(1), lambda t: t.cumsum(1),
        lambda t: t[:, :5].cumprod(0), lambda t: t.var(1), lambda t: t.std(), lambda t: t @ t.mT, lambda t: t @ t.mH,
        lambda t: t[None] @ t.mH[None], lambda t: t[0] @ t[1], lambda t: t.norm(), lambda t: (t == t.conj()), lambda t: t.abs(),
        lambda t: t.real, lambda t: t.imag, lambda t: t.T @ t.conj(),
    ):  # fmt: skip
        check(call(x), call(y), exact)
    for bad in ("amax", "argmin", "sort", "floor", "sign"):
        with pytest.raises(RuntimeError):
            getattr(x, bad)()
    for bad in ("lt", "maximum", "remainder", "atan2"):
        with pytest.raises(RuntimeError):
            getattr(x, bad)(x)


def test_parts_are_views() -> None:
    x, y = fj.tensor([1 + 2j, 3 - 1j]), torch.tensor([1 + 2j, 3 - 1j])
    x.real[0] = 5
    y.real[0] = 5
    x.imag = fj.tensor([7.0, 8.0])
    y.imag = torch.tensor([7.0, 8.0])
    check(x, y)
    fj.view_as_real(x)[:, 1].zero_()
    torch.view_as_real(y)[:, 1].zero_()
    check(x, y)
    part = fj.zeros(3, 2)
    fj.view_as_complex(part)[1] = 2 - 1j
    assert part.tolist() == [[0, 0], [2, -1], [0, 0]]
    assert x.real._base is not None


def test_missing_kernel_says_what_exists() -> None:
    with pytest.raises(NotImplementedError) as raised:
        fj.ones(2).gcd(fj.ones(2))
    assert isinstance(raised.value, RuntimeError)
    assert str(raised.value) == (
        "\"gcd\" not implemented for 'float32' on cpu; it exists for uint8, int8, int16, int32, int64"
    )


# --- gradients --------------------------------------------------------------------------------------------------------
ANALYTIC = "exp log sin cos tan sinh cosh tanh asin acos atan asinh atanh sqrt rsqrt reciprocal square sigmoid neg log1p expm1 log2 log10 exp2".split()
FUNCTIONS = {
    **{name: (lambda library, z, name=name: getattr(library, name)(z)) for name in ANALYTIC},
    "abs": lambda library, z: z.abs(),
    "angle": lambda library, z: z.angle(),
    "sgn": lambda library, z: z.sgn(),
    "real": lambda library, z: z.real * z.imag,
    "conj": lambda library, z: z.conj() * z,
    "mul": lambda library, z: z * (z + 1j) * 2j,
    "div": lambda library, z: (1 + 2j) / (z * z + 3),
    "pow": lambda library, z: z**3 + z**2.5 + z ** (1 + 1j),
    "pow2": lambda library, z: (2 - 1j) ** z,
    "pow3": lambda library, z: z**z,
    "matmul": lambda library, z: z @ z.mT @ z.mH,
    "sum": lambda library, z: z.sum(0) * z.mean(1, keepdim=True),
    "prod": lambda library, z: z.prod(1) + z.cumprod(0).sum(1),
    "var": lambda library, z: z.var(0),
    "norm": lambda library, z: z.norm(),
    "view": lambda library, z: library.view_as_complex(library.view_as_real(z) * 2),
    "complex": lambda library, z: library.complex(z.abs(), z.real) * library.polar(z.abs(), z.imag),
    "where": lambda library, z: library.where(z.real > 0, z * 1j, z.conj()),
    "cumsum": lambda library, z: z.cumsum(1) * z,
    "lerp": lambda library, z: library.lerp(z, z * z, z.conj()),
    "addcmul": lambda library, z: library.addcmul(z, z, z.conj(), value=0.5) + library.addcdiv(z, z, z + 5),
    "real_input": lambda library, z: (z.real * 1j).exp() * z.real,
    "cast": lambda library, z: z.real.to(library.complex128) * z,
    "stack": lambda library, z: library.stack([z, z * z]).flip(0)[:, 0],
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_complex_gradients(name: str) -> None:
    rng = np.random.default_rng(1)
    array = rng.uniform(0.2, 0.8, (3, 3)) + 1j * rng.uniform(0.2, 0.8, (3, 3))
    results = []
    for library in (fj, torch):
        z = library.tensor(array.tolist(), dtype=library.complex128).requires_grad_()
        out = FUNCTIONS[name](library, z)
        weights = library.arange(1, out.numel() + 1, dtype=library.float64).reshape(out.shape)
        loss = ((out * weights).abs() ** 2).sum()
        (first,) = library.autograd.grad(loss, z, create_graph=True)
        (second,) = library.autograd.grad((first * weights[0, 0] * (1 + 2j) if weights.ndim > 1 else first * (1 + 2j)).abs().sum(), z)
        results.append((out, first, second))
    for got, expected in zip(*results):
        check(got, expected, 1e-9)


def test_gradcheck_of_complex_functions() -> None:
    z = fj.tensor([0.5 + 1j, -0.3 + 0.2j], dtype=fj.complex128).requires_grad_()
    w = fj.tensor([0.7, 1.1], dtype=fj.float64).requires_grad_()
    assert fj.autograd.gradcheck(lambda z, w: ((z * w).exp(), z.abs()), (z, w))
    assert fj.autograd.gradgradcheck(lambda z: z * z.conj() + z.sin(), z)

    class Wrong(fj.autograd.Function):
        @staticmethod
        def forward(ctx: Any, z: Any) -> Any:
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2 * ctx.saved_tensors[0]  # not conjugated

    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        fj.autograd.gradcheck(Wrong.apply, z)


def test_real_parameters_get_real_gradients() -> None:
    grads = []
    for library in (fj, torch):
        w = library.tensor([1.0, 2.0]).requires_grad_()
        ((w * (1 + 2j)).exp() * 1j).abs().sum().backward()
        grads.append(w.grad)
    check(grads[0], grads[1], 1e-5)


def test_backward_of_a_complex_result_needs_a_gradient() -> None:
    z = fj.tensor(1j, requires_grad=True)
    with pytest.raises(RuntimeError, match="only for real scalar outputs but got complex64"):
        (z * 2).backward()


# --- compiled ---------------------------------------------------------------------------------------------------------
COMPILED = {
    "float16": lambda x: ((x * 0.1 + 1.5) * x - x.exp()).softmax(-1) * x.sum(),
    "bfloat16": lambda x: (x / 3 + x * x).sum(0) * x.amax(0) - x.var(0) + x.mean(),
    "int8": lambda x: (x * 57 + 100) // 3 - (x << 2),
    "int16": lambda x: (x * 3000 + 100) % 7 * x,
    "complex64": lambda x: (x * (1 + 2j) + x.conj()).exp() / (x + 3) + x.sum(),
    "complex128": lambda x: x.abs() * (x @ x.mH).real + x.angle().sin(),
}


@pytest.mark.parametrize("dtype", COMPILED)
def test_compiled_equals_eager(dtype: str) -> None:
    rng = np.random.default_rng(2)
    array = rng.uniform(-3, 3, (6, 6)) * (1 + (1j if dtype in COMPLEX else 0))
    x = fj.tensor(array.tolist() if dtype not in ("int8", "int16") else (array * 40).astype(int).tolist(), dtype=getattr(fj, dtype))
    function = COMPILED[dtype]
    expected, got = function(x), fj.compile(function)(x)
    assert got.dtype is expected.dtype
    np.testing.assert_array_equal(to_numpy(got), to_numpy(expected))


@pytest.mark.parametrize("dtype", [*HALVES, *COMPLEX])
def test_compiled_gradients(dtype: str) -> None:
    def loss(x: Any) -> Any:
        return (x * x * 0.5 + x.sin()).abs().sum()

    grads = []
    for function in (loss, fj.compile(loss)):
        x = fj.tensor([0.5, 1.5, -2.0], dtype=getattr(fj, dtype)).requires_grad_()
        function(x).backward()
        grads.append(x.grad)
    np.testing.assert_allclose(to_numpy(grads[1]), to_numpy(grads[0]), rtol=1e-2 if dtype in HALVES else 1e-6)


def test_compiled_function_of_a_complex_number() -> None:
    function = fj.compile(lambda x, z: x * z + z)
    x = fj.tensor([1.0, 2.0])
    for z in (1 + 2j, 3j, 3j):
        assert function(x, z).tolist() == (x * z + z).tolist()


def test_compiled_writes_to_parts() -> None:
    def function(z: Any) -> Any:
        z = z.clone()
        z.real.mul_(2)
        z.imag[0] = 5
        return z

    z = fj.tensor([1 + 2j, 3 - 1j])
    assert fj.compile(function)(z).tolist() == function(z).tolist()
