"""framejit.fx: graphs walked, edited, printed and run from Python."""

from __future__ import annotations

import gc
import operator
import weakref

import numpy as np
import pytest

import framejit as fj
from framejit import fx


def traced(function, *examples):
    return fx.symbolic_trace(function, examples)


@pytest.fixture
def x():
    return fj.tensor([[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]])


def test_nodes_show_the_calls(x):
    gm = traced(lambda a, b: fj.relu(a + b).sum(dim=1, keepdim=True), x, x)
    nodes = gm.graph.nodes
    assert [n.op for n in nodes] == [
        "placeholder",
        "placeholder",
        "call_function",
        "call_function",
        "call_function",
        "output",
    ]
    a, b, add, relu, total, output = nodes
    assert add.target is fj.add and add.args == (a, b) and add.kwargs == {}
    assert relu.target is fj.relu and relu.args == (add,)
    assert total.args[0] is relu and list(total.args[1]) == [1] and total.args[2] is True
    assert output.args == (total,)
    assert list(add.users) == [relu] and relu.all_input_nodes == [add]
    assert add.next is relu and relu.prev is add and output.next is None
    assert add.meta["tensor_meta"].shape == (2, 3) and add.meta["tensor_meta"].dtype is fj.float32
    np.testing.assert_array_equal(gm(x, x).numpy(), np.maximum(x.numpy() * 2, 0).sum(1, keepdims=True))


def test_a_node_is_one_object(x):
    graph = traced(lambda a: a.sin(), x).graph
    assert graph.nodes[1] is graph.nodes[1]
    node = graph.nodes[1]
    node.meta["mine"] = 3
    assert graph.nodes[1].meta["mine"] == 3


def test_code_is_python_that_computes_the_same(x):
    gm = traced(lambda a, b: (a * 2.5 - b, a.sort(dim=1)[0]), x, x)
    assert gm.code == (
        "def forward(self, arg0, arg1):\n"
        "    mul = framejit.mul(arg0, 2.5)\n"
        "    sub = framejit.sub(mul, arg1)\n"
        "    sort = framejit.sort(arg0, 1)\n"
        "    return (sub, sort[0])\n"
    )
    scope = {"framejit": fj}
    exec(gm.code, scope)
    for got, want in zip(scope["forward"](None, x, x), gm(x, x), strict=True):
        np.testing.assert_array_equal(got.numpy(), want.numpy())


def test_print_readable_names_shapes(x, capsys):
    text = traced(lambda a: a.exp().sum(), x).print_readable()
    assert capsys.readouterr().out.strip() == text.strip()
    assert 'exp: "float32[2, 3]" = framejit.exp(arg0)' in text
    assert 'sum: "float32[]" = framejit.sum(exp)' in text


def test_replace_a_call(x):
    gm = traced(lambda a: fj.tanh(a) + 1, x)
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target is fj.tanh:
            with gm.graph.inserting_before(node):
                relu = gm.graph.call_function(fj.relu, (node.args[0],))
            node.replace_all_uses_with(relu)
            gm.graph.erase_node(node)
    gm.recompile()
    np.testing.assert_array_equal(gm(x).numpy(), np.maximum(x.numpy(), 0) + 1)
    assert [n.name for n in gm.graph.nodes] == ["arg0", "relu", "add", "output"]


def test_set_target_args_and_kwargs(x):
    gm = traced(lambda a, b: a + b, x, x)
    add = gm.graph.nodes[2]
    add.target = operator.mul
    assert add.target is fj.mul
    add.args = (add.args[0], 3.0)
    gm.recompile()
    np.testing.assert_array_equal(gm(x, x).numpy(), x.numpy() * 3)
    add.target = fj.add
    add.kwargs = {"alpha": 2}
    gm.recompile()
    np.testing.assert_array_equal(gm(x, x).numpy(), x.numpy() + 6)


def test_recompile_infers_shapes_again(x):
    gm = traced(lambda a: a.sum(dim=0).exp(), x)
    total, exp = gm.graph.nodes[1:3]
    total.args = (total.args[0], 1)
    gm.recompile()
    assert exp.meta["tensor_meta"].shape == (2,)


def test_build_from_nothing(x):
    graph = fx.Graph()
    a = graph.placeholder("a", x)
    b = graph.call_function(fj.nn.functional.gelu, (a,), {"approximate": "tanh"})
    values, indices = graph.call_function(fj.max, (b, 1))
    graph.output((values, indices, a))
    graph.lint()
    gm = fx.GraphModule(None, graph)
    got = gm(x)
    want = fj.max(fj.nn.functional.gelu(x, approximate="tanh"), 1)
    np.testing.assert_array_equal(got[0].numpy(), want[0].numpy())
    np.testing.assert_array_equal(got[1].numpy(), want[1].numpy())
    assert got[2] is x


def test_functions_of_several_ops_become_several_nodes(x):
    graph = fx.Graph()
    a = graph.placeholder("a", x)
    graph.output(graph.call_function(lambda t: (t * 2).sin(), (a,)))
    assert [n.target for n in graph.nodes if n.op == "call_function"] == [fj.mul, fj.sin]


def test_erased_nodes_refuse_use(x):
    gm = traced(lambda a: a.sin().cos(), x)
    sin, cos = gm.graph.nodes[1:3]
    with pytest.raises(RuntimeError, match="Tried to erase Node sin but it still had 1 users in the graph"):
        gm.graph.erase_node(sin)
    cos.replace_all_uses_with(sin)
    gm.graph.erase_node(cos)
    with pytest.raises(RuntimeError, match="has been erased"):
        _ = cos.args
    gm.recompile()
    np.testing.assert_array_equal(gm(x).numpy(), fj.sin(x).numpy())


def test_eliminate_dead_code(x):
    def function(a):
        a.exp()
        return a.sin()

    gm = traced(function, x)
    assert gm.graph.eliminate_dead_code() is True
    assert [n.name for n in gm.graph.nodes] == ["arg0", "sin", "output"]
    assert gm.graph.eliminate_dead_code() is False


def test_errors(x):
    graph = fx.Graph()
    a = graph.placeholder("a", x)
    with pytest.raises(RuntimeError, match="no output node"):
        graph.run(x)
    with pytest.raises(TypeError, match="expected a Tensor or a float"):
        graph.placeholder("b", "text")
    with pytest.raises(RuntimeError):
        graph.call_function(fj.mm, (a, a))
    graph.output(a)
    with pytest.raises(TypeError, match="takes 1 inputs, got 2"):
        graph.run(x, x)
    with pytest.raises(
        TypeError, match="got an object of type str, expected a Node, a Tensor, a number or None"
    ):
        graph.output("text")


def test_autograd_flows_through_a_graph_module(x):
    gm = traced(lambda a: (a * a).sum(), x)
    leaf = x.clone().requires_grad_()
    gm(leaf).backward()
    np.testing.assert_array_equal(leaf.grad.numpy(), 2 * x.numpy())


def test_clone_is_independent(x):
    gm = traced(lambda a: a.sin(), x)
    other = gm.graph.clone()
    gm.graph.nodes[1].target = fj.cos
    assert other.nodes[1].target is fj.sin


def test_graphs_do_not_leak(x):
    gm = traced(lambda a: a.sin(), x)
    node = gm.graph.nodes[1]
    node.meta["big"] = value = type("Value", (), {})()
    alive = weakref.ref(value)
    del gm, node, value
    gc.collect()
    assert alive() is None


class TestBackend:
    """A Python callable as ``backend=``."""

    def test_sees_and_runs_the_graph(self, x):
        seen = []

        def backend(gm, example_inputs):
            seen.append((gm.graph.nodes, [tuple(e.shape) for e in example_inputs]))
            return gm.forward

        compiled = fj.compile(lambda a: fj.relu(a) + 1, backend=backend)
        np.testing.assert_array_equal(compiled(x).numpy(), np.maximum(x.numpy(), 0) + 1)
        compiled(x)
        assert len(seen) == 1
        assert [n.target for n in seen[0][0] if n.op == "call_function"] == [fj.relu, fj.add]
        assert seen[0][1] == [(2, 3)]

    def test_may_change_the_graph(self, x):
        def backend(gm, example_inputs):
            for node in gm.graph.nodes:
                if node.target is fj.relu:
                    node.target = fj.sigmoid
            gm.recompile()
            return gm

        compiled = fj.compile(lambda a: fj.relu(a), backend=backend)
        np.testing.assert_array_equal(compiled(x).numpy(), fj.sigmoid(x).numpy())

    def test_gradients_flow(self, x):
        compiled = fj.compile(lambda a: (a * a).sum(), backend=lambda gm, inputs: gm.forward)
        leaf = x.clone().requires_grad_()
        compiled(leaf).backward()
        np.testing.assert_array_equal(leaf.grad.numpy(), 2 * x.numpy())

    @pytest.mark.parametrize("handled", [False, True])
    def test_what_its_callable_raises_is_raised_once(self, x, handled):
        calls = []

        def backend(gm, example_inputs):
            def run(*inputs):
                calls.append("run")
                raise KeyError("from the backend")

            return run

        def plain(a, log):
            log.append(1)
            return a + 1

        def with_handler(a, log):
            try:
                print("a break, so that the trace of the next line is inside of the handler's reach")
                b = a + 1
                print("another")
                return b
            except KeyError as error:
                return error.args[0]

        compiled = fj.compile(with_handler if handled else plain, backend=backend)
        for count in (1, 2):
            log = []
            if handled:
                assert compiled(x, log) == "from the backend"
            else:
                with pytest.raises(KeyError, match="from the backend"):
                    compiled(x, log)
            assert calls == ["run"] * count
            assert log == []
