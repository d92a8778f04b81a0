"""Shapes, joining and indexing."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import framejit as fj
from framejit import Tensor
from framejit.array_api._types import Axes, axes_of, promote

__all__ = [
    "broadcast_arrays",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "take",
    "take_along_axis",
    "tile",
    "unstack",
]


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    return list(fj.broadcast_tensors(arrays))


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    return fj.broadcast_to(x, shape)


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    same = promote(*arrays)
    if axis is None:
        return fj.cat([x.reshape(-1) for x in same], 0)
    axes_of(axis, same[0].ndim)
    common = same[0].shape
    for x in same:  # PyTorch leaves out vectors without elements, of any shape beside them
        if x.ndim != len(common):
            raise ValueError(
                f"concat: got arrays of {len(common)} and {x.ndim} dimensions, expected the same number"
            )
    return fj.cat(list(same), axis)


def expand_dims(x: Tensor, /, axis: int) -> Tensor:
    return fj.unsqueeze(x, axis)


def flip(x: Tensor, /, *, axis: Axes = None) -> Tensor:
    return fj.flip(x, axes_of(axis, x.ndim))


def moveaxis(x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Tensor:
    return fj.movedim(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    return fj.permute(x, axes)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    flat, along = (x.reshape(-1), 0) if axis is None else (x, axis)
    if isinstance(repeats, int):
        return fj.repeat_interleave(flat, repeats, along)
    counts = repeats.to(fj.int64).expand(flat.shape[along])
    ends = counts.cumsum(0)
    places = fj.arange(int(counts.sum()))
    return fj.index_select(flat, along, (places.unsqueeze(1) >= ends).sum(1))


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: builtins.bool | None = None) -> Tensor:
    if copy is False:
        try:
            return x.view(shape)
        except RuntimeError as error:
            raise ValueError(f"reshape: got copy=False, but {error}") from None
    result = fj.reshape(x, shape)
    return result.clone() if copy else result


def roll(x: Tensor, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    if axis is None:
        return fj.roll(x, shift)
    axes = axes_of(axis, x.ndim)
    shifts = [shift] * len(axes) if isinstance(shift, int) else list(shift)
    return fj.roll(x, shifts, axes)


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    axes = axes_of(axis, x.ndim)
    for entry in axes:
        if x.shape[entry] != 1:
            raise ValueError(f"squeeze: got axis {entry} of size {x.shape[entry]}, expected size 1")
    return fj.squeeze(x, tuple(axes)) if axes else x


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    return fj.stack(list(promote(*arrays)), axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    return fj.tile(x, repetitions)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    return fj.unbind(x, axis)


# --- indexing ---------------------------------------------------------------------------------------------------------
def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    if axis is None:
        if x.ndim != 1:
            raise ValueError(
                f"take: got an array of {x.ndim} dimensions without axis, expected a vector or an axis"
            )
        axis = 0
    size = x.shape[axis]
    wrapped = fj.where(indices < 0, indices + size, indices)
    taken = fj.index_select(x, axis, wrapped.reshape(-1).to(fj.int64))
    return taken.unflatten(axis, indices.shape) if indices.ndim != 1 else taken


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    size = x.shape[axis]
    wrapped = fj.where(indices < 0, indices + size, indices).to(fj.int64)
    return fj.take_along_dim(x, wrapped, axis)
