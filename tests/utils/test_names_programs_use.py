"""Names of PyTorch beyond tensors and modules that programs import: storages, losses by number, overrides, watch over workers."""

import os
import pickle
import signal
import time

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")


def test_typed_storages():
    x = fj.arange(6.0).reshape(2, 3)
    storage = x[1].storage()
    assert len(storage) == storage.size() == 6 and storage.nbytes() == 24 and storage[4] == 4.0
    storage[4] = 40.0  # the memory of the tensor
    assert x[1, 1] == 40 and storage.data_ptr() == x.data_ptr() and storage[1:3].tolist() == [1.0, 2.0]
    assert isinstance(storage, fj.FloatStorage) and isinstance(storage, fj.Storage) and not isinstance(storage, fj.LongStorage)
    assert fj.is_storage(storage) and fj.is_storage(x.untyped_storage()) and not fj.is_storage(x)
    for library in (fj, torch):
        of_bytes = library.ByteStorage.from_buffer(pickle.dumps("text"))
        assert pickle.loads(bytes(library.ByteTensor(of_bytes).tolist())) == "text"
        made = library.LongStorage([1, 2, 3])
        assert made.tolist() == [1, 2, 3] and made.clone().fill_(7).tolist() == [7, 7, 7] and list(made) == [1, 2, 3]
        assert pickle.loads(pickle.dumps(made)).tolist() == [1, 2, 3] and len(library.FloatStorage(5)) == 5
        assert library.LongStorage(3).copy_(made).tolist() == [1, 2, 3]


PAIR = [np.random.default_rng(i).random((4, 3)).astype(np.float32) for i in range(3)]
SIGNS = np.array([1, -1, 1, -1], np.float32)


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize(
    "call",
    [
        lambda t, x, y, z, s, r: t.kl_div(x, y, r),
        lambda t, x, y, z, s, r: t.kl_div(x, y, r, log_target=True),
        lambda t, x, y, z, s, r: t.hinge_embedding_loss(x[:, 0], s, 0.5, r),
        lambda t, x, y, z, s, r: t.cosine_embedding_loss(x, y, s, 0.1, r),
        lambda t, x, y, z, s, r: t.margin_ranking_loss(x[:, 0], y[:, 0], s, 0.1, r),
        lambda t, x, y, z, s, r: t.triplet_margin_loss(x, y, z, reduction=r),
        lambda t, x, y, z, s, r: t.poisson_nll_loss(x, y, True, True, 1e-8, r),
        lambda t, x, y, z, s, r: t.binary_cross_entropy_with_logits(x, y, reduction=r),
    ],
)
def test_losses_by_number(call, reduction):
    ours, theirs = (call(t, *map(t.tensor, (*PAIR, SIGNS)), reduction) for t in (fj, torch))
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-6)


def test_norms_and_removed_functions():
    for dims in ((0, -1), (1, 0), (2, 1)):
        power, dim = dims
        ours, theirs = (t.norm_except_dim(t.tensor(PAIR[0]), power or 2, dim) for t in (fj, torch))
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5)
    for name in ("symeig", "eig", "lstsq", "solve", "matrix_rank"):
        for t in (fj, torch):
            with pytest.raises(RuntimeError, match="removed"):
                getattr(t, name)(t.eye(2), t.eye(2)) if name in ("lstsq", "solve") else getattr(t, name)(t.eye(2))


def test_overrides():
    class Unit:
        def __torch_function__(self, func, types, args, kwargs):
            return ("unit", func, types, args) if self.answers else NotImplemented

        answers = True

    class Half(Unit):
        pass

    for t in (fj, torch):
        if t is fj:
            from framejit import overrides
        else:
            from torch import overrides
        unit, half = Unit(), Half()
        assert not overrides.has_torch_function((3, "x")) and overrides.is_tensor_like(t.ones(1))
        if t is fj:  # PyTorch wants a class method
            assert overrides.has_torch_function((t.ones(1), half)) and overrides.has_torch_function_variadic(3, unit)
            got = overrides.handle_torch_function(test_overrides, (unit, half, unit), 3)
            assert got == ("unit", test_overrides, (Half, Unit), (3,))
            Unit.answers = False
            with pytest.raises(TypeError, match="no implementation found for '.*test_overrides'"):
                overrides.handle_torch_function(test_overrides, (unit,), 3)
    assert not fj.nn.functional.has_torch_function((fj.ones(1),))


def test_profiler_schedule():
    options = dict(wait=1, warmup=2, active=2, repeat=2, skip_first=3)
    ours, theirs = (t.profiler.schedule(**options) for t in (fj, torch))
    assert [ours(i).name for i in range(16)] == [theirs(i).name for i in range(16)]
    with pytest.raises(AssertionError):
        fj.profiler.schedule(wait=0, warmup=0, active=0)


def test_watch_over_workers():
    from framejit.utils.data._utils import signal_handling

    pid = os.fork()
    if not pid:
        time.sleep(60)
        os._exit(0)
    signal_handling._set_worker_pids(7, (pid,))
    try:
        with pytest.raises(ValueError, match="only once"):
            signal_handling._set_worker_pids(7, (pid,))
        signal_handling._error_if_any_worker_fails()  # it runs
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(RuntimeError, match=rf"DataLoader worker \(pid {pid}\) is killed by signal: Killed"):
            signal_handling._error_if_any_worker_fails()
        signal_handling._error_if_any_worker_fails()  # told once
    finally:
        signal_handling._remove_worker_pids(7)
        os.waitpid(pid, 0)


def test_settings():
    try:
        for t in (fj, torch):
            t.set_default_tensor_type(t.DoubleTensor)
            assert t.ones(1).dtype == t.float64
            t.set_default_tensor_type("torch.FloatTensor")
            assert t.ones(1).dtype == t.float32
            with pytest.raises(TypeError):
                t.set_default_tensor_type(t.LongTensor)
            t.set_deterministic_debug_mode("warn")
            assert t.get_deterministic_debug_mode() == 1
            t.set_deterministic_debug_mode(0)
            assert t.get_deterministic_debug_mode() == 0 and not t.are_deterministic_algorithms_enabled()
    finally:
        for t in (fj, torch):
            t.set_default_dtype(t.float32)
    x = fj.ones(2)
    assert not x.is_mps and not x.volatile and x.to_dense() is x and x.to_dense(fj.float64).dtype == fj.float64
    with pytest.raises(Exception, match="(?i)cuda"):
        x.cuda()
    assert fj.cpu.device_count() == 1 and not fj.xpu.is_available() and fj.accelerator.current_accelerator() is None
    with fj.nn.attention.sdpa_kernel(fj.nn.attention.SDPBackend.MATH):
        assert fj.nn.functional.scaled_dot_product_attention(fj.ones(1, 2, 3), fj.ones(1, 2, 3), fj.ones(1, 2, 3)).shape == (1, 2, 3)


def test_tensors_in_containers():
    from framejit.nn.parallel.distributed import _find_tensors

    a, b, c = fj.ones(1), fj.ones(2), fj.ones(3)
    assert [x.numel() for x in _find_tensors({"a": [a, (b, "text")], "c": c})] == [1, 2, 3]


def test_checkpoint_function():
    from framejit.utils.checkpoint import CheckpointFunction

    calls = []

    def run(x, factor):
        calls.append(1)
        return (x * factor).sin()

    x = fj.tensor([0.3], requires_grad=True)
    CheckpointFunction.apply(run, True, x, 2.0).backward()
    assert len(calls) == 2 and abs(float(x.grad) - 2 * np.cos(0.6)) < 1e-6
