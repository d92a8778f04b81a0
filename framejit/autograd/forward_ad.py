"""Forward-mode derivatives: tensors that carry a tangent through what is computed of them.

>>> with dual_level():
...     y = f(make_dual(x, v))
...     value, tangent = unpack_dual(y)   # f(x) and the Jacobian times v

The engine goes backwards only, so :func:`unpack_dual` computes the tangent by differentiating the backward pass, as
:func:`framejit.func.jvp` does. Results are the same; what differs from PyTorch's:

- it costs about as much as two backward passes for each tensor that is unpacked, and the graph up to it is kept;
- what is computed must be twice differentiable; a ``jvp`` of a custom :class:`framejit.autograd.Function` is not called;
- duals require grad, a level switches grad mode on, and what runs under ``no_grad`` within it carries no tangent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from framejit import _C
from framejit._C import Tensor
from framejit.autograd.grad_mode import _Decorator, enable_grad
from framejit.compiler.api import leave_to_interpreter

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent, None where it has none."""

    primal: Tensor
    tangent: Tensor | None


class _Duals:
    """The tensors of the level that carry a tangent, and what they carry."""

    def __init__(self, was_enabled: bool) -> None:
        from framejit.func.levels import Level  # which imports autograd

        self.was_enabled = was_enabled
        self.level = Level()
        self.tangents: list[Tensor] = []


_current: _Duals | None = None  # one level: PyTorch does not nest them either


@leave_to_interpreter
def enter_dual_level() -> int:
    """Begins a level, in which duals can be made; returns its number, 0."""
    global _current
    if _current is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    was_enabled = _C._autograd.is_grad_enabled()
    _C._autograd.set_grad_enabled(True)
    _current = _Duals(was_enabled)
    return 0


@leave_to_interpreter
def exit_dual_level(*, level: int | None = None) -> None:
    """Ends the level: tensors lose their tangents."""
    global _current
    if _current is None:
        raise RuntimeError("Dual level must be a positive number.")
    if level not in (None, 0):
        raise RuntimeError(f"Trying to exit a forward AD level that was not the last one that was created: {level}.")
    _C._autograd.set_grad_enabled(_current.was_enabled)
    _current = None


class dual_level(_Decorator):
    """A block in which duals can be made. Their tangents are lost at its end."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


@leave_to_interpreter
def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Another tensor of the same values that carries ``tangent``; the result's memory is that of ``tensor``.

    Raises:
        RuntimeError: there is no level, the shapes differ, or ``tensor`` carries a tangent already.
        ValueError: the dtypes are not of real or complex numbers.
    """
    if _current is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for what, one in (("primal", tensor), ("tangent", tangent)):
        if not (one.is_floating_point() or one.is_complex()):
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {one.dtype}")
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
            f"Tensor is of size {list(tensor.shape)} while the given forward gradient is of size {list(tangent.shape)}."
        )
    if not _C._autograd.is_grad_enabled():
        raise RuntimeError("make_dual: got a call under no_grad, where tensors carry no tangents. Try enable_grad.")
    if unpack_dual(tensor).tangent is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
        )
    _current.tangents.append(tangent.to(tensor.dtype))
    return _current.level.own_input(tensor)


@leave_to_interpreter
def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The values of a tensor and its tangent, None where it does not depend on a dual."""
    if _current is None or not tensor.requires_grad or not _current.tangents:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(_current.level.finish(tensor), _tangent(_current, tensor))


def _tangent(duals: _Duals, tensor: Tensor) -> Tensor | None:
    """The Jacobian times the tangents. The product from the left is linear in its vector ``seed``, and its matrix is the
    transposed Jacobian: the gradient of that product is the one from the right."""
    level = duals.level
    with enable_grad():
        seed = _C.ops.zeros_like(tensor).requires_grad_()
        products = _C._autograd.run_grad((tensor,), level.own, (seed,), True, True, True)
        used: list[Any] = [pair for pair in zip(products, duals.tangents, strict=True) if pair[0] is not None]
        if not used:
            return None
        found = [product for product, _ in used if product.requires_grad]
        vectors = [vector for product, vector in used if product.requires_grad]
        if not found:  # a derivative of zeros
            return _C.ops.zeros_like(tensor).detach()
        further = level.depends_on_outside((tensor, *[vector for vector in vectors if vector.requires_grad]))
        (tangent,) = _C._autograd.run_grad(tuple(found), (seed,), tuple(vectors), True, further, True)
    if tangent is None:
        return _C.ops.zeros_like(tensor).detach()
    return tangent if further else tangent.detach()
