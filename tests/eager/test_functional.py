"""Functions and methods that are no rows of the op table: framejit/functional.py, _tensor_methods.py, _settings.py."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch", reason="PyTorch is the oracle")
warnings.filterwarnings("ignore")


def same(got: Any, expected: Any) -> None:
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other)
        return
    assert str(got.dtype).split(".")[1] == str(expected.dtype).split(".")[1]
    assert tuple(got.shape) == tuple(expected.shape)
    np.testing.assert_allclose(got.detach().numpy(), expected.detach().numpy(), rtol=1e-6, atol=1e-6)


REPEATED = np.array([[3, 1, 1, 2], [3, 1, 1, 2], [0, 0, 1, 2], [3, 1, 1, 2]])


@pytest.mark.parametrize("name", ["unique", "unique_consecutive"])
@pytest.mark.parametrize("dtype", ["int64", "float32", "uint8", "bool"])
@pytest.mark.parametrize("dim", [None, 0, 1, -1])
@pytest.mark.parametrize(("inverse", "counts"), [(False, False), (True, False), (False, True), (True, True)])
def test_unique(name: str, dtype: str, dim: int | None, inverse: bool, counts: bool) -> None:
    options = {"dim": dim, "return_inverse": inverse, "return_counts": counts}
    x, y = (lib.tensor(REPEATED.tolist(), dtype=getattr(lib, dtype)) for lib in (fj, torch))
    same(getattr(fj, name)(x, **options), getattr(torch, name)(y, **options))
    same(getattr(x, name)(**options), getattr(y, name)(**options))


def test_unique_of_nan_empty_and_scalar() -> None:
    nan = fj.tensor([fj.nan, 1.0, fj.nan])
    assert fj.unique(nan).numel() == 3
    assert fj.unique(fj.empty(0)).numel() == 0
    assert fj.unique(fj.tensor(3)).tolist() == [3]
    with pytest.raises(RuntimeError, match="0 sized dimensions"):
        fj.unique(fj.empty(2, 0), dim=0)


def test_unique_in_a_compiled_function() -> None:
    @fj.compile
    def f(x: Any) -> Any:
        values, counts = fj.unique(x * 2, return_counts=True)
        return values + 1, counts

    values, counts = f(fj.tensor([1, 1, 2]))
    assert (values.tolist(), counts.tolist()) == ([3, 5], [2, 1])


@pytest.mark.parametrize(
    "shapes", [((2, 1), (3,)), ((2, 3),), (4, (3, 1)), ((), (2,)), ((0,), (1,)), ((5, 1, 4), (3, 1), 4)]
)
def test_broadcast_shapes(shapes: tuple) -> None:
    assert tuple(fj.broadcast_shapes(*shapes)) == tuple(torch.broadcast_shapes(*shapes))


def test_broadcast_shapes_mismatch() -> None:
    with pytest.raises(RuntimeError, match="Shape mismatch"):
        fj.broadcast_shapes((2, 3), (4,))


@pytest.mark.parametrize(
    "options",
    [
        {}, {"dim": 1}, {"dim": (0, 1)}, {"spacing": 0.5}, {"spacing": [0.5, 2.0]}, {"dim": -1, "spacing": 3}, {"edge_order": 2},
        {"edge_order": 2, "spacing": 0.3, "dim": 0}, {"edge_order": 3}, {"spacing": [1.0]}, {"dim": 2},
    ],
)  # fmt: skip
def test_gradient(options: dict) -> None:
    data = np.random.default_rng(0).normal(size=(4, 5)).astype("float32")
    try:
        expected = torch.gradient(torch.from_numpy(data), **options)
    except Exception as error:
        with pytest.raises(type(error)):
            fj.gradient(fj.from_numpy(data), **options)
        return
    same(fj.gradient(fj.from_numpy(data), **options), expected)


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient_over_places(edge_order: int) -> None:
    data, places = (
        np.arange(12.0).reshape(3, 4) ** 2,
        [np.array([0.0, 1.0, 4.0]), np.array([0.0, 0.5, 1.5, 4.0])],
    )
    got = fj.gradient(fj.from_numpy(data), spacing=tuple(map(fj.from_numpy, places)), edge_order=edge_order)
    same(
        got,
        torch.gradient(
            torch.from_numpy(data), spacing=tuple(map(torch.from_numpy, places)), edge_order=edge_order
        ),
    )


@pytest.mark.parametrize("a", [1, 1.5, True, "int32", "float64", "uint8", "()float64"])
@pytest.mark.parametrize("b", [2, 2.5, False, "int64", "float32", "()int64"])
def test_result_type(a: Any, b: Any) -> None:
    def build(library: Any, what: Any) -> Any:
        if not isinstance(what, str):
            return what
        return library.ones(
            () if what.startswith("()") else (2,), dtype=getattr(library, what.removeprefix("()"))
        )

    assert (
        str(fj.result_type(build(fj, a), build(fj, b))).split(".")[1]
        == str(torch.result_type(build(torch, a), build(torch, b))).split(".")[1]
    )


def test_can_cast() -> None:
    names = ["bool", "uint8", "int32", "int64", "float32", "float64"]
    for a in names:
        for b in names:
            assert fj.can_cast(getattr(fj, a), getattr(fj, b)) == torch.can_cast(
                getattr(torch, a), getattr(torch, b)
            ), (a, b)


def test_asarray() -> None:
    array = np.arange(3.0)
    shared, copied = fj.asarray(array), fj.asarray(array, copy=True)
    array[0] = 9
    assert shared[0] == 9 and copied[0] == 0
    tensor = fj.ones(2)
    assert fj.asarray(tensor) is tensor
    assert fj.asarray(tensor, copy=True) is not tensor
    assert fj.asarray([1, 2], dtype=fj.float64).dtype is fj.float64
    assert fj.asarray([1.0], requires_grad=True).requires_grad
    with pytest.raises(ValueError, match="alias"):
        fj.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="alias"):
        fj.asarray(tensor, dtype=fj.int64, copy=False)


def test_frombuffer() -> None:
    memory = bytearray(np.arange(4, dtype="int32").tobytes())
    x = fj.frombuffer(memory, dtype=fj.int32)
    memory[0] = 7
    assert x.tolist() == [7, 1, 2, 3]
    assert fj.frombuffer(memory, dtype=fj.int32, count=2, offset=4).tolist() == [1, 2]
    assert fj.frombuffer(bytes(memory), dtype=fj.uint8).numel() == 16
    for options in ({"count": 0}, {"offset": 16}, {"offset": 3}, {"count": 5}, {"offset": -1}):
        with pytest.raises(ValueError):
            torch.frombuffer(memory, dtype=torch.int32, **options)
        with pytest.raises(ValueError):
            fj.frombuffer(memory, dtype=fj.int32, **options)


def test_methods() -> None:
    x = fj.tensor([[1.0, -2.0], [3.0, -4.0]])
    assert x.where(x > 0, 0).tolist() == [[1, 0], [3, 0]]
    assert x.sum_to_size(1, 2).tolist() == [[4, -6]]
    assert x.sum_to_size((2,)).tolist() == [4, -6]
    assert x.sum_to_size(2, 2) is x
    with pytest.raises(RuntimeError, match="not expandable"):
        x.sum_to_size(3)
    assert x.clone().apply_(lambda a: a * 2).tolist() == [[2, -4], [6, -8]]
    assert x.clone().map_(x, lambda a, b: a + b).tolist() == [[2, -4], [6, -8]]
    assert x.new_empty_strided((2, 3), (1, 2)).stride() == (1, 2)
    assert x.is_same_size(fj.ones(2, 2)) and not x.is_same_size(fj.ones(4))
    assert x.is_set_to(x.detach()) and not x.is_set_to(x.clone())
    assert fj.tensor(2.0).is_nonzero() and not fj.tensor(0).is_nonzero()
    assert x.new(2, 3).shape == (2, 3) and x.new([1, 2]).tolist() == [1, 2]
    assert fj.typename(x) == "framejit.FloatTensor" and fj.typename(3) == "int"
    assert fj.relu_(x) is x and x.min() == 0


def test_where_method_compiled() -> None:
    assert fj.compile(lambda x: x.where(x > 0, -1) + 1)(fj.tensor([1.0, -5.0])).tolist() == [2, 0]


def test_settings() -> None:
    fj.use_deterministic_algorithms(True, warn_only=True)
    assert fj.are_deterministic_algorithms_enabled() and fj.is_deterministic_algorithms_warn_only_enabled()
    fj.use_deterministic_algorithms(False)
    fj.set_float32_matmul_precision("high")
    assert fj.get_float32_matmul_precision() == "high"
    fj.set_float32_matmul_precision("highest")
    with pytest.raises(ValueError, match="expected 'highest'"):
        fj.set_float32_matmul_precision("low")
    fj.set_default_device("cpu")
    assert fj.get_default_device() == fj.device("cpu")


# --- memory formats ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 3, 4, 5), (2, 1, 4, 5), (2, 3, 1, 1)])
def test_channels_last(shape: tuple) -> None:
    found = []
    for library in (fj, torch):
        x = library.arange(float(np.prod(shape))).reshape(shape)
        last = x.contiguous(memory_format=library.channels_last)
        assert (last == x).all()
        results = [last, x.to(memory_format=library.channels_last), x.clone(memory_format=library.channels_last), last * 2, library.zeros_like(last),
                   library.empty_like(last, memory_format=library.contiguous_format), last.contiguous(), library.rand_like(last), last.clone()]  # fmt: skip
        found.append(
            [
                (r.stride(), r.is_contiguous(), r.is_contiguous(memory_format=library.channels_last))
                for r in results
            ]
        )
    assert found[0] == found[1]


def test_channels_last_compiled() -> None:
    x = fj.rand(2, 3, 4, 5)
    y = fj.compile(lambda x: x.contiguous(memory_format=fj.channels_last) + 1)(x)
    assert y.stride() == (60, 1, 15, 3)
    assert (y == x + 1).all()


def test_memory_format_errors() -> None:
    with pytest.raises(RuntimeError, match="required rank 4"):
        fj.ones(2, 3).contiguous(memory_format=fj.channels_last)
    assert repr(fj.channels_last) == "framejit.channels_last"


# --- in-place views ---------------------------------------------------------------------------------------------------
def test_inplace_views_share_and_write() -> None:
    x = fj.arange(6.0).reshape(2, 3)
    y = x.view(6)
    assert x.t_() is x and x.shape == (3, 2)
    x[0, 1] = 9
    assert y[3] == 9
    assert x.unsqueeze_(0).squeeze_(0).transpose_(0, 1).shape == (2, 3)


def test_inplace_view_gradients() -> None:
    for library in (fj, torch):
        x = library.arange(6.0).requires_grad_()
        y = (x * 2).view(2, 3)
        z = y * 3
        z.t_()
        z[0] *= 5
        (z * library.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).sum().backward()
        assert x.grad.tolist() == [30, 18, 30, 60, 24, 36]


def test_inplace_view_of_a_view_writes_to_the_base() -> None:
    for library in (fj, torch):
        x = library.arange(6.0).requires_grad_()
        base = (x * 1).reshape(2, 3)
        view = base[:, 1:]
        view.t_()
        view[0].mul_(4)
        base.sum().backward()
        assert x.grad.tolist() == [1, 4, 1, 1, 4, 1]


def test_inplace_view_of_a_leaf() -> None:
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        fj.ones(2, 3, requires_grad=True).t_()


def test_resize_keeps_what_fits() -> None:
    x = fj.arange(6.0)
    assert x.resize_(2, 2).tolist() == [[0, 1], [2, 3]]
    assert x.resize_(6).tolist() == [0, 1, 2, 3, 4, 5]
    assert x.resize_(9)[:6].tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(RuntimeError, match="require grad"):
        fj.ones(2, requires_grad=True).resize_(3)


# --- out= of functions without a derived row --------------------------------------------------------------------------
X = np.random.default_rng(1).normal(size=(3, 4)).astype("float32")


@pytest.mark.parametrize(
    ("name", "args", "count"),
    [("std", (), 1), ("var_mean", (1,), 2), ("sort", (0,), 2), ("max", (1,), 2), ("median", (0, True), 2), ("stack", None, 1), ("quantile", (0.3, 1), 1), ("cummax", (0,), 2)],
)  # fmt: skip
def test_out(name: str, args: tuple | None, count: int) -> None:
    x = fj.from_numpy(X)
    call_args = ([x, x],) if args is None else (x, *args)
    expected = getattr(fj, name)(*call_args)
    results = (expected,) if count == 1 else tuple(expected)
    outs = tuple(fj.empty(0, dtype=result.dtype) for result in results)
    got = getattr(fj, name)(*call_args, out=outs[0] if count == 1 else outs)
    for one, out, result in zip((got,) if count == 1 else got, outs, results):
        assert one is out
        same(out, torch.from_numpy(result.numpy()))


def test_out_errors() -> None:
    x = fj.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        fj.std(x, out=fj.empty(()))
    with fj.no_grad():
        fj.std(x, out=fj.empty(()))
    with pytest.raises(RuntimeError, match="can't be cast"):
        fj.std(x.detach(), out=fj.empty((), dtype=fj.int64))
    with pytest.raises(TypeError):
        fj.sort(x.detach(), out=fj.empty(0))


def test_as_strided_scatter_gradients() -> None:
    x, src = fj.rand(3, 4, dtype=fj.float64, requires_grad=True), fj.rand(2, 2, dtype=fj.float64, requires_grad=True)
    assert fj.autograd.gradcheck(lambda x, src: fj.as_strided_scatter(x * 1, src * 1, (2, 2), (4, 1), 1), (x, src))
