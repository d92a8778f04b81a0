"""Functions over tensors whose results or arguments take more forms than a row of the op table can say."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from framejit import _C
from framejit._C import Tensor, ops

norm = ops.norm

# --- distinct elements ------------------------------------------------------------------------------------------------


def _chosen(found: tuple[Tensor, Tensor, Tensor], return_inverse: bool, return_counts: bool) -> Any:
    output, inverse, counts = found
    if not (return_inverse or return_counts):
        return output
    return (output, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


def _distinct(
    input: Tensor, dim: int | None, consecutive: bool, return_inverse: bool, return_counts: bool
) -> Tensor | tuple[Tensor, ...]:
    found = (
        ops._unique_elements(input, consecutive, return_inverse, return_counts)
        if dim is None
        else ops._unique_slices(input, dim, consecutive)
    )
    return _chosen(found, return_inverse, return_counts)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """The distinct elements of ``input``, or its distinct slices along ``dim``, in order.

    Args:
        sorted: accepted for PyTorch's sake; the result is always sorted.
        return_inverse: also return, for each element (slice), the index of the one it equals.
        return_counts: also return how often each occurs.
    """
    return _distinct(input, dim, False, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """``input`` with one element (or slice along ``dim``) in place of each run of equal ones; see :func:`unique`."""
    return _distinct(input, dim, True, return_inverse, return_counts)


def nonzero(
    input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False
) -> Tensor | tuple[Tensor, ...]:
    """The indices of what is not zero: a row for each element, or, ``as_tuple``, a vector for each dim."""
    if not as_tuple:
        return ops.nonzero(input, out=out)
    if out is not None:
        raise TypeError("nonzero(): got an out, expected none with as_tuple=True")
    return ops.nonzero(input, as_tuple=True)


# --- shapes -----------------------------------------------------------------------------------------------------------


def broadcast_shapes(*shapes: int | Sequence[int]) -> _C.Size:
    """The shape that tensors of the given shapes broadcast to."""
    result: list[int] = []
    for shape in shapes:
        sizes = [shape] if isinstance(shape, int) else list(shape)
        for size in sizes:
            if size < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({size}): ({size})")
        result = [1] * (len(sizes) - len(result)) + result
        offset = len(result) - len(sizes)
        for i, size in enumerate(sizes):
            known = result[offset + i]
            if known != size and known != 1 and size != 1:
                raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
            result[offset + i] = size if known == 1 else known
    return _C.Size(result)


# --- differences ------------------------------------------------------------------------------------------------------


def _slope(values: Tensor, dim: int, spacing: Any, edge_order: int) -> Tensor:
    """Second-order differences inside, one-sided ones at the ends. ``spacing``: a number or the places."""
    size = values.size(dim)
    places = spacing if isinstance(spacing, Tensor) else None

    def part(start: int, stop: int) -> Tensor:
        return values.narrow(dim, start, stop - start)

    if places is None:
        gaps = None
        inside = (part(2, size) - part(0, size - 2)) / (2 * spacing)
    else:
        shape = [1] * values.dim()
        shape[dim] = size - 1
        gaps = (places[1:] - places[:-1]).reshape(shape)
        left, right = gaps.narrow(dim, 0, size - 2), gaps.narrow(dim, 1, size - 2)
        a = -right / (left * (left + right))
        b = (right - left) / (left * right)
        c = left / (right * (left + right))
        inside = a * part(0, size - 2) + b * part(1, size - 1) + c * part(2, size)

    def gap(i: int) -> Any:
        return spacing if gaps is None else gaps.narrow(dim, i, 1)

    def end(first: int, second: int, third: int, near: Any, far: Any) -> Tensor:
        values_at = [part(i, i + 1) for i in (first, second, third)][: edge_order + 1]
        if edge_order == 1:
            return (values_at[1] - values_at[0]) / near
        a = -(2 * near + far) / (near * (near + far))
        b = (near + far) / (near * far)
        c = -near / (far * (near + far))
        return a * values_at[0] + b * values_at[1] + c * values_at[2]

    other = 1 if edge_order == 2 else 0
    first = end(0, 1, min(2, size - 1), gap(0), gap(other))
    last = -end(size - 1, size - 2, max(0, size - 3), gap(size - 2), gap(size - 2 - other))
    return ops.cat([first, inside, last], dim)


def gradient(
    input: Tensor, *, spacing: Any = None, dim: int | Sequence[int] | None = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """Estimates of the derivatives of ``input`` along dims, from its values.

    Args:
        spacing: the distance of neighbours, one for all dims or one for each, or their places (a tensor for each dim).
        dim: the dims; default all.
        edge_order: 1 or 2, the order of accuracy at the ends.
    """
    dims = range(input.dim()) if dim is None else [dim] if isinstance(dim, int) else dim
    if edge_order not in (1, 2):
        raise RuntimeError(f"torch.gradient only supports edge_order=1 and edge_order=2, got {edge_order}.")
    spacings = (
        list(spacing)
        if isinstance(spacing, (tuple, list))
        else [1 if spacing is None else spacing] * len(dims)
    )
    if len(spacings) != len(dims):
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'len(dim)'"
            f" = {len(dims)}, but got {len(spacings)}"
        )
    found: dict[int, Tensor] = {}
    for d, one in zip(dims, spacings):
        if not -input.dim() <= d < input.dim():
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-input.dim()}, {input.dim() - 1}], but got {d})"
            )
        if input.size(d) < edge_order + 1:
            raise RuntimeError(
                f"torch.gradient expected each dimension size to be at least edge_order+1 = {edge_order + 1}, got {input.size(d)}"
            )
        if d % input.dim() in found:
            raise RuntimeError(f"dim {d % input.dim()} appears multiple times in the list of dims")
        found[d % input.dim()] = _slope(input, d % input.dim(), one, edge_order)
    return tuple(found.values())


# --- element by element -----------------------------------------------------------------------------------------------


def zero_(input: Tensor) -> Tensor:
    """Makes every element of ``input`` 0."""
    return input.zero_()


def apply_elementwise(function: Callable[..., Any], target: Tensor, *others: Tensor) -> Tensor:
    """Writes ``function(element, element of others...)`` into every element of ``target``."""
    lists = [tensor.flatten().tolist() for tensor in (target, *others)]
    values = [function(*elements) for elements in zip(*lists)]
    return target.copy_(_C.tensor(values, dtype=target.dtype).reshape(target.shape))


# --- from Python objects ----------------------------------------------------------------------------------------------


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of ``obj``: sharing memory with tensors, arrays and buffers where dtype allows it, unless ``copy``."""
    if copy is None or copy:
        result = (
            _C.as_tensor(obj)
            if not isinstance(obj, (builtins.bytes, builtins.bytearray))
            else frombuffer(obj, dtype=dtype)
        )
        converted = result if dtype is None else result.to(dtype)
        if copy and converted is result:
            converted = converted.clone()
    else:
        result = _C.as_tensor(obj)
        if not (isinstance(obj, Tensor) or hasattr(obj, "__array_interface__")):
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        if dtype is not None and result.dtype != dtype:
            raise ValueError(f"can't alias tensor with dtype '{result.dtype}' into dtype '{dtype}'.")
        converted = result
    if converted is obj and not requires_grad:
        return converted.detach() if converted.requires_grad else converted
    return converted.detach().requires_grad_(requires_grad)


def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A vector that shares the memory of an object with the buffer protocol.

    Args:
        count: number of elements; negative: all from ``offset`` on.
        offset: bytes to leave out.
    """
    item = ops.empty((0,), dtype=dtype).element_size()
    available = memoryview(buffer).nbytes
    if available == 0 or count == 0:
        raise ValueError(f"both buffer length ({available}) and count ({count}) must not be 0")
    if not 0 <= offset < available:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({available} bytes) - 1"
        )
    if count < 0:
        if (available - offset) % item:
            raise ValueError(
                f"buffer length ({available - offset} bytes) after offset ({offset} bytes) must be a multiple of element size ({item})"
            )
        count = (available - offset) // item
    elif offset + count * item > available:
        raise ValueError(
            f"requested buffer length ({count} * {item} bytes) after offset ({offset} bytes) must not be greater than"
            f" actual buffer length ({available} bytes)"
        )
    import numpy as np

    data = np.frombuffer(buffer, dtype=np.uint8, count=count * item, offset=offset)
    if not data.flags.writeable:
        data = data.copy()
    return _C.from_numpy(data).view(dtype).requires_grad_(requires_grad)


# --- products and factors of matrices -----------------------------------------------------------------------------------


def _as_list(dims: int | Sequence[int]) -> list[int]:
    return [dims] if isinstance(dims, int) else list(dims)


def tensordot(
    a: Tensor,
    b: Tensor,
    dims: int | Tensor | Sequence[Sequence[int]] | Sequence[int] = 2,
    out: Tensor | None = None,
) -> Tensor:
    """Sum of products over the last ``dims`` dims of ``a`` and the first of ``b``, or over the dims in two lists."""
    given = dims.tolist() if isinstance(dims, Tensor) else dims
    if isinstance(given, int):
        return ops.tensordot(a, b, given, out=out)
    first, second = (_as_list(entry) for entry in given)
    if len(first) != len(second):
        raise RuntimeError(f"both dimension lists should have same length, got {first} and {second}")
    count = len(first)
    return ops.tensordot(
        a.movedim(first, list(range(-count, 0))), b.movedim(second, list(range(count))), count, out=out
    )


def lu(
    A: Tensor, pivot: bool = True, get_infos: bool = False, out: tuple[Tensor, ...] | None = None
) -> tuple[Tensor, ...]:
    """LU and pivots of :func:`framejit.linalg.lu_factor`, with the info of :func:`framejit.linalg.lu_factor_ex` if asked for."""
    factors: Callable[..., tuple[Tensor, ...]] = _C.linalg.lu_factor_ex if get_infos else _C.linalg.lu_factor
    return factors(A, pivot=pivot, out=out) if out is not None else factors(A, pivot=pivot)


def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """The old name of :func:`framejit.linalg.householder_product`."""
    return _C.linalg.householder_product(input, input2)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """See :func:`framejit.nn.functional.rms_norm`."""
    return _C.nn_functional.rms_norm(input, normalized_shape, weight, eps)
