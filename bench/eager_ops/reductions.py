"""Reductions over every dim, scans, softmax."""

from __future__ import annotations

import numpy as np

from eager_ops.case import ALL, Arrays, Case, floats, rng, square

THREE_DIMS = floats((16, -1, 8))


def _integers(n: int) -> Arrays:
    return [rng().integers(-100, 100, square(n))]


CASES = (
    Case("sum", lambda t, a: a.sum(), sizes=ALL, numpy=np.sum),
    Case("sum dim 0", lambda t, a: a.sum(0), sizes=ALL, numpy=lambda a: a.sum(0)),
    Case("sum dim 1", lambda t, a: a.sum(1), sizes=ALL, numpy=lambda a: a.sum(1)),
    Case("sum middle dim", lambda t, a: a.sum(1), THREE_DIMS, numpy=lambda a: a.sum(1)),
    Case("sum outer dims", lambda t, a: a.sum((0, 2)), THREE_DIMS, numpy=lambda a: a.sum((0, 2))),
    Case("sum short rows", lambda t, a: a.sum(1), floats((-1, 5)), numpy=lambda a: a.sum(1)),
    Case("sum int64", lambda t, a: a.sum(), _integers, numpy=np.sum),
    Case("sum bfloat16", lambda t, a: a.sum(1), prepare=lambda t, a: [a.bfloat16()]),
    Case("sum of mask", lambda t, a: a.sum(), lambda n: [floats()(n)[0] > 0], numpy=np.sum),
    Case("mean", lambda t, a: a.mean(), sizes=ALL, numpy=np.mean),
    Case("mean dim 0", lambda t, a: a.mean(0), numpy=lambda a: a.mean(0)),
    Case("max", lambda t, a: a.max(), numpy=np.max),
    Case("max dim 1", lambda t, a: a.max(1)),
    Case("amax dim 0", lambda t, a: a.amax(0), numpy=lambda a: a.max(0)),
    Case("argmax dim 1", lambda t, a: a.argmax(1), numpy=lambda a: a.argmax(1)),
    Case("argmax dim 0", lambda t, a: a.argmax(0), numpy=lambda a: a.argmax(0)),
    Case("prod", lambda t, a: a.prod(), numpy=np.prod),
    Case("any", lambda t, a: a.any(), lambda n: [floats()(n)[0] > 9], numpy=np.any),
    Case("var dim 1", lambda t, a: a.var(1), numpy=lambda a: a.var(1)),
    Case("std", lambda t, a: a.std(), numpy=np.std),
    Case("norm", lambda t, a: t.linalg.vector_norm(a), numpy=np.linalg.norm),
    Case("logsumexp", lambda t, a: t.logsumexp(a, 1)),
    Case("softmax dim 1", lambda t, a: t.softmax(a, 1), sizes=ALL),
    Case("softmax dim 0", lambda t, a: t.softmax(a, 0)),
    Case("log_softmax", lambda t, a: t.log_softmax(a, 1)),
    Case("cumsum dim 1", lambda t, a: a.cumsum(1), numpy=lambda a: a.cumsum(1)),
    Case("cumsum dim 0", lambda t, a: a.cumsum(0), numpy=lambda a: a.cumsum(0)),
    Case("cumsum flat", lambda t, a: a.reshape(-1).cumsum(0), numpy=lambda a: a.ravel().cumsum()),
    Case("cumprod dim 1", lambda t, a: a.cumprod(1), numpy=lambda a: a.cumprod(1)),
)
