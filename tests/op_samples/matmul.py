"""Samples of eager/ops/matmul.toml."""

from __future__ import annotations

import math

from tests.op_samples.sample import NUMBERS, S, Sample, T

SAMPLES: dict[str, list[Sample]] = {}

matrices = (T(4, 5), T(5, 3))
SAMPLES.update(
    {
        "mm": [
            S(*matrices, dtypes=NUMBERS, tolerance=5), S(T(4, 5, layout="permuted"), T(5, 3)), S(T(4, 5, layout="sliced"), T(5, 3, layout="permuted")),
            S(T(70, 130), T(130, 90), tolerance=10), S(T(0, 3), T(3, 2)), S(T(2, 0), T(0, 3)), S(T(1, 9), T(9, 1)), S(T(4, 5), T(4, 5)), S(T(2, 3), T(3, 2, dtype="float64")),
        ],
        "bmm": [S(T(2, 4, 5), T(2, 5, 3), dtypes=NUMBERS), S(T(9, 4, 5, layout="permuted"), T(9, 5, 3, layout="sliced")), S(T(2, 3, 4), T(3, 4, 2)), S(T(2, 3, 0), T(2, 0, 2))],
        "matmul": [
            S(T(4), T(4)), S(T(3, 4), T(4)), S(T(4), T(4, 3)), S(*matrices), S(T(2, 3, 4), T(4, 5)), S(T(2, 3, 4), T(4)), S(T(4), T(2, 4, 5)),
            S(T(2, 1, 3, 4), T(5, 4, 2)), S(T(3, 4), T(2, 4, 5)), S(T(2, 3), T(4, 5)), S(T(), T(3)),
        ],
        "dot": [S(T(7), T(7), dtypes=NUMBERS), S(T(7), T(6)), S(T(2, 2), T(2))],
        "mv": [S(T(4, 5), T(5)), S(T(4, 5), T(4))],
        "outer": [S(T(3), T(4), dtypes=NUMBERS)],
        "addmm": [S(T(4, 3), *matrices), S(T(3), *matrices, beta=0.5, alpha=2), S(T(values=[math.nan] * 3, grad=False), *matrices, beta=0)],
        "addmv": [S(T(4), T(4, 5), T(5)), S(T(1), T(4, 5), T(5), beta=2, alpha=3)],
        "baddbmm": [S(T(2, 4, 3), T(2, 4, 5), T(2, 5, 3), beta=0.5, alpha=2)],
        "linear": [S(T(4, 5), T(3, 5), T(3)), S(T(2, 4, 5), T(3, 5)), S(T(5), T(3, 5), T(3)), S(T(4, 5), T(3, 4))],
        "einsum": [
            S("ij,jk->ik", *matrices), S("bij,bjk->bik", T(2, 3, 4), T(2, 4, 5)), S("ii->i", T(3, 3)), S("ii", T(3, 3)), S("i,j->ij", T(3), T(4)),
            S("...ij,...jk->...ik", T(2, 3, 4), T(4, 5)), S("ij->ji", T(3, 4)), S("ij,ij->", T(3, 4), T(3, 4)), S("bhqd,bhkd->bhqk", T(2, 2, 3, 4), T(2, 2, 5, 4)), S("ij,jk,kl->il", T(2, 3), T(3, 4), T(4, 2)),
        ],
        "scaled_dot_product_attention": [
            S(T(2, 3, 4), T(2, 0, 4), T(2, 0, 5)), S(T(2, 3, 4), T(2, 0, 4), T(2, 0, 5), T(3, 0)),  # no keys
            S(T(2, 3, 4, 8), T(2, 3, 5, 8), T(2, 3, 5, 8), double=False, strides=False), S(T(2, 4, 8), T(2, 4, 8), T(2, 4, 8), is_causal=True, double=False, strides=False),
            S(T(2, 4, 8), T(2, 5, 8), T(2, 5, 8), attn_mask=T(4, 5, grad=False), scale=0.3, double=False, strides=False),
            S(T(2, 3, 4, 8), T(2, 3, 5, 8), T(2, 3, 5, 8), attn_mask=T(2, 1, 1, 5, grad=False), double=False, strides=False), S(T(3, 8), T(2, 8), T(2, 8), attn_mask=T(3, 1, grad=False), double=False, strides=False),
            S(T(2, 8), T(3, 8), T(3, 8), attn_mask=T(values=[[True, False, True], [False, False, False]], dtype="bool"), double=False, strides=False),
        ],
    }
)  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {"addmm_of_halves": "addmm", "baddbmm_of_halves": "baddbmm"}
