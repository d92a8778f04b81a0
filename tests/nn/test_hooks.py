"""Hooks of modules, in PyTorch's order and with its arguments."""

import copy
import pickle

import pytest

import framejit as fj
from framejit import nn
from framejit.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
)

torch = pytest.importorskip("torch")


class Scale(nn.Module):
    def forward(self, x, factor=1.0):
        return x * factor


def test_forward_hooks():
    module, log = Scale(), []
    handles = [
        module.register_forward_pre_hook(lambda m, args: log.append("pre")),
        module.register_forward_pre_hook(lambda m, args, kwargs: (args, {"factor": kwargs["factor"] * 2}), with_kwargs=True),
        module.register_forward_pre_hook(lambda m, args: (log.append("first"), args[0] + 1)[1], prepend=True),
        module.register_forward_hook(lambda m, args, out: log.append("post")),
        module.register_forward_hook(lambda m, args, kwargs, out: out + kwargs["factor"], with_kwargs=True),
    ]
    assert module(fj.tensor([1.0]), factor=3.0).tolist() == [2.0 * 6 + 6]
    assert log == ["first", "pre", "post"]
    for handle in handles:
        handle.remove()
    assert module(fj.tensor([1.0]), factor=3.0).tolist() == [3.0]
    with module.register_forward_hook(lambda m, args, out: out * 10):
        assert module(fj.tensor([1.0])).tolist() == [10.0]
    assert module(fj.tensor([1.0])).tolist() == [1.0]
    with pytest.raises(TypeError, match="expected a callable"):
        module.register_forward_hook(3)


def test_hook_that_is_always_called():
    module, seen = Scale(), []
    module.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)
    with pytest.raises(TypeError):
        module(None)
    assert seen == [None]
    module(fj.ones(1))
    assert len(seen) == 2


def run_backward_hooks(library):
    """What the hooks of a small network see, as nested lists, and the gradients that come out."""
    lin = library.nn.Linear(2, 2)
    with library.no_grad():
        lin.weight.copy_(library.tensor([[1.0, 2.0], [3.0, 4.0]]))
    log = []

    def note(name, *grads):
        log.append((name, [[g if g is None else g.tolist() for g in group] for group in grads]))

    def replace(module, grad_input, grad_output):
        note("replace", grad_input, grad_output)
        return (grad_input[0] * 10,)

    lin.register_full_backward_pre_hook(lambda m, grad_output: note("pre", grad_output))
    lin.register_full_backward_pre_hook(lambda m, grad_output: (grad_output[0] * 2,))
    lin.register_full_backward_hook(replace)
    x = library.tensor([[1.0, -1.0]], requires_grad=True)
    (lin(x) * library.tensor([1.0, 3.0])).sum().backward()
    leaf = library.nn.ReLU()
    leaf.register_full_backward_hook(lambda m, gi, go: note("leaf", gi, go))
    first = library.nn.Linear(2, 2, bias=False)
    first.register_full_backward_hook(lambda m, gi, go: note("no input needs grad", gi, go))
    with library.no_grad():
        first.weight.fill_(1.0)
    leaf(first(library.ones(1, 2))).sum().backward()
    return log, x.grad.tolist(), lin.weight.grad.tolist()


def test_backward_hooks():
    assert run_backward_hooks(fj) == run_backward_hooks(torch)


def test_hooks_of_all_modules():
    log = []
    handles = [
        register_module_forward_pre_hook(lambda m, args: log.append(f"pre {type(m).__name__}")),
        register_module_forward_hook(lambda m, args, out: log.append(f"post {type(m).__name__}")),
        register_module_full_backward_hook(lambda m, gi, go: log.append(f"backward {type(m).__name__}")),
    ]
    try:
        nn.Sequential(nn.Linear(1, 1), nn.ReLU())(fj.ones(1, 1)).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    assert log[:6] == ["pre Sequential", "pre Linear", "post Linear", "pre ReLU", "post ReLU", "post Sequential"]
    assert sorted(log[6:]) == ["backward Linear", "backward ReLU", "backward Sequential"]
    nn.ReLU()(fj.ones(1))
    assert len(log) == 9


def test_state_dict_hooks():
    module, log = nn.Linear(1, 1), []
    module.register_state_dict_pre_hook(lambda m, prefix, keep_vars: log.append(("pre", prefix)))
    module.register_state_dict_post_hook(lambda m, state, prefix, metadata: state.__setitem__(f"{prefix}more", fj.ones(1)))

    def before_loading(m, state, prefix, metadata, strict, missing, unexpected, errors):
        log.append(("load", prefix, m is module))
        state.pop(f"{prefix}more")

    module.register_load_state_dict_pre_hook(before_loading)
    module.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    outer = nn.Sequential(module)
    state = outer.state_dict()
    assert list(state) == ["0.weight", "0.bias", "0.more"]
    assert state._metadata[""] == {"version": 1}
    del state["0.bias"]
    assert str(outer.load_state_dict(state)) == "<All keys matched successfully>"
    assert log == [("pre", "0."), ("load", "0.", True)]


def test_extra_state():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.count = 0

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    source, target = nn.Sequential(Counter()), nn.Sequential(Counter())
    source[0].count = 7
    target.load_state_dict(source.state_dict())
    assert target[0].count == 7
    with pytest.raises(RuntimeError, match='Missing key\\(s\\) in state_dict: "0._extra_state". '):
        target.load_state_dict({})


def test_assign_keeps_the_tensors_given():
    module = nn.Linear(2, 2).requires_grad_(False)
    state = nn.Linear(2, 2).double().state_dict()
    module.load_state_dict(state, assign=True)
    assert module.weight.dtype == fj.float64 and not module.weight.requires_grad
    assert module.weight.data_ptr() == state["weight"].data_ptr()


def test_buffers():
    module = nn.Module()
    module.kept = nn.Buffer(fj.ones(1))
    module.dropped = nn.Buffer(fj.ones(1), persistent=False)
    assert [name for name, _ in module.named_buffers()] == ["kept", "dropped"]
    assert list(module.state_dict()) == ["kept"]
    module.kept = fj.zeros(1)
    assert float(module.state_dict()["kept"]) == 0.0
    with pytest.raises(TypeError, match="cannot assign 'int' as buffer 'kept'"):
        module.kept = 3


def test_copies_and_pickles_have_hooks_of_their_own():
    module = nn.Linear(1, 1)
    module.register_forward_hook(_double)
    for twin in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        twin._forward_hooks.clear()
        assert len(module._forward_hooks) == 1
        assert module(fj.ones(1, 1)).tolist() == (twin(fj.ones(1, 1)) * 2).tolist()


def _double(module, args, output):
    return output * 2
