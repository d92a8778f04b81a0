"""UntypedStorage, copying, pickling, shared memory between processes."""

import copy
import gc
import mmap
import multiprocessing as standard
import os
import pickle
import sys
import weakref

import pytest

import framejit as fj
from framejit import multiprocessing as mp
from framejit.storage import shared_block


def test_one_object_per_storage():
    x = fj.arange(6.0).reshape(2, 3)
    storage = x.untyped_storage()
    assert storage is x[1].untyped_storage() and storage is not x.clone().untyped_storage()
    assert storage.nbytes() == len(storage) == 24
    memoryview(storage).cast("f")[4] = 40.0
    assert x.tolist() == [[0, 1, 2], [3, 40, 5]]


def test_views_stay_inside_the_storage():
    storage = fj.UntypedStorage(24)
    for layout in [
        (2, (2, 3), (3, 1)),
        (-1, (2,), (1,)),
        (0, (1 << 40, 1 << 40), (1 << 40, 1)),
        (0, (2,), (-1,)),
        (0, (-1,), (1,)),
        (0, (2, 2), (1,)),
    ]:
        with pytest.raises(RuntimeError):
            storage._view(fj.float32, *layout)
    assert storage._view(fj.float32, 1 << 40, (0, 3), (3, 1)).numel() == 0


def test_adopted_buffers_live_as_long_as_tensors():
    data = bytearray(16)
    x = fj.UntypedStorage.from_buffer(data)._view(fj.int32, 0, (4,), (1,))
    x += 1
    assert data == b"\1\0\0\0" * 4
    with pytest.raises(BufferError):
        data.append(1)
    del x
    data.append(1)
    with pytest.raises(BufferError):
        fj.UntypedStorage.from_buffer(b"read-only")


def test_a_storage_moves_with_all_its_views():
    x = fj.arange(4.0)
    view, pages = x[2:], mmap.mmap(-1, 4096)
    x.untyped_storage()._move_to(pages)
    view.mul_(10)
    assert x.tolist() == [0, 1, 20, 30] and memoryview(pages).cast("f")[3] == 30
    with pytest.raises(RuntimeError, match="storage of 16"):
        x.untyped_storage()._move_to(bytearray(8))
    del x, view
    gc.collect()
    pages.close()  # no tensor holds on to it


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_keeps_layout_and_sharing(protocol):
    base = fj.arange(12.0).reshape(3, 4)
    again, row, transposed = pickle.loads(pickle.dumps([base, base[1], base.t()], protocol))
    assert again.tolist() == base.tolist() and transposed.stride() == (1, 4)
    row.zero_()
    assert again[1].tolist() == transposed[:, 1].tolist() == [0, 0, 0, 0]
    assert base[1].tolist() == [4, 5, 6, 7]


def test_pickling_out_of_band():
    x, buffers = fj.arange(1000), []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 1000 and buffers[0].raw().nbytes == 8000
    y = pickle.loads(data, buffers=buffers)
    assert y.data_ptr() == x.data_ptr()  # not copied


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_attributes_class_and_grad_mode_survive(duplicate):
    weight = fj.nn.Parameter(fj.ones(2), requires_grad=False)
    assert type(duplicate(weight)) is fj.nn.Parameter and not duplicate(weight).requires_grad
    x = fj.ones(2, requires_grad=True)
    x.note = "kept"
    assert duplicate(x).note == "kept" and duplicate(x).requires_grad
    with pytest.raises(RuntimeError, match="user"):
        duplicate(x * 2)


def test_deepcopy_keeps_sharing_and_grad():
    x = fj.ones(4, requires_grad=True)
    (x * 3).sum().backward()
    y, part = copy.deepcopy([x, x.detach()[:2]])
    part.zero_()
    assert y.tolist() == [0, 0, 1, 1] and y.grad.tolist() == [3] * 4 and x.tolist() == [1] * 4
    assert copy.copy(x).data_ptr() == x.data_ptr()


def test_nothing_leaks():
    def references():
        gc.collect()
        return weakref.ref(fj.ones(4).untyped_storage())()

    assert references() is None
    data = bytearray(8)
    before = sys.getrefcount(data)
    for _ in range(1000):
        fj.UntypedStorage.from_buffer(data)._view(fj.int64, 0, (1,), (1,)).untyped_storage().is_shared()
    assert sys.getrefcount(data) == before


# --- shared memory ----------------------------------------------------------------------------------------------------


def _double(tasks, results):
    x, parameter = tasks.get()
    x *= 2
    results.put((x, parameter, x.is_shared()))
    tasks.get()  # live until the parent has mapped the results


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_tensors_are_shared_with_other_processes(method):
    context = mp.get_context(method)
    tasks, results = context.Queue(), context.Queue()
    process = context.Process(target=_double, args=(tasks, results))
    process.start()
    x = fj.arange(3.0)
    tasks.put((x[1:], fj.nn.Parameter(fj.ones(1))))
    y, parameter, shared = results.get(timeout=60)
    assert x.is_shared() and shared
    assert x.tolist() == [0, 2, 4] and y.tolist() == [2, 4]
    y.zero_()
    assert x.tolist() == [0, 0, 0]  # all of it is one memory
    assert type(parameter) is fj.nn.Parameter and parameter.requires_grad
    tasks.put(None)
    process.join()
    assert process.exitcode == 0


def test_tensors_with_a_history_are_not_sent():
    with pytest.raises(RuntimeError, match="detach"):
        standard.reduction.ForkingPickler.dumps(fj.ones(2, requires_grad=True) * 2)


def test_shared_memory_is_given_back():
    x = fj.ones(1000).share_memory_()
    block = weakref.ref(shared_block(x.untyped_storage()))
    descriptor, file = block().descriptor, os.fstat(block().descriptor).st_ino
    view = x[2:]
    del x
    assert view.sum().item() == 998 and view.is_shared() and os.fstat(descriptor).st_ino == file
    del view
    gc.collect()
    assert block() is None
    try:
        assert os.fstat(descriptor).st_ino != file  # somebody else's by now
    except OSError:
        pass  # closed
    assert fj.empty(0).share_memory_().is_shared()


def _fill(index, shared):
    shared[index] = index + 1


def _fail(index):
    if index == 1:
        raise ValueError("number one is broken")


def test_spawn():
    shared = fj.zeros(3).share_memory_()
    mp.spawn(_fill, (shared,), nprocs=3)
    assert shared.tolist() == [1, 2, 3]
    with pytest.raises(mp.ProcessRaisedException, match="number one is broken") as raised:
        mp.spawn(_fail, nprocs=2)
    assert raised.value.error_index == 1
    with pytest.raises(mp.ProcessException, match="exit code 3"):
        mp.spawn(_exit, nprocs=1)


def _exit(index):
    os._exit(3)
