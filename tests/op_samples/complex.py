"""Samples of ``eager/ops/complex.toml``."""

from __future__ import annotations

from tests.op_samples.sample import ALL, COMPLEX, FLOATS, S, T

SAMPLES = {
    "view_as_real": [S(T(3, 4), dtypes=COMPLEX), S(T(3, 4, layout="permuted"), dtypes=COMPLEX), S(T(), dtypes=COMPLEX)],
    "view_as_complex": [S(T(3, 2), dtypes=FLOATS), S(T(2), dtypes=FLOATS), S(T(3, 3)), S(T())],
    "real": [S(T(3, 4), dtypes=(*COMPLEX, "float32"))],
    "imag": [S(T(3, 4), dtypes=(*COMPLEX, "float32"))],
    "conj_physical": [S(T(3, 4), dtypes=(*ALL, *COMPLEX))],
    "conj": [S(T(3, 4), dtypes=(*COMPLEX, *ALL))],
    "adjoint": [S(T(3, 4), dtypes=(*COMPLEX, *FLOATS), strides=False), S(T(2, 3, 4), dtypes=COMPLEX, strides=False), S(T(3))],
    "complex": [S(T(3, 4), T(3, 4), dtypes=FLOATS), S(T(3, 1), T(4), dtypes=FLOATS), S(T(3, dtype="int64"), T(3)), S(T(3), T(3, dtype="float64"))],
    "polar": [S(T(3, 4, low=0), T(3, 4), dtypes=FLOATS)],
    "angle": [S(T(3, 4), dtypes=(*ALL, *COMPLEX), tolerance=4)],
    "sgn": [S(T(3, 4), dtypes=(*ALL, *COMPLEX)), S(T(values=[0, 1, -2]), dtypes=COMPLEX, grad=False)],
    "isreal": [S(T(values=[1, 1j, 0, 2 - 1j]), dtypes=COMPLEX), S(T(3), dtypes=ALL)],
    "vdot": [S(T(5), T(5), dtypes=(*FLOATS, *COMPLEX), tolerance=4)],
}  # fmt: skip

# Rows without a Python name: the sample of which public row runs them.
INTERNAL = {"angle_of_reals": "angle"}
