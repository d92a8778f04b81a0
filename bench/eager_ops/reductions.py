"""Reductions over every dim, scans, softmax."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from eager_ops.case import ALL, SQUARE, Arrays, Case, floats, rng, square
from eager_ops.pointwise import two

reduction = partial(Case, sizes=ALL)
THREE_DIMS = floats((16, -1, 8))


def _integers(n: int) -> Arrays:
    return [rng().integers(-100, 100, square(n))]


def _near_one(n: int) -> Arrays:
    return [(1 + 1e-4 * array).astype(array.dtype) for array in SQUARE(n)]


def _everywhere(name: str) -> list[Case]:
    """Over everything, over rows and over columns."""

    def along(dim: int) -> Any:
        return lambda t, a: getattr(t, name)(a, dim)

    # Products of others would leave the range of floats, and be slow numbers on the way.
    arrays = _near_one if name.endswith("prod") else SQUARE
    whole = reduction(name, lambda t, a: getattr(t, name)(a), arrays, numpy=getattr(np, name, None))
    return [whole, reduction(f"{name} dim 0", along(0), arrays), reduction(f"{name} dim 1", along(1), arrays)]


CASES = (
    *(
        case
        for name in "sum mean max min amax argmax argmin prod var std cumsum cumprod".split()
        for case in _everywhere(name)
        if not (name.startswith("cum") and case.name == name)
    ),
    reduction("sum middle dim", lambda t, a: a.sum(1), THREE_DIMS, numpy=lambda a: a.sum(1)),
    reduction("sum outer dims", lambda t, a: a.sum((0, 2)), THREE_DIMS, numpy=lambda a: a.sum((0, 2))),
    reduction("sum short rows", lambda t, a: a.sum(1), floats((-1, 5)), numpy=lambda a: a.sum(1)),
    reduction("max short rows", lambda t, a: a.max(1), floats((-1, 5))),
    reduction("sum transposed", lambda t, a: a.T.sum(1)),
    reduction("sum int64", lambda t, a: a.sum(), _integers, numpy=np.sum),
    reduction("sum float64", lambda t, a: a.sum(), floats(dtype=np.float64), numpy=np.sum),
    reduction("sum bfloat16", lambda t, a: a.sum(1), prepare=lambda t, a: [a.bfloat16()]),
    reduction("sum bfloat16 dim 0", lambda t, a: a.sum(0), prepare=lambda t, a: [a.bfloat16()]),
    reduction("sum of mask", lambda t, a: a.sum(), lambda n: [floats()(n)[0] > 0], numpy=np.sum),
    reduction("sum of mask dim 1", lambda t, a: a.sum(1), lambda n: [floats()(n)[0] > 0]),
    reduction("mean of mask", lambda t, a, b: (a == b).float().mean(), two),
    reduction("nansum", lambda t, a: t.nansum(a), numpy=np.nansum),
    reduction("count_nonzero", lambda t, a: t.count_nonzero(a), numpy=np.count_nonzero),
    reduction("aminmax", lambda t, a: t.aminmax(a)),
    reduction("max int64", lambda t, a: a.max(), _integers, numpy=np.max),
    reduction("any", lambda t, a: a.any(), lambda n: [floats()(n)[0] > 9], numpy=np.any),
    reduction("any dim 1", lambda t, a: a.any(1), lambda n: [floats()(n)[0] > 9]),
    reduction("all dim 0", lambda t, a: a.all(0), lambda n: [floats()(n)[0] < 9]),
    reduction("all of floats", lambda t, a: t.all(a), lambda n: [floats()(n)[0] + 9]),
    reduction("equal to", lambda t, a: t.equal(a, a + 0)),
    reduction("allclose", lambda t, a: t.allclose(a, a + 0)),
    reduction("norm", lambda t, a: t.linalg.vector_norm(a), numpy=np.linalg.norm),
    reduction("norm dim 0", lambda t, a: t.linalg.vector_norm(a, dim=0)),
    reduction("norm dim 1", lambda t, a: t.linalg.vector_norm(a, dim=1)),
    reduction("norm 1 dim 1", lambda t, a: t.linalg.vector_norm(a, 1, dim=1)),
    reduction("dot", lambda t, a, b: t.dot(a.reshape(-1), b.reshape(-1)), two),
    reduction("normalize", lambda t, a: t.nn.functional.normalize(a, dim=1)),
    reduction("logsumexp dim 0", lambda t, a: t.logsumexp(a, 0)),
    reduction("logsumexp dim 1", lambda t, a: t.logsumexp(a, 1)),
    reduction("softmax dim 1", lambda t, a: t.softmax(a, 1)),
    reduction("softmax dim 0", lambda t, a: t.softmax(a, 0)),
    reduction("log_softmax", lambda t, a: t.log_softmax(a, 1)),
    reduction("cumsum flat", lambda t, a: a.reshape(-1).cumsum(0), numpy=lambda a: a.ravel().cumsum()),
    reduction("cumsum int64", lambda t, a: a.cumsum(1), _integers),
    reduction("cummax", lambda t, a: a.cummax(1)),
    reduction("logcumsumexp", lambda t, a: a.logcumsumexp(1)),
    reduction("diff", lambda t, a: a.diff(dim=1), numpy=lambda a: np.diff(a, axis=1)),
)
