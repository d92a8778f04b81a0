"""Tensors from and to Python data, NumPy and DLPack."""

import gc
import threading
import weakref

import numpy as np
import pytest

import framejit as fj

from .support import needs_torch, same_outcome, torch_module

DTYPES = [fj.float32, fj.float64, fj.int64, fj.int32, fj.uint8, fj.bool]

DATA = [
    "lib.tensor(1)",
    "lib.tensor(1.5)",
    "lib.tensor(True)",
    "lib.tensor([1, 2.5])",
    "lib.tensor([True, 2])",
    "lib.tensor([[1, 2], [3, 4]])",
    "lib.tensor([])",
    "lib.tensor([[], []])",
    "lib.tensor(())",
    "lib.tensor((1, 2))",
    "lib.tensor(range(3))",
    "lib.tensor([1, 2], dtype=lib.float64)",
    "lib.tensor([1.5, -2.5], dtype=lib.int64)",
    "lib.tensor([0, 3], dtype=lib.bool)",
    "lib.tensor([-1], dtype=lib.uint8)",
    "lib.tensor([300], dtype=lib.uint8)",
    "lib.tensor([1e20], dtype=lib.int64)",
    "lib.tensor([2**40], dtype=lib.int32)",
    "lib.tensor(np.float64(1))",
    "lib.tensor([np.float64(1)])",
    "lib.tensor([np.float32(1), 2])",
    "lib.tensor(np.int32(1))",
    "lib.tensor(np.arange(4).reshape(2, 2))",
    "lib.tensor(np.arange(4)[::-1])",
    "lib.tensor([np.arange(2), np.arange(2)])",
    "lib.tensor([lib.tensor(1), lib.tensor(2.0)])",
    "lib.tensor([lib.ones(2), lib.ones(2)])",
    "lib.tensor([[1, 2], [3]])",
    "lib.tensor([[1], 2])",
    "lib.tensor('a')",
    "lib.tensor([None])",
    "lib.tensor(None)",
    "lib.as_tensor([1, 2])",
    "lib.as_tensor(np.arange(3), dtype=lib.float32)",
    "lib.Tensor([1, 2])",
    "lib.Tensor(2, 3).shape == (2, 3)",
    "lib.tensor(float('nan'))",
    "lib.tensor(1, requires_grad=True)",
    "lib.tensor(1.0, requires_grad=True).requires_grad",
    "lib.from_numpy([1])",
    "lib.from_numpy(np.array(['a']))",
]


@needs_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", [c for c in DATA if "[::-1]" not in c])
def test_data_means_what_it_means_in_pytorch(code):
    torch = torch_module()
    same_outcome(code, {"lib": fj, "np": np}, {"lib": torch, "np": np})


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_round_trip_shares_memory(dtype):
    x = fj.tensor([[0, 1], [1, 0]], dtype=dtype)
    array = x.numpy()
    assert str(array.dtype) == repr(dtype).removeprefix("framejit.")
    array[0, 0] = 1
    assert x[0, 0].item() == 1
    back = fj.from_numpy(array)
    back[1, 1] = 1
    assert x[1, 1].item() == 1
    assert back.dtype == dtype


def test_numpy_sees_strides():
    x = fj.arange(6).view(2, 3)
    np.testing.assert_array_equal(x.T.numpy(), np.arange(6).reshape(2, 3).T)
    np.testing.assert_array_equal(x[:, 1:].numpy(), np.arange(6).reshape(2, 3)[:, 1:])
    array = np.arange(12).reshape(3, 4)[::2, 1:3]
    assert fj.from_numpy(array).tolist() == array.tolist()
    assert fj.from_numpy(np.broadcast_to(np.float32(2), (2, 2)).copy()).tolist() == [[2, 2], [2, 2]]


def test_memory_lives_as_long_as_either_side():
    class Array(np.ndarray):
        pass

    array = np.arange(4.0).view(Array)
    dead = weakref.ref(array)
    x = fj.from_numpy(array)
    del array
    gc.collect()
    assert dead() is not None and x.tolist() == [0, 1, 2, 3]
    view = x[1:]
    del x
    assert view.tolist() == [1, 2, 3]
    del view
    gc.collect()
    assert dead() is None

    seen = fj.ones(3).numpy()
    gc.collect()
    assert seen.tolist() == [1, 1, 1]


def test_memory_is_released_by_a_thread_without_the_gil_held():
    array = np.arange(4.0)
    box = [fj.from_numpy(array)]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert not box


def test_numpy_refuses():
    with pytest.raises(RuntimeError, match=r"requires grad. Use tensor.detach\(\).numpy\(\)"):
        fj.ones(2, requires_grad=True).numpy()
    with pytest.raises(RuntimeError, match="requires grad"):
        np.asarray(fj.ones(2, requires_grad=True))
    assert fj.ones(2, requires_grad=True).numpy(force=True).tolist() == [1, 1]
    with pytest.raises(ValueError, match="negative"):
        fj.from_numpy(np.arange(3)[::-1])
    with pytest.raises(TypeError, match=r"expected np.ndarray \(got list\)"):
        fj.from_numpy([1, 2])
    with pytest.raises(TypeError, match="supported types are"):
        fj.from_numpy(np.zeros(2, dtype=np.uint16))
    with pytest.raises(TypeError, match="byte order"):
        fj.from_numpy(np.zeros(2, dtype=">f4"))


def test_read_only_arrays_warn():
    array = np.zeros(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        fj.from_numpy(array)


def test_numpy_functions_take_tensors():
    x = fj.arange(3).double()
    assert np.sum(x) == 3
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    assert np.array(x).tolist() == [0, 1, 2]
    assert isinstance(np.float64(2) * x, fj.Tensor)
    assert isinstance(x + np.ones(3), fj.Tensor)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_shares_memory_with_numpy(dtype):
    x = fj.tensor([[0, 1], [1, 0]], dtype=dtype).T
    array = np.from_dlpack(x)
    assert array.tolist() == x.tolist()
    x[0, 0] = 1
    assert array[0, 0] == 1
    back = fj.from_dlpack(array)
    assert back.dtype == dtype and back.tolist() == x.tolist()


@needs_torch
def test_dlpack_shares_memory_with_pytorch():
    torch = torch_module()
    x = fj.arange(6).view(2, 3)
    theirs = torch.from_dlpack(x)
    theirs[0, 0] = 42
    assert x[0, 0].item() == 42
    ours = fj.from_dlpack(theirs.T)
    ours[0, 1] = 7
    assert x[1, 0].item() == 7
    assert ours.stride() == (1, 3)


def test_read_only_dlpack_memory_warns():
    array = np.zeros(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="read-only"):
        fj.from_dlpack(array)


def test_empty_tensors_go_through():
    assert fj.zeros(2, 0).numpy().shape == (2, 0)
    assert fj.from_numpy(np.zeros((0, 3))).shape == (0, 3)
    assert np.from_dlpack(fj.zeros(0)).shape == (0,)


def test_dlpack_capsules_are_used_once():
    capsule = fj.ones(2).__dlpack__()
    assert fj.from_dlpack(capsule).tolist() == [1, 1]
    with pytest.raises(ValueError, match="used already"):
        fj.from_dlpack(capsule)
    assert fj.ones(2).__dlpack_device__() == (1, 0)
    with pytest.raises(RuntimeError, match="require gradient"):
        fj.ones(2, requires_grad=True).__dlpack__()


def test_unused_dlpack_capsules_release_memory():
    array = np.arange(4.0)
    dead = weakref.ref(array)
    capsule = fj.from_numpy(array).__dlpack__()
    del array
    assert dead() is not None
    del capsule
    gc.collect()
    assert dead() is None


def test_tolist_and_item():
    assert fj.tensor(3).tolist() == 3
    assert fj.arange(6).view(2, 3).T.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert fj.zeros(2, 0).tolist() == [[], []]
    assert fj.tensor([[True]]).item() is True
    assert type(fj.tensor(2, dtype=fj.uint8).item()) is int
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        fj.ones(2).item()
