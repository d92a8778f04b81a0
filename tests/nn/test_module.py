"""``nn.Module``: attributes, traversal, state, hooks, errors."""

import copy
import pickle

import pytest

import framejit as fj
from framejit import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.blocks = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
        self.scale = nn.Parameter(fj.ones(4))
        self.register_buffer("count", fj.zeros(1))
        self.register_buffer("cache", fj.zeros(2), persistent=False)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return x * self.scale


NAMES = ["scale", "first.weight", "first.bias", "blocks.0.weight", "blocks.0.bias"]


def test_traversal():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == NAMES
    assert [name for name, _ in net.named_modules()] == ["", "first", "blocks", "blocks.0", "blocks.1"]
    assert [name for name, _ in net.named_buffers()] == ["count", "cache"]
    assert list(net.state_dict()) == ["scale", "count", *NAMES[1:]]
    assert net.get_parameter("blocks.0.bias") is net.blocks[0].bias
    net.again = net.first
    assert len(list(net.parameters())) == 5


def test_attribute_rules():
    net = Net()
    net.scale = None
    assert net.scale is None and "scale" not in dict(net.named_parameters())
    with pytest.raises(TypeError, match="cannot assign 'int' as parameter 'scale'"):
        net.scale = 3
    with pytest.raises(TypeError, match="cannot assign 'str' as child module 'first'"):
        net.first = "x"
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'missing'"):
        net.missing
    with pytest.raises(KeyError, match="already exists"):
        net.register_buffer("forward", None)
    with pytest.raises(KeyError, match="contain"):
        net.register_parameter("a.b", None)
    del net.first
    assert not hasattr(net, "first")

    class Early(nn.Module):
        def __init__(self):
            self.p = nn.Parameter(fj.ones(1))

    with pytest.raises(AttributeError, match="before Module.__init__"):
        Early()


def test_load_state_dict():
    source, target = Net(), Net()
    assert target.load_state_dict(source.state_dict()) == ([], [])
    for a, b in zip(source.parameters(), target.parameters()):
        assert bool((a == b).all()) and a is not b
    state = source.state_dict()
    state["scale"] = fj.ones(5)
    del state["count"]
    state["extra"] = fj.ones(1)
    before = target.first.weight.clone()
    with pytest.raises(RuntimeError) as info:
        target.load_state_dict({k: v * 0 for k, v in state.items()})
    for part in (
        'Unexpected key(s) in state_dict: "extra"',
        'Missing key(s) in state_dict: "count"',
        "size mismatch for scale",
    ):
        assert part in str(info.value)
    assert bool((target.first.weight == before).all()), "nothing changes on an error"
    del state["scale"]
    missing, unexpected = target.load_state_dict(state, strict=False)
    assert (missing, unexpected) == (["scale", "count"], ["extra"])


def test_modes_casts_and_apply():
    net = Net()
    assert not any(m.training for m in net.eval().modules())
    net.double()
    assert {p.dtype for p in net.parameters()} == {fj.float64}
    assert net(fj.ones(2, 3, dtype=fj.float64)).dtype == fj.float64
    net.to(fj.float32)
    seen = []
    net.apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Linear", "Linear", "ReLU", "ModuleList", "Net"]
    net.requires_grad_(False)
    assert not net(fj.ones(2, 3)).requires_grad
    with pytest.raises(TypeError, match="floating point"):
        net.to(fj.int32)


def test_hooks():
    net, log = nn.Linear(2, 2), []
    pre = net.register_forward_pre_hook(lambda m, args: (log.append("pre"), (args[0] * 2,))[1])
    post = net.register_forward_hook(lambda m, args, out: log.append("post"))
    x = fj.ones(1, 2)
    doubled = net(x)
    pre.remove()
    post.remove()
    assert log == ["pre", "post"]
    assert bool((doubled == net(x * 2)).all())


def test_zero_grad_and_repr():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    net(fj.ones(1, 2)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert float(net[0].weight.grad.abs().sum()) == 0
    net.zero_grad()
    assert net[0].weight.grad is None
    assert repr(net) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): ReLU()\n)"
    )


def test_copy_and_pickle():
    net = Net()
    x = fj.ones(2, 3)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert bool((other(x) == net(x)).all())
        assert isinstance(other.scale, nn.Parameter) and other.scale is not net.scale


def test_containers():
    layers = nn.ModuleList([nn.ReLU()])
    layers.append(nn.Tanh())
    layers.insert(0, nn.Sigmoid())
    assert [type(m).__name__ for m in layers] == ["Sigmoid", "ReLU", "Tanh"]
    assert isinstance(layers[-1], nn.Tanh) and len(layers[:2]) == 2
    with pytest.raises(IndexError, match="out of range"):
        layers[3]
    table = nn.ModuleDict({"a": nn.ReLU()})
    table["b"] = nn.Tanh()
    assert list(table) == ["a", "b"] and "a" in table
    weights = nn.ParameterList([fj.ones(1), fj.zeros(2)])
    assert len(list(weights.parameters())) == 2 and isinstance(weights[1], nn.Parameter)


def test_missing_forward():
    with pytest.raises(NotImplementedError, match='missing the required "forward"'):
        nn.Module()(1)


def test_parameters_are_walked_in_graphs_and_out_of_them(recwarn):
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2), nn.Sequential(nn.Dropout(), nn.Conv1d(1, 1, 1)))

    def total(x):
        for parameter in model.parameters():
            x = x + parameter.sum()
        for buffer in model.buffers():
            x = x + buffer.sum()
        return x

    assert fj.equal(fj.compile(total, fullgraph=True)(fj.zeros(1)), total(fj.zeros(1)))

    def names(x):
        print(end="")  # a graph break: the walk runs in the interpreter
        return x + len(list(model.named_parameters())) + len(dict(model.named_buffers()))

    assert fj.compile(names)(fj.zeros(1)).item() == 6 + 3
    assert not [warning for warning in recwarn if "compiled 8 times" in str(warning.message)]
