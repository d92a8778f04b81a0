"""Indexing, joining, sorting and searching."""

from __future__ import annotations

from functools import partial

import numpy as np

from eager_ops.case import ALL, LARGE, Arrays, Case, floats, rng, square

structural = partial(Case, sizes=ALL)


def rows_to_pick(n: int) -> Arrays:
    """A matrix, and as many row numbers as it has rows."""
    (a,) = floats()(n)
    return [a, rng().integers(0, len(a), len(a))]


def picks_along(n: int) -> Arrays:
    """A matrix, and for each element a column number."""
    rows, columns = square(n)
    return [floats()(n)[0], rng().integers(0, columns, (rows, columns))]


def _indices_of(n: int) -> Arrays:
    return [floats((-1,))(n)[0], rng().integers(0, n, n)]


def _masked(n: int) -> Arrays:
    a, b = floats((), ())(n)
    return [a, b > 0]


def _sorted_and_values(n: int) -> Arrays:
    a, b = floats((-1,), (-1,))(n)
    return [np.sort(a), b]


def _numbers(n: int) -> Arrays:
    return [rng().integers(0, max(10, n // 10), n)]


CASES = (
    structural("index_select", lambda t, a, i: a.index_select(0, i), rows_to_pick, numpy=lambda a, i: a[i]),
    structural("index by rows", lambda t, a, i: a[i], rows_to_pick, numpy=lambda a, i: a[i]),
    structural("index by columns", lambda t, a, i: a[:, i], rows_to_pick, numpy=lambda a, i: a[:, i]),
    structural("take", lambda t, a, i: a[i], _indices_of, numpy=lambda a, i: a[i]),
    structural(
        "gather dim 1",
        lambda t, a, i: a.gather(1, i),
        picks_along,
        numpy=lambda a, i: np.take_along_axis(a, i, 1),
    ),
    structural(
        "gather dim 0",
        lambda t, a, i: a.gather(0, i),
        picks_along,
        numpy=lambda a, i: np.take_along_axis(a, i, 0),
    ),
    structural("scatter", lambda t, a, i: a.scatter(1, i, a), picks_along),
    structural("scatter_add", lambda t, a, i: a.scatter_add(1, i, a), picks_along),
    structural("scatter number", lambda t, a, i: a.scatter(1, i, 1.0), picks_along),
    structural("scatter_reduce", lambda t, a, i: a.scatter_reduce(1, i, a, "amax"), picks_along),
    structural("take_along_dim", lambda t, a, i: t.take_along_dim(a, i, 1), picks_along),
    structural("index_select dim 1", lambda t, a, i: a.index_select(1, i), rows_to_pick),
    structural("index_copy", lambda t, a, i: a.index_copy(0, i, a), rows_to_pick),
    structural("index_fill", lambda t, a, i: a.index_fill(0, i, 0.5), rows_to_pick),
    structural("index_add", lambda t, a, i: a.index_add(0, i, a), rows_to_pick),
    structural("index_put", lambda t, a, i: t.index_put(a, (i,), a), _indices_of),
    structural("index_put accumulate", lambda t, a, i: t.index_put(a, (i,), a, True), _indices_of),
    structural("boolean index", lambda t, a, m: a[m], _masked, numpy=lambda a, m: a[m]),
    structural("masked_fill", lambda t, a, m: a.masked_fill(m, 0.0), _masked),
    structural("masked_fill_", lambda t, a, m: a.masked_fill_(m, 0.0), _masked),
    structural("masked_select", lambda t, a, m: a.masked_select(m), _masked),
    structural("masked_scatter", lambda t, a, m: a.masked_scatter(m, a), _masked),
    structural("assign by mask", lambda t, a, m: a.__setitem__(m, 0.0), _masked),
    structural("assign by rows", lambda t, a, i: a.__setitem__(i, 0.0), rows_to_pick),
    structural("nonzero", lambda t, a, m: m.nonzero(), _masked, numpy=lambda a, m: np.nonzero(m)),
    structural(
        "cat dim 0",
        lambda t, a, b: t.cat([a, b, a]),
        floats((), ()),
        numpy=lambda a, b: np.concatenate([a, b, a]),
    ),
    structural(
        "cat dim 1",
        lambda t, a, b: t.cat([a, b], 1),
        floats((), ()),
        numpy=lambda a, b: np.concatenate([a, b], 1),
    ),
    structural(
        "stack", lambda t, a, b: t.stack([a, b, a]), floats((), ()), numpy=lambda a, b: np.stack([a, b, a])
    ),
    structural(
        "stack last",
        lambda t, a, b: t.stack([a, b], -1),
        floats((), ()),
        numpy=lambda a, b: np.stack([a, b], -1),
    ),
    structural("cat of many", lambda t, a: t.cat(a.split(1)), floats((64, -1))),
    structural("stack of many", lambda t, a: t.stack(a.unbind()), floats((64, -1))),
    structural("split and cat", lambda t, a: t.cat(a.chunk(2, 1)[::-1], 1)),
    structural("repeat", lambda t, a: a.repeat(2, 2), numpy=lambda a: np.tile(a, (2, 2))),
    structural(
        "repeat_interleave", lambda t, a: a.repeat_interleave(2, 0), numpy=lambda a: np.repeat(a, 2, 0)
    ),
    structural("roll", lambda t, a: a.roll(3, 1), numpy=lambda a: np.roll(a, 3, 1)),
    structural(
        "pad", lambda t, a: t.nn.functional.pad(a, (1, 2)), numpy=lambda a: np.pad(a, ((0, 0), (1, 2)))
    ),
    structural("sort rows", lambda t, a: a.sort(1)),
    structural("sort dim 0", lambda t, a: a.sort(0)),
    structural("sort descending", lambda t, a: a.sort(1, descending=True)),
    structural("sort short rows", lambda t, a: a.sort(1), floats((-1, 16))),
    structural("sort flat", lambda t, a: a.reshape(-1).sort()),
    structural("sort int64", lambda t, a: a.sort(), _numbers),
    structural("argsort dim 0", lambda t, a: a.argsort(0), numpy=lambda a: a.argsort(0)),
    structural("topk 10", lambda t, a: a.topk(10, 1)),
    structural("topk flat 100", lambda t, a: a.reshape(-1).topk(100)),
    structural("topk of short rows", lambda t, a: a.topk(2, 1), floats((-1, 16))),
    structural("median dim 1", lambda t, a: a.median(1)),
    structural("quantile", lambda t, a: t.quantile(a, 0.3, dim=1), floats((16, -1))),
    structural("mode", lambda t, a: a.mode(1), prepare=lambda t, a: [(a * 4).round()]),
    structural("median", lambda t, a: a.median(), numpy=np.median),
    structural("kthvalue", lambda t, a: a.kthvalue(5, 1)),
    structural("unique", lambda t, a: a.unique(), _numbers, numpy=np.unique),
    Case(
        "unique inverse", lambda t, a: t.unique(a, return_inverse=True, return_counts=True), _numbers, LARGE
    ),
    structural(
        "unique_consecutive", lambda t, a: t.unique_consecutive(a), lambda n: [np.sort(_numbers(n)[0])]
    ),
    structural("isin", lambda t, a: t.isin(a, a[:100]), _numbers),
    structural("histc", lambda t, a: t.histc(a, 100)),
    structural("bucketize", lambda t, a, b: t.bucketize(b, a[::100].contiguous()), _sorted_and_values),
    structural("bincount", lambda t, a: t.bincount(a), _numbers, numpy=np.bincount),
    structural(
        "searchsorted", lambda t, a, b: t.searchsorted(a, b), _sorted_and_values, numpy=np.searchsorted
    ),
    structural(
        "one_hot", lambda t, a: t.nn.functional.one_hot(a % 100, 100), lambda n: _numbers(max(1, n // 100))
    ),
)
