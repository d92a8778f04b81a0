"""What programs ask before they use what framejit does not have, and names from before PyTorch 0.4."""

import pytest

import framejit as fj


def test_programs_that_ask_first_stay_on_the_cpu():
    device = fj.device("cuda" if fj.cuda.is_available() else "cpu")
    assert device.type == "cpu" and fj.cuda.device_count() == 0
    fj.cuda.manual_seed_all(0)
    fj.backends.cudnn.benchmark = True
    assert not fj.backends.mps.is_available() and not fj.distributed.is_available()


def test_programs_that_do_not_ask_are_told():
    with pytest.raises(RuntimeError, match="is_available"):
        fj.cuda.current_device()
    with pytest.raises(ValueError, match="process group"):
        fj.distributed.get_rank()


def test_contexts_of_gpus_change_nothing():
    with fj.cuda.device_of(fj.ones(1)), fj.cuda.device(None), fj.cuda.stream(None):
        pass
    with pytest.raises(RuntimeError, match="without CUDA"), fj.cuda.device(0):
        pass
    assert fj.cuda.memory_allocated() == 0 and not isinstance(fj.ones(1), fj.cuda.FloatTensor)


@pytest.mark.parametrize(
    "use",
    [
        lambda: fj.sparse_coo_tensor(fj.zeros(1, 1), fj.zeros(1)),
        lambda: fj.sparse.FloatTensor(fj.zeros(1, 1), fj.zeros(1)),
        lambda: fj.onnx.export(fj.nn.ReLU(), fj.ones(1), "file"),
        lambda: fj.quantization.quantize_dynamic(fj.nn.ReLU()),
        lambda: fj.jit.load("file"),
    ],
    ids=["sparse", "old sparse", "onnx", "quantization", "TorchScript"],
)
def test_what_is_not_there_says_what_to_do_instead(use):
    with pytest.raises(NotImplementedError, match="(Try|Save) "):
        use()


OLD_CALLS = {
    "range": lambda t, x: t.range(1, 2, 0.25),
    "range_int": lambda t, x: t.range(0, 6, 3, dtype=t.int32),
    "conv_tbc": lambda t, x: t.conv_tbc(x.reshape(4, 2, 3), x.reshape(2, 3, 4), t.ones(4), 1),
    "layer_norm": lambda t, x: t.layer_norm(x, (6,), t.ones(6), t.zeros(6), 1e-5, False),
    "group_norm": lambda t, x: t.group_norm(x.reshape(2, 4, 3), 2),
    "batch_norm": lambda t, x: t.batch_norm(x, None, None, t.zeros(6), t.ones(6), False, 0.1, 1e-5, False),
    "instance_norm": lambda t, x: t.instance_norm(
        x.reshape(2, 4, 3), t.ones(4), t.zeros(4), None, None, True, 0.1, 1e-5, False
    ),
    "spmm": lambda t, x: t.spmm(x, x.t()),
    "sparse.mm": lambda t, x: t.sparse.mm(x, x.t()),
}


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("name", OLD_CALLS)
def test_old_functions_are_those_of_pytorch(name):
    torch = pytest.importorskip("torch")
    ours, theirs = (
        OLD_CALLS[name](library, library.arange(24, dtype=library.float32).reshape(4, 6) / 7) for library in (fj, torch)
    )
    assert str(ours.dtype)[9:] == str(theirs.dtype)[6:]
    torch.testing.assert_close(torch.from_numpy(ours.numpy()), theirs)


def test_variables_are_tensors():
    from framejit.autograd import Variable

    x = fj.ones(2)
    assert Variable(x) is x and isinstance(x, Variable) and not isinstance(3, Variable)
    y = Variable(x, requires_grad=True)
    (y * 3).sum().backward()
    assert y.grad.tolist() == [3, 3] and y.data_ptr() == x.data_ptr()
    with pytest.raises(TypeError, match="list"):
        Variable([1.0])


def test_typed_tensors_of_old_programs():
    assert fj.FloatTensor(2, 3).shape == (2, 3) and fj.LongTensor(fj.Size([2])).dtype == fj.int64
    assert fj.LongTensor([1 << 40, 2]).tolist() == [1 << 40, 2] and fj.ByteTensor().numel() == 0
    assert isinstance(fj.ones(2), fj.FloatTensor) and not isinstance(fj.ones(2), fj.LongTensor)
    with pytest.raises(TypeError, match="FloatTensor"):
        fj.FloatTensor([1.0], 2)


def test_private_paths():
    from framejit._jit_internal import Optional, boolean_dispatch

    choose = boolean_dispatch("flag", 1, False, lambda x, flag: "yes", lambda x, flag=False: "no", __name__, "choose")
    assert [choose(0), choose(0, True), choose(0, flag=True), choose(0, flag=False)] == ["no", "yes", "yes", "no"]
    assert Optional[int] and fj.functional.norm(fj.tensor([3.0, 4.0])).item() == 5
    import framejit.__config__ as config

    assert fj.__version__ in config.show() and str(fj.get_num_threads()) in config.parallel_info()
    assert fj.fx.wrap(choose) is choose and not isinstance(fj.ones(1), fj.fx.Proxy)
