"""Jacobians as matrices, by differences and by autograd: what ``gradcheck`` compares.

A function of complex numbers is seen as one of their real and imaginary parts (:func:`in_real_numbers`), so that there is
one kind of Jacobian. That is PyTorch's convention of complex gradients, too: the derivative by the real part plus *i*
times that by the imaginary part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit.autograd.grad_mode import no_grad


def outputs_of(function: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Tensor, ...]:
    """The floating results of a function: those that can have derivatives."""
    result = function(*inputs)
    results = result if isinstance(result, (tuple, list)) else (result,)
    return tuple(r for r in results if isinstance(r, Tensor) and r.is_floating_point())


def unit_like(tensor: Tensor, index: int) -> Tensor:
    """Zeros of the shape and dtype of ``tensor``, contiguous, with a 1 as element ``index`` in row-major order."""
    unit = _C.ops.zeros(tensor.shape, dtype=tensor.dtype)
    unit.view(-1)[index] = 1
    return unit


def _parts(value: Any) -> Any:
    return _C.ops.view_as_real(value) if isinstance(value, Tensor) and value.is_complex() else value


def parts_as_leaf(tensor: Tensor) -> Tensor:
    """The real and imaginary parts of a complex tensor as a leaf of its own; another tensor as it is."""
    if not tensor.is_complex():
        return tensor
    parts: Tensor = _parts(tensor.detach())
    return parts.clone().requires_grad_(tensor.requires_grad)


def in_real_numbers(
    function: Callable[..., Any], inputs: Tensor | Sequence[Any]
) -> tuple[Callable[..., tuple[Any, ...]], tuple[Any, ...]]:
    """The same function with complex inputs and outputs replaced by their parts, and its inputs."""
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    complex_inputs = [isinstance(x, Tensor) and x.is_complex() for x in given]

    def of_parts(*parts: Any) -> tuple[Any, ...]:
        whole = (
            _C.ops.view_as_complex(x) if is_complex else x
            for x, is_complex in zip(parts, complex_inputs, strict=True)
        )
        result = function(*whole)
        return tuple(_parts(r) for r in (result if isinstance(result, (tuple, list)) else (result,)))

    return of_parts, tuple(parts_as_leaf(x) if isinstance(x, Tensor) else x for x in given)


def _differences(
    function: Callable[..., Any], inputs: Sequence[Any], wanted: Tensor, step: Tensor, eps: float
) -> list[Tensor]:
    """(f(x + eps step) - f(x - eps step)) / (2 eps), flat, for each output. ``wanted`` is put back as it was."""
    data = wanted.data
    before = data.clone()
    values = []
    with no_grad():
        for sign in (1, -1):
            data.copy_(before + step * (sign * eps))
            values.append([out.clone().reshape(-1) for out in outputs_of(function, inputs)])
        data.copy_(before)
    return [(above - below) / (2 * eps) for above, below in zip(*values, strict=True)]


def numerical(function: Callable[..., Any], inputs: Sequence[Any], wanted: Tensor, eps: float) -> list[Tensor]:
    """By central differences: for each output a matrix [element of ``wanted``, element of the output]."""
    columns = []
    for i in range(wanted.numel()):
        columns.append(_differences(function, inputs, wanted, unit_like(wanted, i), eps))
    if not columns:
        return [out.new_zeros((0, out.numel())) for out in outputs_of(function, inputs)]
    return [_C.ops.stack(list(rows)) for rows in zip(*columns, strict=True)]


def numerical_along(
    function: Callable[..., Any], inputs: Sequence[Any], wanted: Tensor, direction: Tensor, eps: float
) -> list[Tensor]:
    """The derivative of each output in one direction, flat."""
    return _differences(function, inputs, wanted, direction, eps)


def vjp(output: Tensor, inputs: Sequence[Tensor], seed: Tensor | None) -> tuple[Tensor | None, ...]:
    """The gradients of one output for one seed, None where there is none."""
    return _C._autograd.run_grad((output,), tuple(inputs), (seed,), True, False, True)


def analytical_rows(output: Tensor, inputs: Sequence[Tensor]) -> list[tuple[Tensor | None, ...]]:
    """For each element of the output its gradients by the inputs."""
    return [vjp(output, inputs, unit_like(output, i)) for i in range(output.numel())]


def as_matrix(rows: list[tuple[Tensor | None, ...]], index: int, wanted: Tensor, output: Tensor) -> Tensor:
    """The rows' gradients by input ``index`` as a matrix [element of the input, element of the output]."""
    if not rows:
        return output.new_zeros((wanted.numel(), 0))
    columns = []
    for row in rows:
        gradient = row[index]
        columns.append(
            output.new_zeros(wanted.numel()) if gradient is None else gradient.detach().reshape(-1).to(output.dtype)
        )
    return _C.ops.stack(columns, 1)
