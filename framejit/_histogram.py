"""Histograms of points in several dims: ``torch.histogramdd``."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

import framejit as fj
from framejit import Tensor

histogramdd_result = namedtuple("histogramdd_result", ["hist", "bin_edges"])


def _ends(points: Tensor, dim: int, given: Sequence[float] | None) -> tuple[float, float]:
    """Where the histogram of a coordinate begins and ends: as given, or at its extremes, half a unit aside if they are one."""
    if given is not None:
        low, high = given[2 * dim : 2 * dim + 2]
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low} max {high} for dimension {dim}"
            )
    elif points.size(0) == 0:
        low, high = 0.0, 1.0
    else:
        low, high = float(points[:, dim].min()), float(points[:, dim].max())
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _edges(
    points: Tensor, bins: int | Sequence[int] | Sequence[Tensor], ends: Sequence[float] | None
) -> list[Tensor]:
    count = points.size(1)
    each: list[int | Tensor] = [bins] * count if isinstance(bins, int) else list(bins)
    if len(each) != count:
        raise RuntimeError(
            f"torch.histogramdd: expected {count} sequences of bin edges for a {count}-dimensional histogram but got "
            f"{len(each)}"
        )
    if ends is not None and len(ends) != 2 * count:
        raise RuntimeError(
            f"torch.histogramdd: for a {count}-dimensional histogram range should have {2 * count} elements, but got "
            f"{len(ends)}"
        )
    edges = []
    for dim, one in enumerate(each):
        if isinstance(one, Tensor):
            edges.append(one)
        else:
            if one < 1:
                raise RuntimeError(
                    f"torch.histogramdd(): bins must be > 0, but got {one} for dimension {dim}"
                )
            low, high = _ends(points, dim, ends)
            edges.append(fj.linspace(low, high, one + 1, dtype=points.dtype))
    return edges


def histogramdd(
    input: Tensor,
    bins: int | Sequence[int] | Sequence[Tensor],
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> histogramdd_result:
    """Counts (or sums of weights) of the points, rows of ``input``, in boxes between edges, and the edges of each coordinate.

    Args:
        bins: how many parts of equal width, of all coordinates or of each; or the edges of each.
        range: where the parts of each coordinate begin and end, one after another. Default: at its extremes.
        weight: what each point counts for.
        density: divide by the sum of all and by the volume of each box.
    """
    if input.dim() < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if not input.is_floating_point():
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{input.dtype}'")
    points = input.reshape(-1, input.size(-1))
    edges = _edges(points, bins, range)
    weights = fj.ones(points.size(0), dtype=input.dtype) if weight is None else weight.reshape(-1)
    place = fj.zeros(points.size(0), dtype=fj.int64)
    for dim, one in enumerate(edges):
        coordinate = points[:, dim].contiguous()
        inside = (coordinate >= one[0]) & (coordinate <= one[-1])
        weights = fj.where(inside, weights, 0)
        part = fj.searchsorted(one, coordinate, right=True) - 1
        place = place * (one.numel() - 1) + part.clamp(0, one.numel() - 2)  # the last edge belongs to the last part
    shape = [one.numel() - 1 for one in edges]
    counts = fj.zeros(shape, dtype=input.dtype).reshape(-1).scatter_add(0, place, weights).reshape(shape)
    if density:
        counts = counts / counts.sum()
        for dim, one in enumerate(edges):
            counts = counts / one.diff().reshape([-1 if d == dim else 1 for d, _ in enumerate(edges)])
    return histogramdd_result(counts, tuple(edges))
