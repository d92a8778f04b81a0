"""Indexing, joining, sorting and searching."""

from __future__ import annotations

import numpy as np

from eager_ops.case import LARGE, Arrays, Case, floats, rng, square


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
    Case("index_select", lambda t, a, i: a.index_select(0, i), rows_to_pick, numpy=lambda a, i: a[i]),
    Case("index by rows", lambda t, a, i: a[i], rows_to_pick, numpy=lambda a, i: a[i]),
    Case("index by columns", lambda t, a, i: a[:, i], rows_to_pick, numpy=lambda a, i: a[:, i]),
    Case("take", lambda t, a, i: a[i], _indices_of, numpy=lambda a, i: a[i]),
    Case(
        "gather dim 1",
        lambda t, a, i: a.gather(1, i),
        picks_along,
        numpy=lambda a, i: np.take_along_axis(a, i, 1),
    ),
    Case(
        "gather dim 0",
        lambda t, a, i: a.gather(0, i),
        picks_along,
        numpy=lambda a, i: np.take_along_axis(a, i, 0),
    ),
    Case("scatter", lambda t, a, i: a.scatter(1, i, a), picks_along),
    Case("scatter_add", lambda t, a, i: a.scatter_add(1, i, a), picks_along),
    Case("index_add", lambda t, a, i: a.index_add(0, i, a), rows_to_pick),
    Case("index_put", lambda t, a, i: t.index_put(a, (i,), a), _indices_of),
    Case("index_put accumulate", lambda t, a, i: t.index_put(a, (i,), a, True), _indices_of),
    Case("boolean index", lambda t, a, m: a[m], _masked, numpy=lambda a, m: a[m]),
    Case("masked_fill", lambda t, a, m: a.masked_fill(m, 0.0), _masked),
    Case("nonzero", lambda t, a, m: m.nonzero(), _masked, numpy=lambda a, m: np.nonzero(m)),
    Case(
        "cat dim 0",
        lambda t, a, b: t.cat([a, b, a]),
        floats((), ()),
        numpy=lambda a, b: np.concatenate([a, b, a]),
    ),
    Case(
        "cat dim 1",
        lambda t, a, b: t.cat([a, b], 1),
        floats((), ()),
        numpy=lambda a, b: np.concatenate([a, b], 1),
    ),
    Case("stack", lambda t, a, b: t.stack([a, b, a]), floats((), ()), numpy=lambda a, b: np.stack([a, b, a])),
    Case(
        "stack last",
        lambda t, a, b: t.stack([a, b], -1),
        floats((), ()),
        numpy=lambda a, b: np.stack([a, b], -1),
    ),
    Case("repeat", lambda t, a: a.repeat(2, 2), numpy=lambda a: np.tile(a, (2, 2))),
    Case("repeat_interleave", lambda t, a: a.repeat_interleave(2, 0), numpy=lambda a: np.repeat(a, 2, 0)),
    Case("roll", lambda t, a: a.roll(3, 1), numpy=lambda a: np.roll(a, 3, 1)),
    Case("triu", lambda t, a: a.triu(), numpy=np.triu),
    Case("pad", lambda t, a: t.nn.functional.pad(a, (1, 2)), numpy=lambda a: np.pad(a, ((0, 0), (1, 2)))),
    Case("sort rows", lambda t, a: a.sort(1)),
    Case("sort flat", lambda t, a: a.reshape(-1).sort()),
    Case("sort int64", lambda t, a: a.sort(), _numbers),
    Case("argsort dim 0", lambda t, a: a.argsort(0), numpy=lambda a: a.argsort(0)),
    Case("topk 10", lambda t, a: a.topk(10, 1)),
    Case("topk flat 100", lambda t, a: a.reshape(-1).topk(100)),
    Case("median", lambda t, a: a.median(), numpy=np.median),
    Case("kthvalue", lambda t, a: a.kthvalue(5, 1)),
    Case("unique", lambda t, a: a.unique(), _numbers, numpy=np.unique),
    Case(
        "unique inverse", lambda t, a: t.unique(a, return_inverse=True, return_counts=True), _numbers, LARGE
    ),
    Case("bincount", lambda t, a: t.bincount(a), _numbers, numpy=np.bincount),
    Case("searchsorted", lambda t, a, b: t.searchsorted(a, b), _sorted_and_values, numpy=np.searchsorted),
    Case("one_hot", lambda t, a: t.nn.functional.one_hot(a % 100, 100), lambda n: _numbers(max(1, n // 100))),
)
