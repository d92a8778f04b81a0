"""Numerical checks of derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit.autograd.grad_mode import enable_grad, no_grad


class GradcheckError(RuntimeError):
    """An analytical derivative differs from the numerical one."""


def _outputs(function: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Tensor, ...]:
    result = function(*inputs)
    results = result if isinstance(result, (tuple, list)) else (result,)
    return tuple(r for r in results if isinstance(r, Tensor) and r.is_floating_point())


def _in_real_numbers(
    function: Callable[..., Any], inputs: Tensor | Sequence[Any]
) -> tuple[Callable[..., tuple[Any, ...]], tuple[Any, ...]]:
    """The same function of real numbers: complex inputs and outputs are replaced by their parts."""
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    complex_inputs = [isinstance(x, Tensor) and x.is_complex() for x in given]

    def of_parts(*parts: Any) -> tuple[Any, ...]:
        result = function(*(_C.ops.view_as_complex(x) if is_complex else x for x, is_complex in zip(parts, complex_inputs, strict=True)))
        return tuple(_parts(r) for r in (result if isinstance(result, (tuple, list)) else (result,)))

    leaves = (_parts(x.detach()).clone().requires_grad_(x.requires_grad) if c else x for x, c in zip(given, complex_inputs, strict=True))
    return of_parts, tuple(leaves)


def _parts(value: Any) -> Any:
    return _C.ops.view_as_real(value) if isinstance(value, Tensor) and value.is_complex() else value


def _numerical(
    function: Callable[..., Any], inputs: Sequence[Any], wanted: Tensor, eps: float
) -> list[list[list[float]]]:
    """d output / d element of ``wanted``, by central differences: [output][element of input][element of output]."""
    columns: list[list[list[float]]] = []
    flat = wanted.data.view(-1)
    with no_grad():
        for i in range(flat.numel()):
            value = flat[i].item()
            flat[i] = value + eps
            above = [out.clone().reshape(-1) for out in _outputs(function, inputs)]
            flat[i] = value - eps
            below = [out.clone().reshape(-1) for out in _outputs(function, inputs)]
            flat[i] = value
            columns.append([((a - b) / (2 * eps)).tolist() for a, b in zip(above, below, strict=True)])
    count = len(_outputs(function, inputs)) if not columns else len(columns[0])
    return [[column[k] for column in columns] for k in range(count)]


def _analytical(output: Tensor, wanted: Tensor) -> list[list[float]]:
    """[element of output][element of input]"""
    rows = []
    for i in range(output.numel()):
        seed = _C.ops.zeros_like(output)
        seed.view(-1)[i] = 1
        (grad,) = _C._autograd.run_grad((output,), (wanted,), (seed,), True, False, True)
        rows.append([0.0] * wanted.numel() if grad is None else grad.reshape(-1).tolist())
    return rows


def _close(a: float, b: float, atol: float, rtol: float) -> bool:
    return abs(a - b) <= atol + rtol * abs(b) or (a != a and b != b)


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compares the derivatives that autograd computes with differences of ``func`` around ``inputs``.

    Args:
        func: takes the inputs, returns a tensor or a tuple of tensors.
        inputs: those that require grad are checked; they should be float64 or complex128, and contiguous.
        eps: step of the differences.
        atol, rtol: absolute and relative tolerance.
        raise_exception: raise :class:`GradcheckError` at a difference, else return False.
    """
    func, given = _in_real_numbers(func, inputs)
    checked = [(i, x) for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True."
        )
    for index, wanted in checked:
        expected = _numerical(func, given, wanted, eps)
        for number, output in enumerate(_outputs(func, given)):
            if not output.requires_grad:
                continue
            found = _analytical(output, wanted)
            for row, values in enumerate(found):
                for column, value in enumerate(values):
                    reference = expected[number][column][row]
                    if _close(value, reference, atol, rtol):
                        continue
                    if not raise_exception:
                        return False
                    raise GradcheckError(
                        f"Jacobian mismatch for output {number} with respect to input {index}: element {row} of the output by "
                        f"element {column} of the input: numerical {reference}, analytical {value}"
                    )
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    **options: Any,
) -> bool:
    """As :func:`gradcheck`, of the derivatives themselves: checks that they can be differentiated."""
    func, given = _in_real_numbers(func, inputs)
    if grad_outputs is None:
        seeds = tuple(_C.ops.randn_like(out).requires_grad_() for out in _outputs(func, given))
    else:
        outer = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)
        seeds = tuple(_parts(seed.detach()).clone().requires_grad_(seed.requires_grad) if seed.is_complex() else seed for seed in outer)

    def derivatives(*args: Any) -> tuple[Tensor, ...]:
        inner, outer = args[: len(given)], args[len(given) :]
        wanted = tuple(x for x in inner if isinstance(x, Tensor) and x.requires_grad)
        with enable_grad():  # the numerical derivatives are made without
            grads = _C._autograd.run_grad(_outputs(func, inner), wanted, outer, True, True, True)
        return tuple(g for g in grads if g is not None and g.requires_grad)

    return gradcheck(derivatives, (*given, *seeds), **options)
