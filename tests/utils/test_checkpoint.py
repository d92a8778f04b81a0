"""Checkpoints: the same gradients, computed again; model_zoo: downloads are kept and checked; compatibility names."""

import contextlib
import hashlib
import pathlib
import weakref

import pytest

import framejit as fj
from framejit import nn
from framejit.utils import model_zoo
from framejit.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential


def test_checkpoint():
    linear, calls = nn.Linear(3, 3), []

    def block(x, factor):
        calls.append(fj.is_grad_enabled())
        return nn.functional.dropout(linear(x).tanh(), 0.5) * factor

    gradients = []
    for run in (block, lambda *args: checkpoint(block, *args, use_reentrant=False)):
        linear.zero_grad()
        fj.manual_seed(3)
        x = fj.linspace(0, 1, 6).reshape(2, 3).requires_grad_()
        result = run(x, 2.0)
        result.sum().backward()
        gradients.append([result.tolist(), x.grad.tolist(), linear.weight.grad.tolist()])
    assert gradients[0] == gradients[1]
    assert calls == [True, True, True]


def test_checkpoint_of_an_input_without_gradient():
    linear = nn.Linear(2, 2)
    checkpoint(linear, fj.ones(1, 2)).sum().backward()
    assert linear.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    with fj.no_grad():
        assert not checkpoint(linear, fj.ones(1, 2)).requires_grad


def test_gradients_of_a_checkpoint_by_grad():
    """`grad` returns them, also of second order, and also for parameters that are no arguments."""
    weight = fj.tensor([2.0, 3.0], requires_grad=True)
    x = fj.tensor([0.5, 1.0], requires_grad=True)

    def block(x):
        return (x * weight).sin() ** 2

    results = []
    for y in (block(x), checkpoint(block, x)):
        first = fj.autograd.grad(y.sum(), [x, weight], create_graph=True)
        second = fj.autograd.grad(first[0].sum(), [x, weight])
        results.append([g.tolist() for g in (*first, *second)])
    assert results[0] == results[1] and weight.grad is None


def test_nothing_is_kept_and_only_what_is_needed_computed_again():
    runs, kept = [], []

    def block(x):
        runs.append("begun")
        middle = x.exp()
        kept.append(weakref.ref(middle))
        result = middle * middle
        runs.append("ended")
        return result.sum()

    x = fj.ones(3, requires_grad=True)
    y = checkpoint(block, x)
    assert kept[0]() is None
    y.backward(retain_graph=True)
    assert runs == ["begun", "ended", "begun"], "stopped once the product's operands were there"
    y.backward()
    assert x.grad.allclose(4 * fj.ones(3).mul(2).exp())


def test_checkpoint_in_a_checkpoint():
    calls = []

    def inner(x):
        calls.append("inner")
        return x.exp().exp()

    def outer(x):
        calls.append("outer")
        return checkpoint(inner, x.sin()).sin()

    x = fj.tensor([0.3], requires_grad=True)
    expected = fj.autograd.grad(x.sin().exp().exp().sin(), x)[0]
    assert fj.autograd.grad(checkpoint(outer, x), x)[0].equal(expected)
    assert calls[:2] == ["outer", "inner"] and calls.count("outer") == 2


def test_the_second_run_must_save_the_same():
    sizes = iter([2, 3])

    def changing(x):
        return (x * fj.ones(next(sizes))).exp().sum()

    x = fj.ones(1, requires_grad=True)
    with pytest.raises(CheckpointError, match="different metadata"):
        checkpoint(changing, x).backward()
    depth = iter([2, 1])

    def shallower(x):
        for _ in range(next(depth)):
            x = x.exp()
        return x

    with pytest.raises(CheckpointError, match="saved during forward: 2\nNumber.*recomputation: 1"):
        checkpoint(shallower, x).backward()
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        checkpoint(shallower, x, determinism_check="strict")


def test_circumstances_of_the_second_run():
    linear, seen = nn.Linear(2, 2), []

    def block(x):
        y = linear(x)
        seen.append(y.dtype)
        return y.float().exp().sum()

    with fj.autocast("cpu"):
        y = checkpoint(block, fj.ones(1, 2), context_fn=lambda: (contextlib.nullcontext(), noted(seen)))
    y.backward()
    assert seen == [fj.bfloat16, "entered", fj.bfloat16]


@contextlib.contextmanager
def noted(seen):
    seen.append("entered")
    yield


def test_checkpoint_sequential():
    model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(5)])
    x = fj.ones(1, 2, requires_grad=True)
    assert checkpoint_sequential(model, 2, x).tolist() == model(x).tolist()


def test_model_zoo(tmp_path):
    source = tmp_path / "weights.pt"
    fj.save({"w": fj.arange(3.0)}, source)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    named = tmp_path / f"weights-{digest[:8]}.pt"
    named.write_bytes(source.read_bytes())
    folder = tmp_path / "cache"
    for _ in range(2):  # the second time the file is there, and the address is not asked
        state = model_zoo.load_url(named.as_uri(), model_dir=str(folder), check_hash=True)
        assert state["w"].tolist() == [0.0, 1.0, 2.0]
        named.unlink(missing_ok=True)
    wrong = tmp_path / "weights-00000000.pt"
    wrong.write_bytes(source.read_bytes())
    with pytest.raises(RuntimeError, match="invalid hash value"):
        model_zoo.load_url(wrong.as_uri(), model_dir=str(folder), check_hash=True)
    assert [path.name for path in pathlib.Path(folder).iterdir()] == [f"weights-{digest[:8]}.pt"]


def test_distributed_sampler():
    data = list(range(10))
    shares = [list(fj.utils.data.DistributedSampler(data, 3, rank, shuffle=False)) for rank in range(3)]
    assert shares == [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]]
    sampler = fj.utils.data.DistributedSampler(data, 2, 0, drop_last=True)
    first = list(sampler)
    assert first == list(sampler) and len(first) == len(sampler) == 5
    sampler.set_epoch(1)
    assert first != list(sampler)


def test_names_of_what_is_absent():
    assert not fj.cuda.is_available() and not fj.distributed.is_initialized()
    for absent in (fj.cuda.Stream, fj.cuda.comm.broadcast, fj.utils.cpp_extension.load):
        with pytest.raises(RuntimeError):
            absent()
    module = nn.Linear(2, 2)
    x = fj.ones(1, 2)
    assert nn.DataParallel(module)(x).tolist() == module(x).tolist()
    with pytest.raises(ValueError, match="process group"):
        nn.parallel.DistributedDataParallel(module)

    @fj.jit.script
    def double(x):
        return x * 2

    assert double(x).tolist() == [[2.0, 2.0]] and not fj.jit.is_scripting()
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm2d(3)))
    assert isinstance(converted[0], nn.SyncBatchNorm) and converted(fj.ones(1, 3, 2, 2)).shape == (1, 3, 2, 2)
