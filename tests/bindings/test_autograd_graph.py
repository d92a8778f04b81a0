"""Nodes and edges of the backward graph, hooks on them, saved tensors, anomaly detection, functional: against PyTorch."""

import gc
import threading
import time
import warnings
import weakref

import pytest

import framejit as fj
from framejit.autograd import functional, graph


def leaf(*values):
    return fj.tensor(list(values), dtype=fj.float64, requires_grad=True)


class Note:
    """An object that a hook or function keeps; tests look whether it has died."""


# --- nodes ------------------------------------------------------------------------------------------------------------


def test_nodes():
    x = leaf(1.0, 2.0)
    y = (x * x).exp()
    node = y.grad_fn
    assert node is y.grad_fn and isinstance(node, graph.Node)
    assert type(node).__name__ == node.name() == "ExpBackward0"
    node.metadata["note"] = 3
    assert y.grad_fn.metadata == {"note": 3}
    assert node._saved_result.tolist() == y.tolist()
    assert node.next_functions[0][0]._saved_self.tolist() == x.tolist()
    with pytest.raises(AttributeError, match="_saved_other"):
        node._saved_other  # noqa: B018
    assert y.grad_fn.next_functions[0][0].next_functions[0][0].variable is x


def test_node_hooks():
    x = leaf(1.0, 2.0)
    y = x * 3
    seen = []

    def before(grad_outputs):
        seen.append(("before", [g.tolist() for g in grad_outputs]))
        return (grad_outputs[0] * 10,)

    def after(grad_inputs, grad_outputs):
        seen.append(
            ("after", [g if g is None else g.tolist() for g in grad_inputs], grad_outputs[0].tolist())
        )
        return tuple(g if g is None else g + 1 for g in grad_inputs)

    handles = y.grad_fn.register_prehook(before), y.grad_fn.register_hook(after)
    y.sum().backward(retain_graph=True)
    assert [name for name, *_ in seen] == ["before", "after"]
    assert seen[0][1] == [[1, 1]] and seen[1][1][0] == [30, 30] and seen[1][2] == [10, 10]
    assert x.grad.tolist() == [31, 31]
    for handle in handles:
        handle.remove()
    x.grad = None
    y.sum().backward()
    assert x.grad.tolist() == [3, 3] and len(seen) == 2


def test_hooks_of_a_leafs_node():
    x = leaf(1.0)
    node = x.view_as(x).grad_fn.next_functions[0][0]
    seen = []
    node.register_hook(lambda *_: seen.append(x.grad.tolist()))
    (x * 2).sum().backward()
    assert seen == [[2]]


def test_gradient_edges():
    x = leaf(1.0, 2.0)
    y = x * x
    edge = graph.get_gradient_edge(y)
    z = y.sum()
    del y
    assert fj.autograd.grad(z, edge, retain_graph=True)[0].tolist() == [1, 1]
    assert fj.autograd.grad(edge, x, grad_outputs=fj.ones(2, dtype=fj.float64), retain_graph=True)[
        0
    ].tolist() == [2, 4]
    fj.autograd.backward(z, inputs=[graph.get_gradient_edge(x)])
    assert x.grad.tolist() == [2, 4]
    with pytest.raises(RuntimeError, match="does not require gradients"):
        graph.get_gradient_edge(fj.ones(1))


def test_batched_gradients():
    x = leaf(1.0, 2.0)
    y = x * x
    (rows,) = fj.autograd.grad(y, x, fj.eye(2, dtype=fj.float64), is_grads_batched=True)
    assert rows.tolist() == [[2, 0], [0, 4]]


def test_multi_grad_hooks():
    x, y, unused = leaf(1.0), leaf(2.0), leaf(3.0)
    seen, first = [], []
    with graph.register_multi_grad_hook(
        (x, y, unused), lambda gs: seen.append([g if g is None else g.item() for g in gs])
    ):
        handle = graph.register_multi_grad_hook((x, y), lambda g: first.append(g.item()), mode="any")
        (x * 2 + y * 3).sum().backward()
        (x * 4).sum().backward()
    handle.remove()
    (x * 2 + y * 3).sum().backward()
    assert seen == [[2, 3, None], [4, None, None]] and len(first) == 2


def test_hooks_may_come_and_go_while_they_run():
    x = leaf(1.0)
    seen = []

    def hook(grad):
        seen.append(len(seen))
        handle.remove()
        x.register_hook(lambda g: seen.append("new"))

    handle = x.register_hook(hook)
    (x * 2).sum().backward()
    assert seen == [0]
    (x * 2).sum().backward()
    assert seen == [0, "new"]


# --- lifetime ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x * 2], ids=["leaf", "result"])
def test_a_hook_that_refers_to_its_tensor_is_collected(make):
    tensor, note = make(leaf(1.0)), Note()
    dead = weakref.ref(note)
    tensor.register_hook(lambda grad, note=note, tensor=tensor: None)
    del tensor, note
    gc.collect()
    assert dead() is None


def test_a_function_that_keeps_its_output_is_collected():
    class Keeps(fj.autograd.Function):
        @staticmethod
        def forward(ctx, x, note):
            ctx.note = note
            ctx.output = x * 2
            return ctx.output

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None

    note = Note()
    dead = weakref.ref(note)
    y = Keeps.apply(leaf(1.0), note)
    del note
    gc.collect()
    assert dead() is not None
    del y
    gc.collect()
    assert dead() is None


def test_handles_keep_nothing_alive():
    x = leaf(1.0)
    dead = weakref.ref(x)
    handle = x.register_hook(lambda grad: None)
    del x
    assert dead() is None
    handle.remove()


def test_million_nodes():
    x = leaf(1.0)
    y = x
    for _ in range(1_000_000):
        y = y + 0
    y.backward()
    assert x.grad.tolist() == [1]
    del y


# --- saved tensors ----------------------------------------------------------------------------------------------------


def test_saved_tensors_hooks():
    x = leaf(1.0, 2.0)
    packed, unpacked = [], []

    def pack(tensor):
        packed.append(tensor.tolist())
        return ("packed", tensor.detach() * 1)

    def unpack(pair):
        unpacked.append(pair[0])
        return pair[1]

    with graph.saved_tensors_hooks(pack, unpack):
        y = (x * x).exp()
    (y * y).sum().backward()
    assert packed and set(unpacked) == {"packed"}
    want = [4 * v * fj.e ** (2 * v * v) for v in (1.0, 2.0)]
    assert x.grad.tolist() == pytest.approx(want)
    with graph.save_on_cpu():
        z = (x * x).sum()
    assert fj.autograd.gradgradcheck(lambda t: (t * t).exp(), leaf(0.5, 1.0))
    z.backward()


def test_second_derivatives_through_packed_tensors():
    def f(t):
        with graph.saved_tensors_hooks(lambda s: s.detach().clone(), lambda s: s):
            return (t * t).exp()

    assert fj.autograd.gradgradcheck(f, leaf(0.5, 1.0))


def test_saved_tensors_hooks_errors():
    x = leaf(1.0)
    with graph.disable_saved_tensors_hooks("not here"), pytest.raises(RuntimeError, match="not here"):
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
    with graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = (x * x).sum()
    with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor"):
        y.backward()
    with (
        graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t),
        pytest.raises(RuntimeError, match="in place"),
    ):
        (x * 1).exp()


def test_increment_version():
    x = leaf(1.0)
    y = x * 1
    z = y.sin().sum()
    graph.increment_version(y)
    with pytest.raises(
        RuntimeError, match=r"which is output 0 of MulBackward0, is at version 1; expected version 0"
    ):
        z.backward()


# --- anomaly mode -----------------------------------------------------------------------------------------------------


def the_culprit(x):
    return (x - 2).sqrt()


def test_anomaly_names_the_forward_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with fj.autograd.detect_anomaly():
            y = the_culprit(leaf(1.0)).sum()
            with pytest.raises(
                RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"
            ):
                y.backward()
    text = str(caught[-1].message)
    assert (
        "Error detected in SqrtBackward0" in text
        and "return (x - 2).sqrt()" in text
        and "the_culprit" in text
    )


def test_anomaly_of_a_failing_function():
    class Fails(fj.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("mine")

    def call_it(x):
        return Fails.apply(x)

    with fj.autograd.set_detect_anomaly(True):
        y = call_it(leaf(1.0)).sum()
        with (
            pytest.warns(UserWarning, match=r"FailsBackward(.|\n)*return Fails.apply\(x\)"),
            pytest.raises(ValueError, match="mine"),
        ):
            y.backward()
    with (
        pytest.warns(UserWarning, match="No forward pass information"),
        fj.autograd.set_detect_anomaly(True, check_nan=False),
    ):
        fj.autograd.set_detect_anomaly(False)
        y = Fails.apply(leaf(1.0)).sum()
        fj.autograd.set_detect_anomaly(True)
        with pytest.raises(ValueError):
            y.backward()
    assert not fj.autograd.anomaly_mode.is_anomaly_enabled()


# --- custom functions -------------------------------------------------------------------------------------------------


class Cube(fj.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.note = "kept"
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


def test_function_nodes_show_their_context():
    y = Cube.apply(leaf(2.0))
    assert y.grad_fn.note == "kept" and y.grad_fn.saved_tensors[0].tolist() == [2]
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn.saved_tensors  # noqa: B018
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = Cube()
    with pytest.raises(RuntimeError, match="Legacy autograd function"):
        instance(y)


def test_vjp_in_place_of_backward():
    class Doubles(fj.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vjp(ctx, grad):
            return grad * 2

    x = leaf(1.0)
    Doubles.apply(x).sum().backward()
    assert x.grad.tolist() == [2]


def test_once_differentiable():
    class Once(Cube):
        @staticmethod
        @fj.autograd.function.once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

    x = leaf(2.0)
    Once.apply(x).sum().backward()
    assert x.grad.tolist() == [12]
    seed = fj.ones(1, dtype=fj.float64, requires_grad=True)
    (first,) = fj.autograd.grad(Once.apply(x), x, seed, create_graph=True)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        first.sum().backward()


def test_materialized_gradients():
    seen = []

    class Two(fj.autograd.Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            seen.append((a, b))
            return a, None

    for materialize in (True, False):
        Two.apply(leaf(1.0), materialize)[0].sum().backward()
    assert seen[0][1].tolist() == [0] and seen[1][1] is None


def test_views_of_custom_functions_are_not_written_in_place():
    class View(fj.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

        @staticmethod
        def backward(ctx, grad):
            return grad

    with pytest.raises(RuntimeError, match="view was created inside a custom Function"):
        View.apply(leaf(1.0) * 1).add_(1)


# --- modes ------------------------------------------------------------------------------------------------------------


def test_inference_tensors():
    x = leaf(1.0)
    with fj.inference_mode():
        made = fj.ones(1, dtype=fj.float64)
        view = x.view(1, 1)
        parts = made.split(1)
    assert made.is_inference() and parts[0].is_inference() and not view.is_inference()
    with pytest.raises(RuntimeError, match="cannot be saved for backward"):
        x * made  # noqa: B018
    with pytest.raises(RuntimeError, match="outside InferenceMode"):
        made.add_(1)
    assert (x + made).requires_grad


# --- threads ----------------------------------------------------------------------------------------------------------


def test_threads_run_backward_over_shared_nodes():
    x = leaf(1.0, 2.0)
    shared = (x * x).exp()
    losses = [(shared * i).sum() for i in range(8)]
    calls = []
    shared.register_hook(lambda grad: calls.append(None))

    def run(loss):
        for _ in range(20):
            loss.backward(retain_graph=True)

    threads = [threading.Thread(target=run, args=(loss,)) for loss in losses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 160
    assert x.grad.tolist() == pytest.approx([20 * 28 * 2 * v * fj.e ** (v * v) for v in (1.0, 2.0)])


def test_backward_within_backward():
    class Checkpoint(fj.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            own = ctx.saved_tensors[0].detach().requires_grad_()
            with fj.enable_grad():
                y = own * own
            y.backward(grad)
            return own.grad

    x = leaf(1.0, 2.0)
    Checkpoint.apply(Checkpoint.apply(x)).sum().backward()
    assert x.grad.tolist() == [4, 32]


# --- functional -------------------------------------------------------------------------------------------------------

CASES = [
    ("jacobian", "lambda a, b: (a * b).exp()", 2),
    ("jacobian", "lambda a: (a.sum(), a * a)", 1),
    ("jacobian", "lambda a: (a.reshape(3, 1) * a[:2].exp()).mT * 2", 1),  # lies in memory by columns
    ("hessian", "lambda a, b: (a * a * b).sum()", 2),
    ("hessian", "lambda a: a.sin().prod()", 1),
    ("vjp", "lambda a, b: a.sin() * b", 2),
    ("jvp", "lambda a, b: a.sin() * b", 2),
    ("vhp", "lambda a, b: (a * a * b).sum()", 2),
    ("hvp", "lambda a: (a * a * a).sum()", 1),
]


def flatten(value):
    return [x for part in value for x in flatten(part)] if isinstance(value, tuple) else [value.tolist()]


@pytest.mark.parametrize("name, code, count", CASES)
def test_functional_against_torch(name, code, count):
    torch = pytest.importorskip("torch")
    values = [[0.5, 1.5, -0.3], [2.0, 0.25, 1.0]][:count]
    results = []
    for lib in (fj, torch):
        inputs = tuple(lib.tensor(v, dtype=lib.float64) for v in values)
        vectors = tuple(lib.tensor([0.1, 0.7, -1.0], dtype=lib.float64) * (i + 1) for i in range(count))
        function = eval(code)
        if name == "vjp":
            vectors = vectors[:1]
        extra = () if name in ("jacobian", "hessian") else (vectors if len(vectors) > 1 else vectors[0],)
        out = getattr(lib.autograd.functional, name)(function, inputs if count > 1 else inputs[0], *extra)
        results.append(flatten(out if isinstance(out, tuple) else (out,)))
    for got, want in zip(*results, strict=True):
        assert fj.tensor(got, dtype=fj.float64).view(-1).tolist() == pytest.approx(
            fj.tensor(want, dtype=fj.float64).view(-1).tolist()
        )


def test_functional_results_are_differentiable():
    def norm(x):
        return (functional.jacobian(lambda t: t * t * t, x, create_graph=True) ** 2).sum()

    assert fj.autograd.gradcheck(norm, leaf(0.5, 1.0))


def test_functional_errors():
    x = fj.ones(2)
    with pytest.raises(RuntimeError, match="independent of input 0|does not require gradients"):
        functional.jacobian(lambda t: fj.ones(2), x, strict=True)
    with pytest.raises(RuntimeError, match="single element"):
        functional.hessian(lambda t: t * 2, x)
    with pytest.raises(RuntimeError, match="v has invalid size"):
        functional.vjp(lambda t: t * 2, x, fj.ones(3))
    with pytest.raises(TypeError, match="inputs given to jvp"):
        functional.jvp(lambda t: t, 3)


def test_keyword_arguments_of_functions():
    class Scale(fj.autograd.Function):
        @staticmethod
        def forward(ctx, x, by=2.0, plus=0.0):
            ctx.by = by
            return x * by + plus

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.by

    class Set(fj.autograd.Function):
        @staticmethod
        def forward(x, by=2.0, plus=0.0):
            return x * by + plus

        @staticmethod
        def setup_context(ctx, inputs, output):
            _, ctx.by, ctx.plus = inputs

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.by, None, None

    for function in (Scale, Set):
        x = leaf(1.0)
        y = function.apply(x, by=3.0) if function is Scale else function.apply(x, plus=1.0, by=3.0)
        y.sum().backward()
        assert x.grad.tolist() == [3]
        with pytest.raises(TypeError):
            function.apply(x, unknown=1)


def test_saved_tensors_that_may_be_changed():
    x = leaf(2.0, 3.0)
    with fj.autograd.graph.allow_mutation_on_saved_tensors() as state:
        y = x * 1
        z = (y * y).sum()
        y.sin_()
        (z + y.sum()).backward()
        state.clear()
    assert fj.allclose(x.grad, 2 * x + x.cos())


def test_views_know_their_base():
    x = leaf(1.0, 2.0)
    assert x.view(2)._is_view() and not x._is_view() and not (x * 1)._is_view()


def test_other_threads_run_python_during_backward():
    x = fj.randn(700, 700, requires_grad=True)
    y = x
    for _ in range(6):
        y = y @ x
    loss = (y * 1e-9).sum()
    states = []

    def work():
        states.append("begun")
        loss.backward()
        states.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    while not states:
        time.sleep(0)
    turns = 0
    while len(states) < 2:  # with the GIL held, this would have one turn at most
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 3


@pytest.mark.parametrize(
    "code",
    [
        "F.hvp(lambda x: x.sum(), x, lib.ones(2), strict=True)",
        "F.vhp(lambda x: x.sum(), x, lib.ones(2), strict=True)",
        "F.hessian(lambda x: x.sum(), x, strict=True)",
        "F.hessian(lambda x: x.detach().sum(), x, strict=True)",
        "F.jacobian(lambda x: x * 2, x, strict=True, create_graph=True)",
        "F.jacobian(lambda x, y: (x, x * 2), (x, x), strict=True)",
        "F.vjp(lambda x, y: x * 2, (x, x), lib.ones(2), strict=True)",
        "F.jvp(lambda x: x * 2, x, lib.ones(2), strict=True, create_graph=True)",
        "F.jacobian(lambda x: (x, 3), x)",
        "F.jacobian(lambda x: x, 3)",
    ],
)
def test_functional_refuses_what_torch_refuses(code):
    torch = pytest.importorskip("torch")
    errors = []
    for lib in (fj, torch):
        with pytest.raises((RuntimeError, TypeError)) as info:
            eval(code, {"lib": lib, "F": lib.autograd.functional, "x": lib.tensor([1.0, 2.0])})
        errors.append((info.type, str(info.value)))
    assert errors[0] == errors[1]


def test_writes_through_data_are_no_new_version():
    x = leaf(1.0, 2.0)
    y = x * x
    z = y * y
    version = y._version
    y.data.add_(1)
    y.data[0] = 5
    y.data.view(2).mul_(2)
    assert y._version == version and y.tolist() == [10, 10]
    z.sum().backward()  # reads what has been written, as in PyTorch
    assert x.grad.tolist() == [2 * 10 * 2 * 1, 2 * 10 * 2 * 2]
    held = fj.nn.Parameter(x.data)
    with fj.no_grad():
        before = held._version
        held.add_(1)
    assert held._version > before


def test_a_pass_for_some_inputs_computes_no_other_gradients() -> None:
    a, w, b = (fj.ones(3, requires_grad=True) for _ in range(3))
    product = a * w
    joined = fj.cat([product, b])
    unwanted: list[list[bool]] = []
    for tensor in (product, joined):
        tensor.grad_fn.register_hook(lambda gradients, _: unwanted.append([g is None for g in gradients]))
    fj.autograd.grad(joined.sum(), a, retain_graph=True)
    joined.sum().backward(inputs=[w], retain_graph=True)
    joined.sum().backward()
    assert unwanted == [[False, False], [False, True], [False, False], [True, False], [False, False], [False, False]]
    assert a.grad.tolist() == b.grad.tolist() == [1, 1, 1]
    assert w.grad.tolist() == [2, 2, 2]
