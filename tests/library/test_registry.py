"""Library: schemas and implementations, one layer at a time; kernels for rows of the op table."""

import gc

import pytest

import framejit as fj
from framejit.library import Library


@pytest.fixture
def lib():
    library = Library("test_registry", "DEF")
    yield library
    library._destroy()


def test_layers(lib):
    assert lib.define("twice(Tensor x) -> Tensor") == "twice"
    with pytest.raises(NotImplementedError, match="'test_registry::twice' on device 'cpu'.* It has none at all"):
        fj.ops.test_registry.twice(fj.ones(1))
    lib.impl("twice", lambda x: x * 2, "CPU")
    assert fj.ops.test_registry.twice(fj.ones(1)).item() == 2
    with pytest.raises(RuntimeError, match="already a kernel registered from python"):
        lib.impl("twice", lambda x: x * 3, "CPU")
    lib.impl("twice", lambda x: x * 3, "CPU", allow_override=True)
    assert fj.ops.test_registry.twice(fj.ones(1)).item() == 3
    lib.impl(fj.ops.test_registry.twice.default, fj.empty_like, "Meta")
    assert fj.compile(lambda x: fj.ops.test_registry.twice(x), fullgraph=True)(fj.ones(1)).item() == 3


def test_a_composite_is_seen_through(lib):
    lib.define("scaled(Tensor x, float by=2.0) -> Tensor")
    lib.impl("scaled", lambda x, by: x * by)
    x = fj.ones(2, requires_grad=True)
    fj.ops.test_registry.scaled(x, 3.0).sum().backward()
    assert x.grad.tolist() == [3, 3]
    compiled = fj.compile(lambda x: fj.ops.test_registry.scaled(x).sum(), fullgraph=True)
    compiled(x).backward()
    assert x.grad.tolist() == [5, 5]


def test_the_autograd_key_takes_the_call_where_a_gradient_is_wanted(lib):
    lib.define("half(Tensor x) -> Tensor")
    lib.impl("half", lambda x: x / 2, "CompositeExplicitAutograd")

    class Half(fj.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return fj.ops.test_registry.half(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * 7

    lib.impl("half", lambda x: Half.apply(x), "Autograd")
    x = fj.ones(1, requires_grad=True)
    y = fj.ops.test_registry.half(x)
    y.backward()
    assert (y.item(), x.grad.item()) == (0.5, 7)
    assert not fj.ops.test_registry.half(fj.ones(1)).requires_grad


def test_falling_through(lib):
    lib.define("through(Tensor x) -> Tensor")
    lib.impl("through", lambda x: x * 2, "CPU")
    lib.impl("through", fj.library.fallthrough_kernel, "Autograd")
    assert fj.ops.test_registry.through(fj.ones(1, requires_grad=True)).item() == 2


def test_overloads(lib):
    lib.define("join(Tensor x, Tensor y) -> Tensor")
    lib.define("join.number(Tensor x, float y) -> Tensor")
    lib.impl("join", lambda x, y: x + y)
    lib.impl("join.number", lambda x, y: x - y)
    join = fj.ops.test_registry.join
    assert join.overloads() == ["default", "number"]
    assert join(fj.ones(1), fj.ones(1)).item() == 2
    assert join(fj.ones(1), 3.0).item() == -2
    assert join.number(fj.ones(1), 1.0).item() == 0
    with pytest.raises(TypeError):
        join.default(fj.ones(1), 3.0)


def test_errors_of_define(lib):
    lib.define("once(Tensor x) -> Tensor")
    for schema, error, text in (
        ("once(Tensor x) -> Tensor", RuntimeError, "with the same name and overload name multiple times"),
        ("broken(Tensor x", RuntimeError, "schema: expected"),
        ("broken(Thing x) -> Tensor", RuntimeError, "expected a type"),
        ("other::name(Tensor x) -> Tensor", RuntimeError, "not in the namespace test_registry"),
        ("viewing(Tensor(a) x) -> Tensor(a)", NotImplementedError, "returns a view of an argument"),
    ):
        with pytest.raises(error, match=text):
            lib.define(schema)
    with pytest.raises(RuntimeError, match="Invalid alias_analysis type"):
        lib.define("fine(Tensor x) -> Tensor", "WHAT")
    with pytest.raises(ValueError, match="Unsupported kind"):
        Library("test_registry", "NEW")
    with pytest.raises(RuntimeError, match='Only a single Library of kind "DEF"'):
        Library("test_registry", "DEF")
    with pytest.raises(RuntimeError, match="of kind IMPL cannot define"):
        Library("test_registry", "IMPL").define("two(Tensor x) -> Tensor")


def test_errors_of_impl(lib):
    lib.define("plain(Tensor x) -> Tensor")
    with pytest.raises(TypeError, match="required to be a callable but found type <class 'int'>"):
        lib.impl("plain", 3, "CPU")
    with pytest.raises(RuntimeError, match="unknown dispatch key 'XPU'"):
        lib.impl("plain", fj.relu, "XPU")
    with pytest.raises(RuntimeError, match="no op is called 'test_registry::missing'"):
        lib.impl("missing", fj.relu, "CPU")
    with pytest.raises(RuntimeError, match="operator test_registry::missing does not exist"):
        fj.library.register_fake("test_registry::missing", fj.relu)


def test_what_a_library_registered_goes_with_it():
    library = Library("test_gone", "DEF")
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x + 1)
    overload = fj.ops.test_gone.f.default
    del library
    gc.collect()
    assert not hasattr(fj.ops.test_gone, "f")
    with pytest.raises(NotImplementedError, match="It has none at all"):
        overload(fj.ones(1))
    again = Library("test_gone", "DEF")
    again.define("f(Tensor x) -> Tensor")
    again._destroy()


def test_functions_without_a_library():
    fj.library.define("test_functions::triple", "(Tensor x) -> Tensor")

    @fj.library.impl("test_functions::triple", "cpu")
    def triple(x):
        return x * 3

    fj.library.register_fake("test_functions::triple", fj.empty_like)
    fj.library.register_autograd("test_functions::triple", lambda ctx, grad: grad * 3)
    x = fj.ones(2, requires_grad=True)
    fj.compile(lambda x: fj.ops.test_functions.triple(x), fullgraph=True)(x).sum().backward()
    assert x.grad.tolist() == [3, 3]
    with pytest.raises(ValueError, match="'namespace::name'"):
        fj.library.define("triple", "(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="unknown device type 'tpu'"):
        fj.library.register_kernel("test_functions::triple", "tpu", triple)


def test_rows_of_the_op_table():
    assert fj.ops.aten.add(fj.ones(1), fj.ones(1)).item() == 2
    assert fj.ops.aten.add.Tensor(fj.ones(1), fj.ones(1)).item() == 2
    assert fj.ops.aten.relu.default(-fj.ones(1)).item() == 0
    with pytest.raises(OSError, match="linked against PyTorch"):
        fj.ops.load_library("libtorchvision.so")
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_the_kind'"):
        fj.ops.aten.nothing_of_the_kind


def test_a_kernel_for_a_dtype_that_a_row_lacks():
    halves = fj.tensor([1.0, 0.0, 1.0], dtype=fj.float16)
    with pytest.raises(Exception):
        fj.bincount(halves)
    lib = Library("aten", "IMPL")
    lib.impl("bincount", lambda x, weights, minlength: fj.tensor([1, 2]), "CPU", dtypes=[fj.float16])
    assert fj.bincount(halves).tolist() == [1, 2]
    assert fj.bincount(fj.tensor([0, 0, 2])).tolist() == [2, 0, 1]  # the row's own
    lib._destroy()
    with pytest.raises(Exception):
        fj.bincount(halves)


def test_a_kernel_in_the_place_of_a_row():
    lib = Library("aten", "IMPL")
    lib.impl("bincount", lambda x, weights, minlength: fj.tensor([42]), "CPU")
    assert fj.bincount(fj.tensor([0])).tolist() == [42]
    with pytest.raises(RuntimeError, match="has a Python kernel for cpu already"):
        lib.impl("bincount", fj.relu, "CPU")
    with pytest.raises(NotImplementedError, match="kernels for the keys CPU and CUDA"):
        lib.impl("bincount", fj.relu, "Autograd")
    with pytest.raises(RuntimeError, match="no op is called 'aten::nothing"):
        lib.impl("nothing_of_the_kind", fj.relu, "CPU")
    lib._destroy()
    assert fj.bincount(fj.tensor([0])).tolist() == [1]
