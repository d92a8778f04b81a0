"""Jacobians, Hessians and their products with vectors, of functions of tensors.

All of them run ``func`` on views of its inputs, so that nothing else in a graph takes part, and differentiate the
results. Products from the right (``jvp``, ``hvp``) differentiate the product from the left a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from framejit import _C
from framejit._C import Tensor
from framejit.autograd.grad_mode import enable_grad
from framejit.autograd.jacobians import unit_like

_Tensors = Tensor | tuple[Tensor, ...]


def _tuple_of(value: Any, what: str, function: str) -> tuple[tuple[Tensor, ...], bool]:
    """As a tuple, and whether it was one."""
    is_tuple = isinstance(value, (tuple, list))
    values = tuple(value) if is_tuple else (value,)
    for i, each in enumerate(values):
        if not isinstance(each, Tensor):
            given = "outputs of the user-provided function" if what == "outputs" else what
            place = f"the value at index {i}" if is_tuple else f"the given {given}"
            raise TypeError(
                f"The {given} given to {function} must be either a Tensor or a tuple of Tensors but {place} has type "
                f"{type(each)}."
            )
    return values, is_tuple


def _fresh_inputs(inputs: tuple[Tensor, ...], create_graph: bool) -> tuple[Tensor, ...]:
    """Others than the user's, which the results alone depend on."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in inputs
    )


def _call(
    func: Callable[..., Any], inputs: tuple[Tensor, ...], function: str
) -> tuple[tuple[Tensor, ...], bool]:
    return _tuple_of(func(*inputs), "outputs", function)


def _finish(results: tuple[Tensor, ...], is_tuple: bool, create_graph: bool) -> Any:
    if not create_graph:
        results = tuple(result.detach() for result in results)
    return results if is_tuple else results[0]


def grads_or_zeros(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    seeds: Sequence[Tensor | None] | None,
    *,
    create_graph: bool,
    strict: str = "",
) -> tuple[Tensor, ...]:
    """The gradients of the inputs: zeros where there is no dependence, or an error with the text ``strict``. The graph is
    kept."""
    pairs = [(out, None if seeds is None else seeds[i]) for i, out in enumerate(outputs) if out.requires_grad]
    found: tuple[Tensor | None, ...] = (None,) * len(inputs)
    if pairs:
        outs, firsts = zip(*pairs, strict=True)
        found = _C._autograd.run_grad(outs, tuple(inputs), firsts, True, create_graph, True)
    if strict and any(one is None for one in found):
        index = next(i for i, one in enumerate(found) if one is None)
        raise RuntimeError(strict.format(index=index))
    return tuple(_C.ops.zeros_like(x) if one is None else one for one, x in zip(found, inputs, strict=True))


def _check_vectors(vectors: tuple[Tensor, ...], like: tuple[Tensor, ...], given: bool) -> None:
    if len(vectors) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}."
            if given
            else "v was not given"
        )
    for i, (vector, tensor) in enumerate(zip(vectors, like, strict=True)):
        if vector.shape != tensor.shape:
            place = f"Entry {i} in " if len(like) > 1 else ""
            raise RuntimeError(f"{place}v has invalid size: should be {tensor.shape} but got {vector.shape}.")


def _vectors(v: Any, like: tuple[Tensor, ...], what: str, function: str) -> tuple[Tensor, ...]:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(
                f"The vector v can only be None if {what} a single Tensor with a single element."
            )
        return (_C.ops.ones_like(like[0]),)
    vectors, _ = _tuple_of(v, "v", function)
    _check_vectors(vectors, like, True)
    return vectors


_STRICT_INPUT = "The output of the user-provided function is independent of input {index}. This is not allowed in strict mode."


def _check_strict_outputs(outputs: tuple[Tensor, ...]) -> None:
    for i, output in enumerate(outputs):
        if not output.requires_grad:
            raise RuntimeError(
                f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
                "differentiable manner from the input when running in strict mode."
            )


def _check_strict_gradient(gradient: tuple[Tensor, ...]) -> None:
    """The first derivative, of which a second is to be taken."""
    for i, one in enumerate(gradient):
        if not one.requires_grad:
            raise RuntimeError(
                f"While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} "
                "is independent of the input. This is not allowed in strict mode. You should ensure that your function is "
                "twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear function "
                "for example)."
            )


def _check_strict_result(result: tuple[Tensor, ...], create_graph: bool, strict: bool) -> None:
    """A derivative that is to be differentiable."""
    for i, one in enumerate(result):
        if create_graph and strict and not one.requires_grad:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict mode "
                "when create_graph=True."
            )


def vjp(
    func: Callable[..., _Tensors],
    inputs: _Tensors,
    v: _Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """``(func(*inputs), v @ Jacobian)``: one gradient per input.

    Args:
        func: takes the inputs, returns a tensor or a tuple of tensors.
        v: one vector per output, of its size; may be left out for an output of one element.
        create_graph: make both results differentiable.
        strict: raise an error where an output does not depend on an input, instead of giving zeros.
    """
    given, is_tuple = _tuple_of(inputs, "inputs", "vjp")
    with enable_grad():
        own = _fresh_inputs(given, create_graph)
        outputs, outputs_are_tuple = _call(func, own, "vjp")
        if strict:
            _check_strict_outputs(outputs)
        vectors = _vectors(v, outputs, "the user-provided function returns", "vjp")
        grads = grads_or_zeros(
            outputs, own, vectors, create_graph=create_graph, strict=_STRICT_INPUT if strict else ""
        )
        _check_strict_result(grads, create_graph, strict)
    return _finish(outputs, outputs_are_tuple, create_graph), _finish(grads, is_tuple, create_graph)


def _push_forward(
    outputs: tuple[Tensor, ...],
    own: tuple[Tensor, ...],
    vectors: tuple[Tensor, ...],
    *,
    create_graph: bool,
    strict: str = "",
) -> tuple[Tensor, ...]:
    """Jacobian @ v: the product from the left is linear in its vector, so its derivative is the product from the right."""
    seeds = tuple(_C.ops.zeros_like(out).requires_grad_() for out in outputs)
    pulled = grads_or_zeros(outputs, own, seeds, create_graph=True, strict=strict)
    return grads_or_zeros(pulled, seeds, vectors, create_graph=create_graph)


def jvp(
    func: Callable[..., _Tensors],
    inputs: _Tensors,
    v: _Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """``(func(*inputs), Jacobian @ v)``: one derivative per output. ``v``: one vector per input, of its size."""
    given, _ = _tuple_of(inputs, "inputs", "jvp")
    with enable_grad():
        own = _fresh_inputs(given, create_graph)
        vectors = _vectors(v, own, "the input to the user-provided function is", "jvp")
        outputs, outputs_are_tuple = _call(func, own, "jvp")
        if strict:
            _check_strict_outputs(outputs)
        result = _push_forward(
            outputs, own, vectors, create_graph=create_graph, strict=_STRICT_INPUT if strict else ""
        )
        _check_strict_result(result, create_graph, strict)
    return _finish(outputs, outputs_are_tuple, create_graph), _finish(result, outputs_are_tuple, create_graph)


def _jacobian_rows(
    output: Tensor, own: tuple[Tensor, ...], create_graph: bool, strict: str
) -> tuple[Tensor, ...]:
    """The Jacobian of one output by each input, of shape output.shape + input.shape."""
    rows = []
    for i in range(output.numel()):
        seeds = (unit_like(output, i),)
        rows.append(grads_or_zeros((output,), own, seeds, create_graph=create_graph, strict=strict))
    shapes = [tuple(output.shape) + tuple(x.shape) for x in own]
    if not rows:
        return tuple(_C.ops.zeros(shape, dtype=x.dtype) for shape, x in zip(shapes, own, strict=True))
    columns = zip(*rows, strict=True)
    return tuple(
        _C.ops.stack(list(column)).reshape(shape) for column, shape in zip(columns, shapes, strict=True)
    )


def jacobian(
    func: Callable[..., _Tensors],
    inputs: _Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivatives of all outputs by all inputs: ``result[output][input]``, without a level where there is one tensor.

    Args:
        create_graph, strict: as in :func:`vjp`.
        vectorize: accepted; rows are computed one after the other.
        strategy: ``"reverse-mode"``, or ``"forward-mode"`` with ``vectorize``, which gives the same values.
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if strict and vectorize:
        raise RuntimeError(
            "jacobian: `strict=True` and `vectorized=True` are not supported together. Please either set `strict=False` or "
            "`vectorize=False`."
        )
    if strategy == "forward-mode" and (create_graph or not vectorize):
        raise NotImplementedError(
            'torch.autograd.functional.jacobian: `strategy="forward-mode"` needs vectorize=True and create_graph=False'
        )
    given, is_tuple = _tuple_of(inputs, "inputs", "jacobian")
    with enable_grad():
        own = _fresh_inputs(given, create_graph)
        outputs, outputs_are_tuple = _call(func, own, "jacobian")
        if strict:
            _check_strict_outputs(outputs)
        text = _STRICT_INPUT.replace("The output", "Output {output}") if strict else ""
        rows = [
            _jacobian_rows(output, own, create_graph, text.replace("{output}", str(i)))
            for i, output in enumerate(outputs)
        ]
        for row in rows:
            _check_strict_result(row, create_graph, strict)
    results = tuple(_finish(row, is_tuple, create_graph) for row in rows)
    return results if outputs_are_tuple else results[0]


def _check_scalar(output: Any, function: str) -> Tensor:
    outputs, is_tuple = _tuple_of(output, "outputs", function)
    if is_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].numel() != 1 or outputs[0].dim() > 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {function} should contain a single element"
        )
    return outputs[0].reshape(())


def _gradient(
    func: Callable[..., Tensor], own: tuple[Tensor, ...], function: str, strict: bool
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The one number that ``func`` returns, and its gradient, which can be differentiated again."""
    output = _check_scalar(func(*own), function)
    if strict:
        _check_strict_outputs((output,))
    gradient = grads_or_zeros((output,), own, None, create_graph=True, strict=_STRICT_INPUT if strict else "")
    if strict:
        _check_strict_gradient(gradient)
    return output, gradient


def hessian(
    func: Callable[..., Tensor],
    inputs: _Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function with one number as its result: ``result[input][input]``."""
    if outer_jacobian_strategy not in ("reverse-mode", "forward-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    _, is_tuple = _tuple_of(inputs, "inputs", "hessian")

    def gradient(*own: Tensor) -> tuple[Tensor, ...]:
        return _gradient(func, own, "hessian", strict)[1]

    rows = jacobian(gradient, inputs, create_graph=create_graph, strict=strict, vectorize=vectorize)
    return rows if is_tuple else rows[0]


def vhp(
    func: Callable[..., Tensor],
    inputs: _Tensors,
    v: _Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensor, Any]:
    """``(func(*inputs), v @ Hessian)``. ``v``: one vector per input, of its size."""
    given, is_tuple = _tuple_of(inputs, "inputs", "vhp")
    with enable_grad():
        own = _fresh_inputs(given, create_graph)
        vectors = _vectors(v, own, "the input to the user-provided function is", "vhp")
        output, gradient = _gradient(func, own, "vhp", strict)
        result = grads_or_zeros(
            gradient, own, vectors, create_graph=create_graph, strict=_STRICT_INPUT if strict else ""
        )
    return _finish((output,), False, create_graph), _finish(result, is_tuple, create_graph)


def hvp(
    func: Callable[..., Tensor],
    inputs: _Tensors,
    v: _Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Tensor, Any]:
    """``(func(*inputs), Hessian @ v)``. A Hessian is symmetric only where the function is smooth; ``vhp`` is faster."""
    given, is_tuple = _tuple_of(inputs, "inputs", "hvp")
    with enable_grad():
        own = _fresh_inputs(given, create_graph)
        vectors = _vectors(v, own, "the input to the user-provided function is", "hvp")
        output, gradient = _gradient(func, own, "hvp", strict)
        result = _push_forward(gradient, own, vectors, create_graph=create_graph)
    return _finish((output,), False, create_graph), _finish(result, is_tuple, create_graph)
