"""The Python object of a tensor: identity, subclasses, attributes, garbage collection."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import framejit as fj


class Tagged(fj.Tensor):
    """A subclass with state."""

    @staticmethod
    def of(tensor, tag):
        result = fj.Tensor._make_subclass(Tagged, tensor)
        result.tag = tag
        return result


def test_one_tensor_is_one_object():
    x = fj.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.sum().backward()
    assert y.grad is y.grad
    assert x.grad is x.grad
    assert x.add_(0) is x if not x.requires_grad else True
    z = fj.ones(2)
    assert z.add_(1) is z
    assert z.relu_() is z


def test_attributes_survive_while_cpp_holds_the_tensor():
    x = fj.ones(3)
    x.requires_grad_()
    y = x.exp()
    holder = fj.zeros(3)
    inner = fj.zeros(3)
    inner.name = "kept"
    holder.requires_grad_()
    holder.grad = inner
    del inner
    gc.collect()
    assert holder.grad.name == "kept"
    assert y.grad_fn is not None


def test_subclass_survives_while_cpp_holds_the_tensor():
    holder = fj.zeros(2, requires_grad=True)
    holder.grad = Tagged.of(fj.ones(2), ["state"])
    gc.collect()
    again = holder.grad
    assert type(again) is Tagged
    assert again.tag == ["state"]
    assert holder.grad is again


def test_state_of_a_dead_object_dies_with_its_tensor():
    class Canary:
        pass

    canary = Canary()
    dead = weakref.ref(canary)
    holder = fj.zeros(2, requires_grad=True)
    holder.grad = Tagged.of(fj.ones(2), canary)
    del canary
    gc.collect()
    assert dead() is not None
    holder.grad = None
    gc.collect()
    assert dead() is None


def test_results_of_ops_on_subclasses_are_plain():
    assert type(Tagged.of(fj.ones(2), 1) + 1) is fj.Tensor


def test_isinstance_and_subclass_methods():
    tagged = Tagged.of(fj.ones(2), "t")
    assert isinstance(tagged, fj.Tensor)
    assert tagged.sum().item() == 2.0


def test_weak_references():
    x = fj.ones(2)
    ref = weakref.ref(x)
    assert ref() is x
    del x
    assert ref() is None


def test_cycles_through_attributes_are_collected():
    gc.collect()
    x = fj.ones(2)
    x.me = x
    ref = weakref.ref(x)
    del x
    assert ref() is not None
    gc.collect()
    assert ref() is None


def test_cycles_through_the_dict_itself_are_collected():
    x = fj.ones(2)
    x.__dict__["me"] = x
    ref = weakref.ref(x)
    del x
    gc.collect()
    assert ref() is None


def test_cycles_through_subclass_instances_are_collected():
    x = Tagged.of(fj.ones(2), None)
    x.tag = [x]
    ref = weakref.ref(x)
    del x
    gc.collect()
    assert ref() is None


def test_plain_tensors_are_not_tracked_until_they_have_attributes():
    x = fj.ones(2) + 1
    assert not gc.is_tracked(x)
    x.note = 1
    assert gc.is_tracked(x)


def test_hash_is_identity_and_equality_is_by_element():
    x, y = fj.ones(2), fj.ones(2)
    table = {x: "x", y: "y"}
    assert table[x] == "x" and table[y] == "y"
    assert (x == y).tolist() == [True, True]


def test_attributes_that_do_not_exist():
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        fj.ones(2).foo


def test_methods_can_be_added_to_the_type():
    fj.Tensor.twice = lambda self: self * 2
    try:
        assert fj.ones(1).twice().item() == 2
    finally:
        del fj.Tensor.twice


@pytest.mark.parametrize("dtype", [fj.float32, fj.float64, fj.int64, fj.int32, fj.uint8, fj.bool])
def test_pickle_and_deepcopy(dtype):
    x = fj.tensor([[0, 1], [1, 0]], dtype=dtype)
    x.note = "hello"
    for other in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert other is not x
        assert other.dtype == dtype and other.note == "hello"
        np.testing.assert_array_equal(other.numpy(), x.numpy())
        other.copy_(fj.ones(2, 2))
        assert x.tolist()[0][0] in (0, False)


def test_copies_share_memory():
    x = Tagged.of(fj.zeros(2), "tag")
    other = copy.copy(x)
    assert other is not x and type(other) is Tagged and other.tag == "tag"
    other[0] = 1
    assert x.tolist() == [1, 0]


def test_deepcopy_keeps_requires_grad_grad_and_aliases():
    x = fj.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    first, second = copy.deepcopy([x, x])
    assert first is second
    assert first.requires_grad and first.grad.tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 2)


def test_op_functions_are_copied_and_pickled_by_name():
    assert copy.deepcopy(fj.add) is fj.add
    assert pickle.loads(pickle.dumps(fj.add)) is fj.add
    assert fj.add.__name__ == "add" and "Tensor other" in fj.add.__doc__
    assert fj.Tensor.add.__qualname__ == "Tensor.add"
