"""Checkpoints: the same gradients, computed again; model_zoo: downloads are kept and checked; compatibility names."""

import hashlib
import pathlib

import pytest

import framejit as fj
from framejit import nn
from framejit.utils import model_zoo
from framejit.utils.checkpoint import checkpoint, checkpoint_sequential


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
    assert calls == [True, False, True]


def test_checkpoint_of_an_input_without_gradient():
    linear = nn.Linear(2, 2)
    checkpoint(linear, fj.ones(1, 2)).sum().backward()
    assert linear.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    with fj.no_grad():
        assert not checkpoint(linear, fj.ones(1, 2)).requires_grad


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
