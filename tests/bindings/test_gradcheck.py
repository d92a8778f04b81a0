"""gradcheck and gradgradcheck: what they find, with which errors."""

import pytest

import framejit as fj
from framejit.autograd import Function, gradcheck, gradgradcheck
from framejit.autograd.gradcheck import GradcheckError


def leaf(*values, dtype=fj.float64):
    return fj.tensor(values, dtype=dtype, requires_grad=True)


def function(backward, forward=lambda ctx, x: x * 2):
    return type("Custom", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}).apply


wrong = function(lambda ctx, grad: grad * 3)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_right_and_wrong_derivatives(fast_mode):
    x, y = leaf(0.5, 1.0), leaf(2.0, -1.0)
    assert gradcheck(lambda x, y: (x * y.sin(), (x / y).sum()), (x, y), fast_mode=fast_mode)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 1 with respect to input 0,\nnumerical:"):
        gradcheck(lambda x: (x * x, wrong(x)), x, fast_mode=fast_mode)
    assert gradcheck(wrong, x, raise_exception=False, fast_mode=fast_mode) is False
    assert x.tolist() == [0.5, 1.0]


def test_the_second_input_is_named():
    with pytest.raises(GradcheckError, match="for output 0 with respect to input 2,"):
        gradcheck(lambda x, n, y: x * n + wrong(y), (leaf(1.0), 3, leaf(2.0)))


@pytest.mark.parametrize("fast_mode", [False, True])
def test_complex_inputs(fast_mode):
    z = fj.tensor([1 + 2j, -0.5j], dtype=fj.complex128, requires_grad=True)
    w = leaf(0.5, 2.0)
    assert gradcheck(lambda z, w: (z * w).exp(), (z, w), fast_mode=fast_mode)
    assert gradcheck(lambda z: z.abs() ** 2, z, fast_mode=fast_mode)
    assert gradgradcheck(lambda z, w: z * z * w, (z, w), fast_mode=fast_mode)
    unconjugated = function(lambda ctx, grad: grad * 1j, lambda ctx, z: z * 1j)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(unconjugated, z, fast_mode=fast_mode)


def test_tolerances():
    x = leaf(1.0)
    slightly = function(lambda ctx, grad: grad * 2.01)
    with pytest.raises(GradcheckError):
        gradcheck(slightly, x)
    assert gradcheck(slightly, x, rtol=1e-1)
    assert gradcheck(slightly, x, atol=1.0)
    kinked = lambda x: (x - 1.001).abs()  # noqa: E731
    assert gradcheck(kinked, x)
    with pytest.raises(GradcheckError):
        gradcheck(kinked, x, eps=1e-2)


def test_a_constant_output_must_be_constant():
    assert gradcheck(lambda x: (x * 2, x.detach() * 0), leaf(1.0))
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda x: (x * 2, x.detach() * 3), leaf(1.0))


def test_backward_that_differs_from_time_to_time():
    calls = []

    def backward(ctx, grad):
        calls.append(1)
        return grad * (2 + 1e-7 * (len(calls) % 2))

    unsteady = function(backward)
    with pytest.raises(GradcheckError, match="Backward is not reentrant, .* tolerance for nondeterminism was 0.0"):
        gradcheck(unsteady, leaf(1.0))
    assert gradcheck(unsteady, leaf(1.0), nondet_tol=1e-5)


def test_backward_that_ignores_its_gradient():
    constant = function(lambda ctx, grad: fj.full_like(grad, 2.0))
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(constant, leaf(1.0))


@pytest.mark.parametrize("copes", [False, True])
def test_undefined_gradients(copes):
    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            if copes and (a is None or b is None):
                return b * 3 if a is None else a * 2
            return a * 2 + b * 3

    if copes:
        assert gradcheck(Two.apply, leaf(1.0))
    else:
        with pytest.raises(TypeError):
            gradcheck(Two.apply, leaf(1.0))


def test_gradients_of_another_dtype():
    x = leaf(1.0)
    # The engine casts what a backward returns, so no function can make this fail.
    assert gradcheck(function(lambda ctx, grad: (grad * 2).float()), x, check_grad_dtypes=True)


def test_batched_gradients():
    assert gradcheck(lambda x: x.sin() * 2, leaf(0.5, 1.0), check_batched_grad=True)


def test_inputs_that_cannot_be_checked():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(lambda x: x, fj.ones(1))
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision floating point"):
        gradcheck(lambda x: x * 2, leaf(1.0, dtype=fj.float32), eps=1e-2, atol=1e-2)
    expanded = fj.ones(1, dtype=fj.float64).expand(3).requires_grad_()
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(lambda x: x * 2, expanded)


def test_options_that_contradict_each_other_or_need_forward_mode():
    x = leaf(1.0)
    with pytest.raises(AssertionError, match="at least one of check_forward_ad or check_backward_ad"):
        gradcheck(fj.sin, x, check_backward_ad=False)
    with pytest.raises(NotImplementedError, match="no forward mode"):
        gradcheck(fj.sin, x, check_forward_ad=True)
    with pytest.raises(NotImplementedError, match="no forward mode"):
        gradgradcheck(fj.sin, x, check_fwd_over_rev=True)
    with pytest.raises(AssertionError, match="check_fwd_over_rev or check_rev_over_rev"):
        gradgradcheck(fj.sin, x, check_rev_over_rev=False)


def test_second_order():
    x, y = leaf(0.5, 1.0), leaf(2.0, -1.0)
    assert gradgradcheck(lambda x, y: x * y.sin(), (x, y))
    assert gradgradcheck(lambda x, y: x * y.sin(), (x, y), gen_non_contig_grad_outputs=True)
    assert gradgradcheck(lambda x: x.exp(), x, grad_outputs=leaf(1.0, 2.0))

    class FirstOrderOnly(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x.detach()

    assert gradcheck(FirstOrderOnly.apply, x)
    with pytest.raises(GradcheckError):
        gradgradcheck(FirstOrderOnly.apply, x)
