"""backward, grad, hooks, grad modes, custom functions, gradcheck, as Python sees them."""

import gc
import threading
import weakref

import pytest

import framejit as fj
from framejit.autograd.gradcheck import GradcheckError


def leaf(*values):
    return fj.tensor(list(values), dtype=fj.float64, requires_grad=True)


def test_backward_adds_up():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    (x * x).sum().backward()
    assert x.grad.tolist() == [4, 8]
    x.grad = None
    (x * 3).backward(fj.tensor([1.0, 10.0], dtype=fj.float64))
    assert x.grad.tolist() == [3, 30]


def test_backward_to_some_inputs():
    x, y = leaf(2.0), leaf(3.0)
    (x * y).sum().backward(inputs=[x])
    assert x.grad.tolist() == [3] and y.grad is None


def test_grad():
    x, y = leaf(2.0), leaf(3.0)
    z = (x * x * y).sum()
    dx, dy = fj.autograd.grad(z, (x, y), create_graph=True)
    assert dx.tolist() == [12] and dy.tolist() == [4]
    (dxy,) = fj.autograd.grad(dx, y)
    assert dxy.tolist() == [4]
    assert x.grad is None
    unused = leaf(1.0)
    assert fj.autograd.grad((x * 2).sum(), (x, unused), allow_unused=True)[1] is None
    assert fj.autograd.grad((x * 2).sum(), (unused,), materialize_grads=True)[0].tolist() == [0]


ERRORS = [
    ("(x * 2).backward()", RuntimeError, "grad can be implicitly created only for scalar outputs"),
    ("(x * 2).backward(fj.ones(3))", RuntimeError, "Mismatch in shape"),
    ("(x * 2).backward(1.0)", TypeError, "Tensors or None"),
    ("fj.ones(1).backward()", RuntimeError, "does not require grad"),
    ("fj.autograd.grad(x.sum(), ())", ValueError, "non-empty inputs"),
    ("fj.autograd.grad(x.sum(), leaf(1.0))", RuntimeError, "not.*used in the graph"),
    ("x.sum().backward(inputs=[])", RuntimeError, "cannot be empty"),
    ("fj.ones(2).register_hook(print)", RuntimeError, "doesn't require gradient"),
    ("fj.ones(2, dtype=fj.int64).requires_grad_()", RuntimeError, "floating point"),
    ("setattr(x * 2, 'requires_grad', False)", RuntimeError, "leaf"),
    ("setattr(x, 'grad', 3)", TypeError, "assigned grad"),
    ("setattr(x, 'grad', fj.ones(5))", RuntimeError, "size|shape"),
]


@pytest.mark.parametrize("code, kind, message", ERRORS)
def test_errors(code, kind, message):
    with pytest.raises(kind, match=message):
        eval(code, {"x": leaf(1.0, 2.0), "fj": fj, "leaf": leaf, "setattr": setattr, "print": print})


def test_a_graph_is_used_once():
    y = (leaf(1.0) * 2).exp().sum()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_grad_fn():
    x = leaf(1.0)
    y = x * 2 + 1
    assert x.grad_fn is None and x.is_leaf and not y.is_leaf
    assert y.grad_fn.name().startswith("Add") and y.grad_fn == y.grad_fn
    (mul, number), *_ = y.grad_fn.next_functions
    assert mul.name().startswith("Mul") and number == 0
    assert mul.next_functions[0][0].name() == "AccumulateGrad"
    assert len({y.grad_fn, y.grad_fn}) == 1 and mul != y.grad_fn


def test_hooks():
    x = leaf(1.0, 2.0)
    y = x * 2
    seen = []
    handle = y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10)
    with x.register_hook(lambda g: g + 1):
        y.sum().backward()
    assert seen == [[1, 1]] and x.grad.tolist() == [21, 21]
    handle.remove()
    handle.remove()
    (x * 1).sum().backward()
    assert seen == [[1, 1]] and x.grad.tolist() == [22, 22]


def test_post_accumulate_hooks():
    x = leaf(1.0)
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.tolist()))
    (x * 3).sum().backward()
    assert seen == [[3]]
    with pytest.raises(RuntimeError, match="non-leaf"):
        (x * 2).register_post_accumulate_grad_hook(print)


class HookError(Exception):
    pass


def test_exceptions_of_hooks_come_out_of_backward():
    def hook(grad):
        raise HookError("from the hook", 7)

    y = leaf(1.0) * 2
    y.register_hook(hook)
    with pytest.raises(HookError) as error:
        y.sum().backward()
    assert error.value.args == ("from the hook", 7)
    assert error.traceback[-1].name == "hook"


def test_hooks_of_a_wrong_type():
    y = leaf(1.0) * 2
    y.register_hook(lambda g: 3)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        y.sum().backward()


def test_dropped_hooks_die():
    class Hook:
        def __call__(self, grad):
            return None

    x = leaf(1.0)
    hook = Hook()
    dead = weakref.ref(hook)
    handle = x.register_hook(hook)
    del hook
    gc.collect()
    assert dead() is not None
    handle.remove()
    gc.collect()
    assert dead() is None


def test_retain_grad():
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()
    (y * 3).sum().backward()
    assert y.grad.tolist() == [3] and y.retains_grad and not x.retains_grad


def test_grad_modes():
    x = leaf(1.0)
    with fj.no_grad():
        assert not (x * 2).requires_grad and not fj.is_grad_enabled()
        with fj.enable_grad():
            assert (x * 2).requires_grad
        assert not fj.is_grad_enabled()
    with fj.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    fj.set_grad_enabled(False)
    assert not fj.is_grad_enabled()
    fj.set_grad_enabled(True)
    assert (x * 2).requires_grad
    with fj.inference_mode():
        assert fj.is_inference_mode_enabled() and not (x * 2).requires_grad
        assert (x * 2).is_inference() and not x.is_inference()
    with fj.inference_mode(False):
        assert (x * 2).requires_grad
        assert (x.detach() * 2).is_inference() is False
    assert fj.is_grad_enabled() and not fj.is_inference_mode_enabled()


def test_grad_modes_are_restored_by_exceptions():
    with pytest.raises(ValueError), fj.no_grad():
        raise ValueError
    assert fj.is_grad_enabled()


def test_grad_modes_as_decorators():
    @fj.no_grad()
    def plain(x):
        "doc"
        return x * 2

    @fj.no_grad
    def bare(x):
        return x * 2

    @fj.set_grad_enabled(False)
    def named(x):
        return x * 2

    @fj.inference_mode()
    def inferred(x):
        return x * 2

    @fj.no_grad()
    def generated(x):
        got = yield x * 2
        yield (fj.is_grad_enabled(), got)

    x = leaf(1.0)
    assert fj.is_grad_enabled()
    for function in (plain, bare, named, inferred):
        assert not function(x).requires_grad
    assert plain.__doc__ == "doc" and plain.__name__ == "plain"
    steps = generated(x)
    assert not next(steps).requires_grad
    assert fj.is_grad_enabled()
    assert steps.send("sent") == (False, "sent")
    assert list(steps) == []


def test_grad_mode_is_per_thread():
    seen = []
    with fj.no_grad():
        thread = threading.Thread(target=lambda: seen.append(fj.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_data_and_detach():
    x = leaf(1.0, 2.0)
    for other in (x.data, x.detach()):
        assert not other.requires_grad
        other[0] = 5
        assert x[0].item() == 5
    x.data = fj.zeros(3, dtype=fj.float64)
    assert x.shape == (3,) and x.requires_grad and x.is_leaf


class Cube(fj.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x * x * scale

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        assert ctx.needs_input_grad == (True, False)
        return grad * 3 * x * x * ctx.scale, None


def test_custom_function():
    x = leaf(2.0, 3.0)
    y = Cube.apply(x, 2)
    assert y.tolist() == [16, 54] and y.grad_fn.name() == "CubeBackward"
    y.sum().backward()
    assert x.grad.tolist() == [24, 54]
    assert not Cube.apply(fj.ones(1), 1).requires_grad
    assert fj.autograd.gradcheck(lambda t: Cube.apply(t, 2), x)
    assert fj.autograd.gradgradcheck(lambda t: Cube.apply(t, 2), leaf(2.0, 3.0))


class Split(fj.autograd.Function):
    """Two outputs, separate context, a non-differentiable output, a saved output."""

    @staticmethod
    def forward(x):
        return x.exp(), x.argmax(), x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        exp, index, _ = output
        ctx.save_for_backward(exp)
        ctx.mark_non_differentiable(index)

    @staticmethod
    def backward(ctx, grad_exp, grad_index, grad_double):
        (exp,) = ctx.saved_tensors
        return grad_exp * exp + 2 * grad_double


def test_custom_function_with_several_outputs():
    x = leaf(0.5, 1.0)
    exp, index, double = Split.apply(x)
    assert index.item() == 1 and not index.requires_grad
    (exp.sum() + double.sum() * 3).backward()
    assert x.grad.tolist() == pytest.approx([6 + fj.e**0.5, 6 + fj.e])
    assert fj.autograd.gradgradcheck(lambda t: Split.apply(t)[0], leaf(0.5, 1.0))


class Increment(fj.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, grad):
        return grad * 100


def test_custom_function_in_place():
    x = leaf(1.0)
    y = x * 2
    z = Increment.apply(y)
    assert z is y and z.tolist() == [3] and z.grad_fn.name() == "IncrementBackward"
    z.sum().backward()
    assert x.grad.tolist() == [200]


def test_an_input_that_comes_back_is_another_tensor():
    class Identity(Cube):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.save_for_backward(x)
            ctx.scale = scale
            return x

    x = leaf(2.0)
    y = Identity.apply(x, 1)
    assert y is not x and x.is_leaf
    y.sum().backward()
    assert x.grad.tolist() == [12]


def test_custom_functions_free_their_tensors():
    x = leaf(1.0)
    outputs = Split.apply(x)
    dead = weakref.ref(outputs[0])
    graph = weakref.ref(outputs[2])
    del outputs
    gc.collect()
    assert dead() is None and graph() is None


def test_custom_function_errors():
    class Wrong(fj.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    with pytest.raises(
        RuntimeError, match=r"WrongBackward returned an incorrect number of gradients \(expected 1, got 2\)"
    ):
        Wrong.apply(leaf(1.0)).sum().backward()

    class Raises(Wrong):
        @staticmethod
        def backward(ctx, grad):
            raise HookError("from backward")

    with pytest.raises(HookError, match="from backward"):
        Raises.apply(leaf(1.0)).sum().backward()

    x = leaf(2.0)
    y = x * 1
    z = Cube.apply(y, 1)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    with pytest.raises(TypeError, match="can only save variables"):
        fj.autograd.function.FunctionCtx().save_for_backward(3)


def test_gradcheck_finds_wrong_derivatives():
    class Wrong(Cube):
        @staticmethod
        def backward(ctx, grad):
            return grad, None

    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        fj.autograd.gradcheck(lambda t: Wrong.apply(t, 1), leaf(2.0))
    assert not fj.autograd.gradcheck(lambda t: Wrong.apply(t, 1), leaf(2.0), raise_exception=False)
    with pytest.raises(ValueError, match="at least one input"):
        fj.autograd.gradcheck(lambda t: t, fj.ones(1))


def test_detach_in_place():
    x = leaf(1.0)
    y = x * 2
    assert y.detach_() is y
    assert y.is_leaf and not y.requires_grad and y.grad_fn is None
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        (x * 2)[0:].detach_()
