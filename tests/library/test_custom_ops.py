"""custom_op: Python functions as ops, eager, differentiated and compiled."""

import threading
from typing import Optional, Sequence

import numpy as np
import pytest

import framejit as fj
from framejit import Tensor
from framejit.library import custom_op, infer_schema, opcheck


@custom_op("test_custom::sine", mutates_args=())
def sine(x: Tensor) -> Tensor:
    return fj.from_numpy(np.sin(x.numpy()))


@sine.register_fake
def _(x):
    return fj.empty_like(x)


sine.register_autograd(
    lambda ctx, grad: grad * ctx.saved_tensors[0].cos(),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)


@custom_op("test_custom::repeat_rows", mutates_args=())
def repeat_rows(x: Tensor, times: int, *, scale: float = 1.0) -> Tensor:
    return fj.cat([x * scale] * times)


@repeat_rows.register_fake
def _(x, times, *, scale=1.0):
    return x.new_empty((x.shape[0] * times, *x.shape[1:]))


def _setup_repeat(ctx, inputs, output, keyword_only_inputs):
    ctx.rows, ctx.times = inputs[0].shape[0], inputs[1]
    ctx.scale = keyword_only_inputs["scale"]


def _repeat_backward(ctx, grad):
    return grad.reshape((ctx.times, ctx.rows, *grad.shape[1:])).sum(0) * ctx.scale, None


repeat_rows.register_autograd(_repeat_backward, setup_context=_setup_repeat)


@custom_op("test_custom::weighted_sum", mutates_args=())
def weighted_sum(tensors: Sequence[Tensor], weights: Sequence[float]) -> tuple[Tensor, Tensor]:
    total = sum(t * w for t, w in zip(tensors, weights))
    return total, total * total


@weighted_sum.register_fake
def _(tensors, weights):
    return fj.empty_like(tensors[0]), fj.empty_like(tensors[0])


def _weighted_setup(ctx, inputs, output):
    ctx.weights = inputs[1]
    ctx.save_for_backward(output[0])


def _weighted_backward(ctx, grad, grad_square):
    (total,) = ctx.saved_tensors
    whole = grad + 2 * total * grad_square
    return [whole * w for w in ctx.weights], None


weighted_sum.register_autograd(_weighted_backward, setup_context=_weighted_setup)


@custom_op("test_custom::add_into", mutates_args={"out"})
def add_into(out: Tensor, x: Tensor, times: int = 1) -> None:
    out += x * times


def test_it_is_called_like_the_function():
    x = fj.randn(3)
    for op in (sine, fj.ops.test_custom.sine, fj.ops.test_custom.sine.default):
        assert fj.equal(op(x), fj.from_numpy(np.sin(x.numpy())))
    assert sine.__name__ == "sine"
    assert str(fj.ops.test_custom.sine) == "test_custom.sine"
    assert fj.ops.test_custom.sine.overloads() == ["default"]
    assert fj.ops.test_custom.sine.default.name() == "test_custom::sine"
    assert fj.ops.test_custom.repeat_rows.default._schema == (
        "test_custom::repeat_rows(Tensor x, int times, *, float scale=1.0) -> Tensor"
    )
    assert fj.ops.test_custom.repeat_rows(x=fj.ones(1), times=2, scale=3.0).tolist() == [3, 3]


def test_wrong_arguments_are_type_errors_that_show_the_signature():
    with pytest.raises(TypeError, match=r"sine\(\): argument 'x' \(position 1\) must be Tensor, not int"):
        sine(3)
    with pytest.raises(TypeError, match='missing 1 required positional arguments: "times"'):
        repeat_rows(fj.ones(1))
    with pytest.raises(AttributeError, match="has no attribute 'cosine'"):
        fj.ops.test_custom.cosine
    with pytest.raises(AttributeError, match="'test_custom.sine' has no overload name 'other'"):
        fj.ops.test_custom.sine.other


def test_gradients():
    x = fj.randn(4, dtype=fj.float64, requires_grad=True)
    assert fj.autograd.gradcheck(sine, (x,))
    assert fj.autograd.gradgradcheck(sine, (x,))
    y = fj.randn(2, 3, dtype=fj.float64, requires_grad=True)
    assert fj.autograd.gradcheck(lambda y: repeat_rows(y, 3, scale=2.0), (y,))
    assert fj.autograd.gradcheck(lambda x, y: weighted_sum([x, y], [2.0, 3.0]), (x, x.detach().clone().requires_grad_()))


def test_needs_input_grad_is_as_nested_as_the_arguments():
    seen = []

    @custom_op("test_custom::first_of", mutates_args=())
    def first_of(tensors: Sequence[Tensor], other: Optional[Tensor], n: int) -> Tensor:
        return tensors[0] * n

    first_of.register_autograd(
        lambda ctx, grad: ([grad * 2, None], None, None),
        setup_context=lambda ctx, inputs, output: seen.append(ctx.needs_input_grad),
    )
    x = fj.ones(2, requires_grad=True)
    first_of([x, fj.ones(2)], None, 2).sum().backward()
    assert seen == [([True, False], False, False)]
    assert x.grad.tolist() == [2, 2]


def test_without_a_formula_backward_says_so():
    @custom_op("test_custom::opaque", mutates_args=())
    def opaque(x: Tensor) -> Tensor:
        return x * 2

    y = opaque(fj.ones(2, requires_grad=True))
    assert y.requires_grad
    with pytest.raises(RuntimeError, match="Trying to backward through test_custom::opaque but no autograd formula was registered"):
        y.sum().backward()


def test_gradients_of_another_number_than_arguments():
    @custom_op("test_custom::two_args", mutates_args=())
    def two_args(x: Tensor, n: int) -> Tensor:
        return x * n

    two_args.register_autograd(lambda ctx, grad: grad)
    with pytest.raises(RuntimeError, match="test_custom::two_args returned 1 gradients, expected 2"):
        two_args(fj.ones(2, requires_grad=True), 2).sum().backward()


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compiled_it_is_one_node_of_one_graph(backend):
    def f(x):
        return (sine(x * 2) + 1).sum()

    compiled = fj.compile(f, backend=backend, fullgraph=True)
    x = fj.randn(3, 4, requires_grad=True)
    compiled(x).backward()
    got, x.grad = x.grad, None
    f(x).backward()
    assert fj.allclose(compiled(x), f(x)) and fj.allclose(got, x.grad)
    (graph,) = fj.compiler.explain(f)(x).graphs
    assert str(graph).count("test_custom::sine") == 1


def test_compiled_with_symbolic_sizes():
    compiled = fj.compile(lambda x, n: repeat_rows(x, n, scale=2.0) * 2, fullgraph=True, dynamic=True)
    for rows in (2, 3, 5):
        x = fj.randn(rows, 2, requires_grad=True)
        result = compiled(x, rows + 1)
        assert fj.allclose(result, fj.cat([x * 4] * (rows + 1)))
        result.sum().backward()
        assert fj.allclose(x.grad, fj.full((rows, 2), 4.0 * (rows + 1)))
    assert fj.compiler.stats(compiled).compilations <= 2


def test_compiled_lists_and_several_results():
    def f(x, y):
        total, square = fj.ops.test_custom.weighted_sum([x, y], [1.0, 2.0])
        return total.sum() + square.sum()

    x, y = (fj.randn(3, requires_grad=True) for _ in range(2))
    fj.compile(f, fullgraph=True)(x, y).backward()
    total = x + 2 * y
    assert fj.allclose(x.grad, 1 + 2 * total) and fj.allclose(y.grad, 2 * (1 + 2 * total))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_backward_that_writes_in_place(backend):
    @custom_op("test_custom::clipped", mutates_args=())
    def clipped(x: Tensor) -> Tensor:
        return x.clamp(min=0)

    clipped.register_fake(fj.empty_like)

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        result = grad.clone()
        result[x < 0] = 0
        result.view(-1).mul_(ctx.factor)
        grad.mul_(5)
        return result + grad

    def setup(ctx, inputs, output):
        ctx.factor = 2
        ctx.save_for_backward(*inputs)

    clipped.register_autograd(backward, setup_context=setup)

    def f(x):
        return (clipped(x * 3) * 2).sum()

    gradients = []
    for function in (f, fj.compile(f, backend=backend, dynamic=True)):
        x = fj.tensor([-1.0, 2.0, -3.0, 4.0], requires_grad=True)
        function(x).backward()
        gradients.append(x.grad.tolist())
    assert gradients[0] == gradients[1] == [30, 42, 30, 42]


def test_without_a_fake_the_graph_breaks_before_it():
    @custom_op("test_custom::no_fake", mutates_args=())
    def no_fake(x: Tensor) -> Tensor:
        return x + 1

    def f(x):
        return no_fake(x * 2) * 3

    assert fj.compile(f)(fj.ones(2)).tolist() == [9, 9]
    with pytest.raises(fj.compiler.GraphBreakError, match="test_custom::no_fake: there is no fake implementation"):
        fj.compile(f, fullgraph=True)(fj.ones(2))


def test_shapes_that_depend_on_data_are_made_between_graphs():
    @custom_op("test_custom::positive", mutates_args=())
    def positive(x: Tensor) -> Tensor:
        return x[x > 0]

    @fj.library.impl_abstract("test_custom::positive")
    def _(x):
        return x.new_empty((fj.library.get_ctx().new_dynamic_size(),))

    def f(x):
        return positive(x * 2) + 1

    assert fj.compile(f)(fj.tensor([1.0, -1.0])).tolist() == [3]
    with pytest.raises(fj.compiler.GraphBreakError, match="result shapes depend on data"):
        fj.compile(f, fullgraph=True)(fj.ones(2))


@pytest.mark.parametrize("draws", [False, True])
def test_calls_of_ops_that_draw_are_not_merged(draws):
    calls = []

    @custom_op(f"test_custom::noisy{draws}", mutates_args=(), tags=(fj.Tag.nondeterministic_seeded,) if draws else ())
    def noisy(x: Tensor) -> Tensor:
        calls.append(1)
        return x + fj.rand(3)

    noisy.register_fake(fj.empty_like)
    difference = fj.compile(lambda x: noisy(x) - noisy(x), fullgraph=True)(fj.ones(3))
    assert len(calls) == (2 if draws else 1)
    assert bool((difference != 0).any().item()) is draws


def test_writing_ops():
    out = fj.zeros(2)
    version = out._version
    add_into(out, fj.ones(2), 3)
    assert out.tolist() == [3, 3] and out._version > version

    @fj.compile(fullgraph=True)
    def f(out, x):
        mine = x * 1
        add_into(mine, x)
        add_into(out, mine, 2)
        return mine + out

    out = fj.zeros(2)
    assert f(out, fj.ones(2)).tolist() == [6, 6]
    assert out.tolist() == [4, 4]
    with pytest.raises(RuntimeError, match="'out' is written to and requires grad"):
        add_into(fj.zeros(2, requires_grad=True), fj.ones(2))
    with pytest.raises(RuntimeError, match="Cannot register autograd formula for non-functional operator"):
        add_into.register_autograd(lambda ctx: None)


def test_a_number_as_result_ends_the_trace():
    @custom_op("test_custom::count", mutates_args=())
    def count(x: Tensor) -> int:
        return int((x > 0).sum().item())

    assert count(fj.tensor([1.0, -1.0, 2.0])) == 2
    assert fj.compile(lambda x: x * count(x))(fj.ones(3)).tolist() == [3, 3, 3]


def test_exceptions_of_the_kernel_arrive_as_they_are():
    class Unusual(Exception):
        pass

    calls = []

    @custom_op("test_custom::picky", mutates_args=())
    def picky(x: Tensor) -> Tensor:
        calls.append(1)
        if x[0].item() < 0:
            raise Unusual("negative")
        return x.clone()

    picky.register_fake(fj.empty_like)
    for function in (picky, fj.compile(lambda x: picky(x) * 2)):
        calls.clear()
        with pytest.raises(Unusual, match="negative"):
            function(-fj.ones(2))
        assert len(calls) == 1


def test_results_must_be_what_the_schema_says():
    @custom_op("test_custom::wrong", mutates_args=())
    def wrong(x: Tensor, how: str) -> Tensor:
        return {"alias": x, "view": x[1:], "none": None, "two": (x + 1, x + 2)}[how]

    for how in ("alias", "view"):
        with pytest.raises(RuntimeError, match="one of its inputs or shares memory with one"):
            wrong(fj.ones(3), how)
    with pytest.raises(TypeError, match="the implementation returned NoneType, its schema says Tensor"):
        wrong(fj.ones(3), "none")
    with pytest.raises(RuntimeError, match="returned 2 values, its schema says 1 tensors"):
        wrong(fj.ones(3), "two")


def test_a_fake_that_is_wrong_is_found_out():
    @custom_op("test_custom::liar", mutates_args=())
    def liar(x: Tensor) -> Tensor:
        return x.t().clone(memory_format=fj.contiguous_format) if x.shape[0] == 2 else (x.t() * 1.0).t()

    liar.register_fake(lambda x: x.new_empty((x.shape[0], x.shape[1])))
    with pytest.raises(RuntimeError, match=r"kernel returned a float32 tensor of shape \[3, 2\], the fake"):
        fj.compile(lambda x: liar(x) + 1)(fj.ones(2, 3))
    transposed = fj.arange(12.0).reshape(4, 3)  # strides other than promised are put right
    assert fj.equal(fj.compile(lambda x: liar(x) + 1)(transposed), transposed + 1)
    with pytest.raises(fj.library.OpCheckError, match="of shape"):
        opcheck(liar, (fj.ones(2, 3),), test_utils="test_faketensor")


def test_opcheck():
    success = dict.fromkeys(
        ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"), "SUCCESS"
    )
    assert opcheck(sine, (fj.randn(3, requires_grad=True),)) == success
    assert opcheck(fj.ops.test_custom.repeat_rows.default, (fj.randn(3, 2, requires_grad=True), 2), {"scale": 2.0}) == success
    assert opcheck(weighted_sum, ([fj.randn(3), fj.randn(3)], [1.0, 2.0])) == success
    assert opcheck(add_into, (fj.zeros(3), fj.ones(3))) == success

    @custom_op("test_custom::secret_write", mutates_args=())
    def secret_write(x: Tensor) -> Tensor:
        x.add_(1)
        return x * 2

    with pytest.raises(fj.library.OpCheckError, match="Argument 0 is not defined as mutable but was mutated"):
        opcheck(secret_write, (fj.ones(2),))
    outcome = opcheck(secret_write, (fj.ones(2),), raise_exception=False)
    assert isinstance(outcome["test_schema"], fj.library.OpCheckError)
    assert isinstance(outcome["test_faketensor"], NotImplementedError)
    with pytest.raises(ValueError, match="invalid test_util"):
        opcheck(sine, (fj.ones(2),), test_utils="test_other")


def test_kernels_by_device_and_kernels_that_are_switched_off():
    @custom_op("test_custom::by_device", mutates_args=(), device_types="cuda")
    def by_device(x: Tensor) -> Tensor:
        return x.clone()

    with pytest.raises(
        NotImplementedError,
        match="Could not run 'test_custom::by_device' on device 'cpu' with arguments of dtype float32: it has no kernel "
        "for that device. There are kernels for: cuda",
    ):
        by_device(fj.ones(1))

    @by_device.register_kernel("cpu")
    def _(x):
        return x * 5

    assert by_device(fj.ones(1)).item() == 5
    with by_device.set_kernel_enabled("cpu", False):
        assert by_device(fj.ones(1)).item() == 1
    assert by_device(fj.ones(1)).item() == 5


def test_autocast():
    @custom_op("test_custom::which_dtype", mutates_args=())
    def which_dtype(x: Tensor) -> Tensor:
        return x * 1

    which_dtype.register_autocast("cpu", fj.bfloat16)
    with fj.autocast("cpu", dtype=fj.bfloat16):
        assert which_dtype(fj.ones(2)).dtype == fj.bfloat16
        assert which_dtype(fj.ones(2, dtype=fj.int64)).dtype == fj.int64
    assert which_dtype(fj.ones(2)).dtype == fj.float32


def test_defining_it_again_replaces_it():
    for factor in (2, 3):

        @custom_op("test_custom::again", mutates_args=())
        def again(x: Tensor) -> Tensor:
            return x * factor

        assert fj.ops.test_custom.again(fj.ones(1)).item() == factor


def test_from_threads():
    results = []

    def work():
        x = fj.randn(50, requires_grad=True)
        for _ in range(20):
            sine(x).sum().backward()
        results.append(fj.allclose(x.grad, 20 * x.cos(), rtol=1e-3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


# --- schemas of functions -----------------------------------------------------------------------------------------------


def test_schemas_are_those_of_torch():
    torch = pytest.importorskip("torch")

    def functions(t, dtype, device):
        def plain(x: t, n: int, f: float = 0.5, flag: bool = True, name: str = "a") -> t: ...
        def optional(x: Optional[t], n: Optional[int] = None, f: "float | None" = 1.5) -> t: ...
        def lists(xs: Sequence[t], ns: list[int], fs: Sequence[float]) -> list[t]: ...
        def keyword(x: t, *, kind: dtype, where: Optional[device] = None) -> tuple[t, t]: ...
        def number(x: t, by: "int | float | bool") -> None: ...
        def scalars(x: t) -> int: ...

        number.__annotations__["by"] = int | float | bool
        optional.__annotations__["f"] = Optional[float]
        return plain, optional, lists, keyword, number, scalars

    ours = functions(fj.Tensor, fj.dtype, fj.device)
    theirs = functions(torch.Tensor, torch.dtype, torch.device)
    for mine, other in zip(ours, theirs, strict=True):
        assert infer_schema(mine, mutates_args=()) == torch.library.infer_schema(other, mutates_args=())
    for mutates in ({"x"}, "unknown"):
        mine, other = infer_schema(ours[0], mutates_args=mutates), torch.library.infer_schema(theirs[0], mutates_args=mutates)
        assert mine == other
    assert infer_schema(ours[0], mutates_args=(), op_name="foo").startswith("foo(Tensor x")


def test_functions_without_a_schema():
    def untyped(x) -> Tensor: ...
    def variadic(*xs: Tensor) -> Tensor: ...
    def strange(x: dict) -> Tensor: ...
    def no_result(x: Tensor): ...
    def bad_default(x: Tensor, n: int = ...) -> Tensor: ...

    for function, text in (
        (untyped, "Parameter x must have a type annotation"),
        (variadic, "We do not support positional-only args, varargs, or varkwargs"),
        (strange, "Parameter x has unsupported type"),
        (no_result, "No return type annotation was provided"),
        (bad_default, "unsupported default value type"),
    ):
        with pytest.raises(ValueError, match=text):
            infer_schema(function, mutates_args=())

    def typed(x: Tensor, n: int) -> Tensor: ...

    with pytest.raises(ValueError, match="only Tensors or collections of Tensors can be mutated"):
        infer_schema(typed, mutates_args={"n"})
    with pytest.raises(ValueError, match="should contain the names of arguments, got"):
        infer_schema(typed, mutates_args={"y"})
    with pytest.raises(ValueError, match="'namespace::name'"):
        custom_op("nameless", mutates_args=())(typed)
    with pytest.raises(ValueError, match="different from what was provided to us in `mutates_args`"):
        custom_op("test_custom::bad", mutates_args=(), schema="(Tensor(a!) x) -> ()")(typed)
