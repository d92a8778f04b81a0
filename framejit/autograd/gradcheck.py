"""Checks of derivatives: ``gradcheck`` and ``gradgradcheck``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit.autograd import jacobians
from framejit.autograd.function import Function
from framejit.autograd.grad_mode import enable_grad


class GradcheckError(RuntimeError):
    """An analytical derivative differs from the numerical one, or backward does what it must not."""


@dataclass(frozen=True)
class _Options:
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_undefined_grad: bool
    check_grad_dtypes: bool
    check_batched_grad: bool
    fast_mode: bool


class _NoGradient(Function):
    """The identity, with an undefined gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> None:
        return None


def _close(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    return bool(a.isclose(b, rtol=rtol, atol=atol, equal_nan=True).all().item())


class _Check:
    """One call of gradcheck, over real numbers."""

    def __init__(self, function: Callable[..., Any], inputs: tuple[Any, ...], options: _Options) -> None:
        self.function = function
        self.inputs = inputs
        self.options = options
        self.wanted = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
        self.tensors = [x for _, x in self.wanted]

    def run(self) -> None:
        (self._check_fast if self.options.fast_mode else self._check_slow)()
        outputs = self._outputs()
        for _, output in outputs:
            self._check_multiplied(output)
        if self.options.check_batched_grad:
            for number, output in outputs:
                self._check_batched(number, output)
        if self.options.check_undefined_grad:
            self._check_undefined([output for _, output in outputs])

    def _outputs(self) -> list[tuple[int, Tensor]]:
        """The differentiable ones, computed anew: numerical differences write into what earlier ones have saved."""
        outputs = jacobians.outputs_of(self.function, self.inputs)
        return [(i, out) for i, out in enumerate(outputs) if out.requires_grad]

    def _check_constant(self, expected: list[list[Tensor]], differentiable: list[tuple[int, Tensor]]) -> None:
        """Outputs without a derivative must not depend on the inputs."""
        numbers = {number for number, _ in differentiable}
        for found in expected:
            for number, matrix in enumerate(found):
                if number not in numbers and not _close(
                    matrix, matrix * 0, self.options.rtol, self.options.atol
                ):
                    raise GradcheckError("Numerical gradient for function expected to be zero")

    def _check_slow(self) -> None:
        expected = [
            jacobians.numerical(self.function, self.inputs, x, self.options.eps) for x in self.tensors
        ]
        differentiable = self._outputs()
        self._check_constant(expected, differentiable)
        for number, output in differentiable:
            rows = jacobians.analytical_rows(output, self.tensors)
            again = jacobians.analytical_rows(output, self.tensors)
            for gradients in rows[:1]:
                self._check_attributes(gradients)
            for i, (place, x) in enumerate(self.wanted):
                found = jacobians.as_matrix(rows, i, x, output)
                self._check_same_again(found, jacobians.as_matrix(again, i, x, output))
                if not _close(found, expected[i][number], self.options.rtol, self.options.atol):
                    raise GradcheckError(_mismatch(number, place, expected[i][number], found))

    def _check_fast(self) -> None:
        """Compares u @ Jacobian @ v for one random u and v, which takes two calls of the function per input."""
        directions = [_random_direction(x) for x in self.tensors]
        expected = [
            jacobians.numerical_along(self.function, self.inputs, x, v, self.options.eps)
            for x, v in zip(self.tensors, directions, strict=True)
        ]
        differentiable = self._outputs()
        self._check_constant(expected, differentiable)
        for number, output in differentiable:
            seed = _C.ops.rand(output.shape, dtype=output.dtype)
            gradients = jacobians.vjp(output, self.tensors, seed)
            again = jacobians.vjp(output, self.tensors, seed)
            self._check_attributes(gradients)
            for i, x in enumerate(self.tensors):
                zeros = _C.ops.zeros_like(x)
                gradient, repeated = (zeros if g is None else g.detach() for g in (gradients[i], again[i]))
                self._check_same_again(gradient, repeated)
                found = (gradient * directions[i]).sum()
                reference = (expected[i][number] * seed.reshape(-1)).sum()
                # A sum over all elements may be off by as much as its terms together.
                atol = self.options.atol * max(1.0, float(output.numel()) ** 0.5)
                if not _close(found, reference.to(found.dtype), self.options.rtol, atol):
                    self._fail_fast(number, i, reference, found)

    def _fail_fast(self, number: int, input: int, reference: Tensor, found: Tensor) -> None:
        place, x = self.wanted[input]
        whole = jacobians.numerical(self.function, self.inputs, x, self.options.eps)[number]
        output = dict(self._outputs())[number]
        analytical = jacobians.as_matrix(
            jacobians.analytical_rows(output, self.tensors), input, x, output
        )
        note = (
            "\nThe above quantities relating the numerical and analytical jacobians are computed in fast mode: random "
            f"projections give {reference.item()} (numerical) and {found.item()} (analytical)."
        )
        if _close(analytical, whole, self.options.rtol, self.options.atol):
            note += (
                "\nFast gradcheck failed but element-wise differences are small. This means that the test might've passed "
                "in slow_mode! Use fast_mode=False, or a larger tolerance."
            )
        raise GradcheckError(_mismatch(number, place, whole, analytical) + note)

    def _check_attributes(self, gradients: tuple[Tensor | None, ...]) -> None:
        for gradient, x in zip(gradients, self.tensors, strict=True):
            if gradient is None:
                continue
            if self.options.check_grad_dtypes and gradient.dtype != x.dtype:
                raise GradcheckError("Gradient has dtype mismatch")
            if gradient.shape != x.shape:
                raise GradcheckError("Analytical gradient has incorrect size")

    def _check_same_again(self, first: Tensor, second: Tensor) -> None:
        if not _close(first, second, 0, self.options.nondet_tol):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
                "different values, although analytical gradient matches numerical gradient. The tolerance for "
                f"nondeterminism was {self.options.nondet_tol}. If the derivative is meant to be nondeterministic, pass a "
                "larger nondet_tol."
            )

    def _check_multiplied(self, output: Tensor) -> None:
        """A gradient of zero gives gradients of zero."""
        for gradient in jacobians.vjp(output, self.tensors, _C.ops.zeros_like(output)):
            if gradient is not None and not bool((gradient == 0).all().item()):
                raise GradcheckError("backward not multiplied by grad_output")

    def _check_batched(self, number: int, output: Tensor) -> None:
        from framejit.autograd import grad

        seeds = [_C.ops.randn_like(output) for _ in range(2)]
        expected = [jacobians.vjp(output, self.tensors, seed) for seed in seeds]
        found = grad(
            (output,),
            self.tensors,
            (_C.ops.stack(seeds),),
            retain_graph=True,
            allow_unused=True,
            is_grads_batched=True,
        )
        for i, (place, _) in enumerate(self.wanted):
            rows, got = [row[i] for row in expected], found[i]
            if any(row is None for row in rows) or got is None:
                continue
            for row, batched in zip(rows, got, strict=True):
                if not _close(batched, row, self.options.rtol, self.options.atol):  # type: ignore[arg-type]
                    raise GradcheckError(
                        f"For output {number} and input {place}: the gradient of a batch of grad_outputs is not the batch of "
                        "their gradients"
                    )

    def _check_undefined(self, outputs: list[Tensor]) -> None:
        """Backward copes with gradients that are not there: of all outputs, and of each one alone."""
        patterns = [[True] * len(outputs)]
        if len(outputs) > 1:
            patterns += [[i == j for j in range(len(outputs))] for i in range(len(outputs))]
        for undefined in patterns:
            outs = tuple(
                _NoGradient.apply(out) if skip else out for out, skip in zip(outputs, undefined, strict=True)
            )
            seeds = tuple(_C.ops.zeros_like(out) for out in outs)
            try:
                found = _C._autograd.run_grad(outs, tuple(self.tensors), seeds, True, False, True)
            except Exception as error:
                raise GradcheckError(
                    "Expected backward function to handle undefined output grads: a gradient that is None stands for zero."
                ) from error
            if any(g is not None and not bool((g == 0).all().item()) for g in found):
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are undefined or zero."
                )


def _random_direction(x: Tensor) -> Tensor:
    """Of length 1."""
    direction = _C.ops.rand(x.shape, dtype=x.dtype)
    length = float((direction * direction).sum().item()) ** 0.5
    return direction / length if length else direction


def _mismatch(output: int, input: int, numerical: Tensor, analytical: Tensor) -> str:
    return (
        f"Jacobian mismatch for output {output} with respect to input {input},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    checked = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True."
        )
    for index, x in checked:
        if x.dtype not in (_C.float64, _C.complex128):
            warnings.warn(
                f"Input #{index} requires gradient and is not a double precision floating point or complex. This check will "
                "likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=3,
            )
        if any(stride == 0 and size > 1 for stride, size in zip(x.stride(), x.shape, strict=True)):
            raise RuntimeError(
                f"The {index}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping "
                "to be able to compute the numerical gradients correctly. You should call .contiguous on the input before "
                "passing it to gradcheck."
            )


def _no_forward_mode(wanted: bool, name: str) -> None:
    if wanted:
        raise NotImplementedError(
            f"{name}=True: framejit has no forward mode of its own (func.jvp differentiates backward a second time, which "
            "gradgradcheck checks)"
        )


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compares the derivatives that autograd computes with differences of ``func`` around ``inputs``.

    Args:
        func: takes the inputs, returns a tensor or a tuple of tensors.
        inputs: those that require grad are checked; they should be float64 or complex128.
        eps: step of the differences.
        atol, rtol: absolute and relative tolerance.
        raise_exception: raise :class:`GradcheckError` at a difference, else return False.
        nondet_tol: how much the same backward pass may differ when it is run twice.
        check_undefined_grad: check that backward copes with outputs whose gradient is not there.
        check_grad_dtypes: check that gradients have the dtype of their inputs.
        check_batched_grad: check ``autograd.grad(is_grads_batched=True)``.
        check_forward_ad, check_batched_forward_grad: NotImplementedError where True.
        fast_mode: check one random projection of each Jacobian, not every element.
        masked: accepted for PyTorch's sake: it is about sparse tensors.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    _no_forward_mode(check_forward_ad, "check_forward_ad")
    _check_inputs((inputs,) if isinstance(inputs, Tensor) else tuple(inputs))
    options = _Options(
        eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad, fast_mode
    )
    function, given = jacobians.in_real_numbers(func, inputs)
    try:
        _Check(function, given, options).run()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _random_grad_outputs(outputs: tuple[Tensor, ...], non_contiguous: bool) -> tuple[Tensor, ...]:
    made = []
    for out in outputs:
        seed = _C.ops.rand(out.shape, dtype=out.dtype) * 2 - 1
        if non_contiguous and seed.numel() > 1:
            seed = _C.ops.stack([seed, seed], -1)[..., 0]
        made.append(seed.requires_grad_())
    return tuple(made)


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """As :func:`gradcheck`, of the derivatives themselves: checks that they can be differentiated.

    Args:
        grad_outputs: the gradients of the results; default random ones.
        gen_non_contig_grad_outputs: make those non-contiguous.
        check_fwd_over_rev: NotImplementedError where True.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    _no_forward_mode(check_fwd_over_rev, "check_fwd_over_rev")
    function, given = jacobians.in_real_numbers(func, inputs)
    if grad_outputs is None:
        outputs = tuple(out for out in jacobians.outputs_of(function, given) if out.requires_grad)
        seeds = _random_grad_outputs(outputs, gen_non_contig_grad_outputs)
    else:
        outer = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)
        seeds = tuple(jacobians.parts_as_leaf(seed) for seed in outer)

    def derivatives(*args: Any) -> tuple[Tensor, ...]:
        inner, outer = args[: len(given)], args[len(given) :]
        wanted = tuple(x for x in inner if isinstance(x, Tensor) and x.requires_grad)
        with enable_grad():  # the numerical derivatives are made without
            outs = tuple(out for out in jacobians.outputs_of(function, inner) if out.requires_grad)
            grads = _C._autograd.run_grad(outs, wanted, outer, True, True, True)
        return tuple(g for g in grads if g is not None and g.requires_grad)

    return gradcheck(
        derivatives,
        (*given, *seeds),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        masked=masked,
    )
