"""Copies, fills, sequences and random numbers."""

from __future__ import annotations

from functools import partial

import numpy as np

from eager_ops.case import ALL, Case, floats
from eager_ops.pointwise import positive, two

copy = partial(Case, sizes=ALL)

CASES = (
    copy("clone", lambda t, a: a.clone(), numpy=np.copy),
    copy("copy_", lambda t, a, b: a.copy_(b), two, numpy=np.copyto),
    copy("copy_ casting", lambda t, a, b: a.copy_(b), two, prepare=lambda t, a, b: (a, b.double())),
    copy("copy transposed", lambda t, a: a.T.contiguous(), numpy=lambda a: np.ascontiguousarray(a.T)),
    copy("copy transposed float64", lambda t, a: a.T.contiguous(), floats(dtype=np.float64)),
    copy("copy transposed uint8", lambda t, a: a.T.contiguous(), prepare=lambda t, a: [a.to(t.uint8)]),
    copy(
        "copy to channels last",
        lambda t, a: a.permute(0, 2, 3, 1).contiguous(),
        floats((-1, 16, 8, 8)),
        numpy=lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1)),
    ),
    copy("copy heads", lambda t, a: a.transpose(1, 2).contiguous(), floats((-1, 16, 4, 16))),
    copy("copy every other column", lambda t, a: a[:, ::2].contiguous()),
    copy("copy left half", lambda t, a: a[:, : a.shape[1] // 2].contiguous()),
    copy("expand", lambda t, a: a[:, :1].expand(*a.shape).contiguous()),
    copy("expand a row", lambda t, a: a[:1].expand(*a.shape).contiguous()),
    copy("flip rows", lambda t, a: a.flip(0), numpy=lambda a: np.ascontiguousarray(np.flip(a, 0))),
    copy("flip columns", lambda t, a: a.flip(1), numpy=lambda a: np.ascontiguousarray(np.flip(a, 1))),
    copy("rot90", lambda t, a: a.rot90()),
    copy("zeros_like", lambda t, a: t.zeros_like(a), numpy=np.zeros_like),
    copy("full", lambda t, a: t.full(a.shape, 3.0), numpy=lambda a: np.full(a.shape, np.float32(3))),
    copy("fill_", lambda t, a: a.fill_(3.0), numpy=lambda a: a.fill(3)),
    copy("zero_", lambda t, a: a.zero_()),
    copy("assign a row", lambda t, a, b: a.__setitem__(slice(0, 1), b[0]), two),
    copy("assign columns", lambda t, a, b: a[:, 1:].copy_(b[:, 1:]), two),
    copy("arange", lambda t, a: t.arange(a.numel()), numpy=lambda a: np.arange(a.size)),
    copy("linspace", lambda t, a: t.linspace(0, 1, a.numel()), numpy=lambda a: np.linspace(0, 1, a.size)),
    copy("eye", lambda t, a: t.eye(a.shape[0]), numpy=lambda a: np.eye(a.shape[0])),
    copy("tril", lambda t, a: a.tril(), numpy=np.tril),
    copy("triu", lambda t, a: a.triu(), numpy=np.triu),
    copy("rand", lambda t, a: t.rand(a.shape)),
    copy("randn", lambda t, a: t.randn(a.shape)),
    copy("randint", lambda t, a: t.randint(0, 100, a.shape)),
    copy("uniform_", lambda t, a: a.uniform_(-1, 1)),
    copy("normal_", lambda t, a: a.normal_(0, 2)),
    copy("exponential_", lambda t, a: a.exponential_()),
    copy("bernoulli", lambda t, a: t.bernoulli(a), lambda n: [x / (x + 1) for x in positive(n)]),
    copy("randperm", lambda t, a: t.randperm(a.numel())),
    copy("multinomial", lambda t, a: t.multinomial(a, 4, replacement=True), positive),
    copy("dropout", lambda t, a: t.nn.functional.dropout(a, 0.3)),
)
