"""Automatic differentiation: what a user calls. The engine is C++ (``eager/autograd/``).

``function`` (custom functions), ``grad_mode`` (switches), ``gradcheck`` (numerical checks), ``hooks``.
"""

from __future__ import annotations

from collections.abc import Sequence

from framejit import _C
from framejit._C import Node as Node
from framejit._C import Tensor
from framejit.autograd.variable import Variable as Variable
from framejit.compiler.api import leave_to_interpreter

_Tensors = Tensor | Sequence[Tensor]


def _as_tuple(tensors: _Tensors | None) -> tuple[Tensor, ...]:
    if tensors is None:
        return ()
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _grads_for(
    outputs: tuple[Tensor, ...], grads: Tensor | Sequence[Tensor | None] | None
) -> tuple[Tensor | None, ...]:
    """One gradient per output; None stands for 1 and needs an output of one element."""
    given = tuple(grads) if isinstance(grads, Sequence) else (grads,) * (len(outputs) if grads is None else 1)
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    for output, grad in zip(outputs, given, strict=True):
        if grad is None:
            if output.requires_grad and output.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
        elif not isinstance(grad, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
        elif grad.shape != output.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output has a shape of {grad.shape} and output has a shape of {output.shape}."
            )
    return given


@leave_to_interpreter
def backward(
    tensors: _Tensors,
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: _Tensors | None = None,
) -> None:
    """Adds the gradients of the sum of ``tensors`` to ``.grad`` of the leaves.

    Args:
        tensors: what is differentiated.
        grad_tensors: one gradient per tensor; may be left out for tensors of one element.
        retain_graph: keep what is needed for another call. Default: the value of ``create_graph``.
        create_graph: make the gradients differentiable.
        inputs: only these get a ``.grad``.
    """
    outputs = _as_tuple(tensors)
    targets = _as_tuple(inputs)
    if inputs is not None and not targets:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    grads = _grads_for(outputs, grad_tensors)
    retain = create_graph if retain_graph is None else retain_graph
    _C._autograd.run_backward(outputs, grads, retain, create_graph, targets)


@leave_to_interpreter
def grad(
    outputs: _Tensors,
    inputs: _Tensors,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of the sum of ``outputs`` with respect to ``inputs``, as a tuple; ``.grad`` is left alone.

    Args:
        outputs, grad_outputs, retain_graph, create_graph: as in :func:`backward`.
        allow_unused: an input that no output depends on gives None instead of an error.
        materialize_grads: such an input gives zeros.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True")
    output_tuple, input_tuple = _as_tuple(outputs), _as_tuple(inputs)
    if not input_tuple:
        raise ValueError("grad requires non-empty inputs.")
    grads = _grads_for(output_tuple, grad_outputs)
    retain = create_graph if retain_graph is None else retain_graph
    allow = bool(allow_unused) or materialize_grads
    result = _C._autograd.run_grad(output_tuple, input_tuple, grads, retain, create_graph, allow)
    if materialize_grads:
        result = tuple(
            _C.ops.zeros_like(of) if one is None else one for one, of in zip(result, input_tuple, strict=True)
        )
    return result


from framejit.autograd.function import Function as Function  # noqa: E402
from framejit.autograd.grad_mode import enable_grad as enable_grad  # noqa: E402
from framejit.autograd.grad_mode import inference_mode as inference_mode  # noqa: E402
from framejit.autograd.grad_mode import no_grad as no_grad  # noqa: E402
from framejit.autograd.grad_mode import set_grad_enabled as set_grad_enabled  # noqa: E402
from framejit.autograd.gradcheck import gradcheck as gradcheck  # noqa: E402
from framejit.autograd.gradcheck import gradgradcheck as gradgradcheck  # noqa: E402
