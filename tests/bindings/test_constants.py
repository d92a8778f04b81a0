"""dtype, device, Generator, finfo, iinfo and global settings."""

import copy
import pickle

import numpy as np
import pytest

import framejit as fj

from .support import needs_torch, torch_module


def test_dtypes():
    assert repr(fj.float32) == "framejit.float32"
    assert fj.float is fj.float32 and fj.long is fj.int64 and fj.double is fj.float64 and fj.int is fj.int32
    assert fj.float64.itemsize == 8 and fj.bool.itemsize == 1
    assert fj.float32.is_floating_point and not fj.int64.is_floating_point
    assert fj.int32.is_signed and not fj.uint8.is_signed and not fj.float32.is_complex
    assert pickle.loads(pickle.dumps(fj.int32)) is fj.int32 and copy.deepcopy(fj.bool) is fj.bool
    assert isinstance(fj.float32, fj.dtype)
    assert len({fj.float32, fj.ones(1).dtype}) == 1
    with pytest.raises(TypeError):
        fj.dtype()


def test_devices():
    assert repr(fj.device("cpu")) == "device(type='cpu')"
    assert repr(fj.device("cuda:1")) == "device(type='cuda', index=1)" and str(fj.device("cuda:1")) == "cuda:1"
    assert fj.device("cuda", 1) == fj.device("cuda:1") != fj.device("cuda:0")
    assert fj.device("cpu") == fj.ones(1).device and fj.device("cpu").index is None
    assert hash(fj.device("cpu")) == hash(fj.ones(1).device)
    assert fj.device(fj.device("cpu")).type == "cpu"
    assert pickle.loads(pickle.dumps(fj.device("cuda:1"))) == fj.device("cuda:1")
    assert (fj.device("cpu") == "cpu") is False
    with pytest.raises(RuntimeError, match="got 'foo', expected one of cpu, cuda, meta"):
        fj.device("foo")
    with pytest.raises(RuntimeError, match="invalid index in 'cuda:x'"):
        fj.device("cuda:x")
    with pytest.raises(TypeError, match="must be str or device, not float"):
        fj.device(1.5)


def test_generators():
    fj.manual_seed(7)
    first = fj.rand(3).tolist()
    fj.manual_seed(7)
    assert fj.rand(3).tolist() == first
    assert fj.initial_seed() == 7
    state = fj.get_rng_state()
    second = fj.rand(3).tolist()
    fj.set_rng_state(state)
    assert fj.rand(3).tolist() == second != first
    own = fj.Generator()
    assert own.manual_seed(7) is own
    assert fj.rand(3, generator=own).tolist() == first
    assert fj.Generator().manual_seed(-1).initial_seed() == 2**64 - 1
    assert own.device == fj.device("cpu")
    with pytest.raises(TypeError):
        own.manual_seed("a")
    with pytest.raises(TypeError, match="get_state"):
        own.set_state(fj.ones(3))
    assert fj.seed() == fj.initial_seed()


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_finfo(name):
    ours, numpy = fj.finfo(getattr(fj, name)), np.finfo(name)
    for field in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution"):
        assert getattr(ours, field) == pytest.approx(getattr(numpy, field), rel=1e-12), field
    with pytest.raises(TypeError, match="floating point"):
        fj.finfo(fj.int32)


@pytest.mark.parametrize("name", ["uint8", "int32", "int64"])
def test_iinfo(name):
    ours, numpy = fj.iinfo(getattr(fj, name)), np.iinfo(name)
    assert (ours.bits, ours.min, ours.max) == (numpy.bits, numpy.min, numpy.max)
    with pytest.raises(TypeError, match="integer"):
        fj.iinfo(fj.float32)


@needs_torch
def test_finfo_prints_as_pytorch_does():
    torch = torch_module()
    assert repr(fj.finfo(fj.float32)) == repr(torch.finfo(torch.float32))


def test_default_dtype():
    assert fj.get_default_dtype() is fj.float32
    fj.set_default_dtype(fj.float64)
    try:
        assert fj.tensor(1.0).dtype == fj.float64 and fj.ones(1).dtype == fj.float64
        assert fj.zeros(1, dtype=float).dtype == fj.float64
    finally:
        fj.set_default_dtype(fj.float32)
    with pytest.raises(TypeError, match="floating-point"):
        fj.set_default_dtype(fj.int64)


def test_promote_types():
    assert fj.promote_types(fj.int32, fj.float32) == fj.float32
    assert fj.promote_types(fj.uint8, fj.bool) == fj.uint8


def test_op_table():
    rows = {row["full_name"]: row for row in fj._C.op_table()}
    add = rows["add"]
    assert add["kind"] == "pointwise" and add["schema"].startswith("add(Tensor self, Tensor other")
    assert add["differentiable"] == ["self", "other"] and add["doc"]
    assert rows["add_"]["functional"] == "add" and rows["add_"]["kind"] == "inplace"
    for row in rows.values():
        name, module = row["name"], row["module"]
        if row["is_function"] and row["kind"] != "out":
            holder = getattr(fj._C, module.replace(".", "_") or "ops")
            assert callable(getattr(holder, name.removeprefix(f"{module}_") if module else name)), row["full_name"]
        if row["is_method"]:
            assert callable(getattr(fj.Tensor, name)), row["full_name"]
        for alias in row["aliases"]:
            assert hasattr(fj.Tensor, alias) or hasattr(getattr(fj._C, module.replace(".", "_") or "ops"), alias), alias


def test_threads():
    count = fj.get_num_threads()
    try:
        fj.set_num_threads(1)
        assert fj.get_num_threads() == 1
        assert fj.ones(100_000).exp().sum().item() == pytest.approx(100_000 * fj.e, rel=1e-5)
    finally:
        fj.set_num_threads(count)
    with pytest.raises(RuntimeError, match="positive int"):
        fj.set_num_threads(0)
    with pytest.raises(TypeError, match="expects an int"):
        fj.set_num_threads("a")
