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
