"""Automatic differentiation: what a user calls. The engine is C++ (``eager/autograd/``).

``function`` (custom functions), ``grad_mode`` (switches), ``graph`` (nodes, edges, saved tensors), ``functional``
(Jacobians and the like), ``forward_ad`` (tangents), ``anomaly_mode``, ``gradcheck`` (numerical checks).
"""

from __future__ import annotations

from collections.abc import Sequence

from framejit import _C
from framejit._C import Node as Node
from framejit._C import Tensor
from framejit.autograd.graph import GradientEdge
from framejit.autograd.variable import Variable as Variable
from framejit.compiler.api import leave_to_interpreter

_Tensors = Tensor | GradientEdge | Sequence[Tensor | GradientEdge]
_Grads = Tensor | Sequence[Tensor | None] | None


def _as_tuple(tensors: _Tensors | None) -> tuple[Tensor | GradientEdge, ...]:
    if tensors is None:
        return ()
    if isinstance(tensors, (Tensor, GradientEdge)):
        return (tensors,)
    return tuple(tensors)


def _grads_for(outputs: tuple[Tensor | GradientEdge, ...], grads: _Grads) -> tuple[Tensor | None, ...]:
    """One gradient per output; None stands for 1 and needs an output of one element."""
    given = tuple(grads) if isinstance(grads, Sequence) else (grads,) * (len(outputs) if grads is None else 1)
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    for i, (output, grad) in enumerate(zip(outputs, given, strict=True)):
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
        if not isinstance(output, Tensor):
            continue
        if grad is None:
            if output.requires_grad and output.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
        elif grad.shape != output.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{i}] has a shape of {grad.shape} and output[{i}] has a shape of "
                f"{output.shape}."
            )
    return given


@leave_to_interpreter
def backward(
    tensors: _Tensors,
    grad_tensors: _Grads = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: _Grads = None,
    inputs: _Tensors | None = None,
) -> None:
    """Adds the gradients of the sum of ``tensors`` to ``.grad`` of the leaves.

    Args:
        tensors: what is differentiated.
        grad_tensors: one gradient per tensor; may be left out for tensors of one element.
        retain_graph: keep what is needed for another call. Default: the value of ``create_graph``.
        create_graph: make the gradients differentiable.
        grad_variables: the former name of ``grad_tensors``.
        inputs: only these get a ``.grad``.
    """
    if grad_variables is not None:
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
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
    grad_outputs: _Grads = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of the sum of ``outputs`` with respect to ``inputs``, as a tuple; ``.grad`` is left alone.

    Args:
        outputs, grad_outputs, retain_graph, create_graph: as in :func:`backward`.
        only_inputs: must be True.
        allow_unused: an input that no output depends on gives None instead of an error.
        is_grads_batched: the first dimension of every ``grad_outputs`` counts independent gradients, and so does the
            first dimension of the results. (They are computed one after the other.)
        materialize_grads: such an input gives zeros.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        raise RuntimeError(
            "only_inputs=False is not supported: use autograd.backward to fill `.grad` of all leaves"
        )
    output_tuple, input_tuple = _as_tuple(outputs), _as_tuple(inputs)
    if not input_tuple:
        raise ValueError("grad requires non-empty inputs.")
    retain = create_graph if retain_graph is None else retain_graph
    allow = bool(allow_unused) or materialize_grads
    if is_grads_batched:
        result = _batched(output_tuple, input_tuple, grad_outputs, retain, create_graph, allow)
    else:
        grads = _grads_for(output_tuple, grad_outputs)
        result = _C._autograd.run_grad(output_tuple, input_tuple, grads, retain, create_graph, allow)
    if materialize_grads:
        if any(
            one is None and not isinstance(of, Tensor) for one, of in zip(result, input_tuple, strict=True)
        ):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        result = tuple(
            _C.ops.zeros_like(of) if one is None else one
            for one, of in zip(result, input_tuple, strict=True)
        )
    return result


def _batched(
    outputs: tuple[Tensor | GradientEdge, ...],
    inputs: tuple[Tensor | GradientEdge, ...],
    grads: _Grads,
    retain: bool,
    create_graph: bool,
    allow_unused: bool,
) -> tuple[Tensor | None, ...]:
    batches = (grads,) if isinstance(grads, Tensor) else tuple(grads or ())
    if not batches or any(batch is None for batch in batches):
        raise RuntimeError("is_grads_batched=True needs grad_outputs for every output")
    count = len(batches[0])  # type: ignore[arg-type]
    rows = []
    for i in range(count):
        first = _grads_for(outputs, [batch[i] for batch in batches])  # type: ignore[index]
        keep = retain or i + 1 < count
        rows.append(_C._autograd.run_grad(outputs, inputs, first, keep, create_graph, allow_unused))
    return tuple(
        None if column[0] is None else _C.ops.stack(list(column))
        for column in zip(*rows, strict=True)
    )


from framejit.autograd import forward_ad as forward_ad  # noqa: E402
from framejit.autograd import functional as functional  # noqa: E402
from framejit.autograd import graph as graph  # noqa: E402
from framejit.autograd.anomaly_mode import detect_anomaly as detect_anomaly  # noqa: E402
from framejit.autograd.anomaly_mode import set_detect_anomaly as set_detect_anomaly  # noqa: E402
from framejit.autograd.function import Function as Function  # noqa: E402
from framejit.autograd.grad_mode import enable_grad as enable_grad  # noqa: E402
from framejit.autograd.grad_mode import inference_mode as inference_mode  # noqa: E402
from framejit.autograd.grad_mode import no_grad as no_grad  # noqa: E402
from framejit.autograd.grad_mode import set_grad_enabled as set_grad_enabled  # noqa: E402
from framejit.autograd.grad_mode import set_multithreading_enabled as set_multithreading_enabled  # noqa: E402
from framejit.autograd.gradcheck import gradcheck as gradcheck  # noqa: E402
from framejit.autograd.gradcheck import gradgradcheck as gradgradcheck  # noqa: E402
