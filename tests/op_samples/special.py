"""Samples of eager/ops/special.toml.

Float32 is computed in double here and in float by PyTorch, hence the tolerances. PyTorch has few digits of some functions
(trigamma, Bessel functions beyond 5, Airy's): tests/eager/test_special.py compares with SciPy.
"""

from __future__ import annotations

import math

from tests.op_samples.sample import FLOATS, S, Sample, T

_EDGES = [0.0, -0.0, 0.5, 1.0, -1.0, 2.0, 30.0, -30.0, math.inf, -math.inf, math.nan]


def s(*args: object, tolerance: float = 60, dtypes: tuple[str, ...] = FLOATS, **options: object) -> Sample:
    return S(*args, tolerance=tolerance, dtypes=dtypes, **options)


def _unary(low: float, high: float, **options: object) -> list[Sample]:
    edges = T(values=_EDGES, grad=False)
    return [s(T(40, low=low, high=high), **options), s(edges, grad=False, **{"tolerance": 60, **options}), S(T(5, dtype="int64", low=max(0, low), high=max(1, high)), grad=False)]


def _polynomial(degrees: list[int], low: float = -1, high: float = 1) -> list[Sample]:
    return [s(T(6, 1, low=low, high=high, grad=False), T(values=degrees, grad=False), tolerance=400, grad=False), s(T(6, low=low, high=high, grad=False), 3, grad=False)]


_CHEBYSHEV = [-1, 0, 1, 2, 3, 5, 6]

SAMPLES: dict[str, list[Sample]] = {
    "erfinv": _unary(-0.99, 0.99), "i0": _unary(-9, 9),
    "igamma": [s(T(30, low=0.1, high=9, grad=False), T(30, low=0.1, high=12)), s(T(values=[[0.0], [1.0], [math.inf], [-1.0]], grad=False), T(values=[0.0, 1.0, math.inf, -1.0], grad=False), grad=False)],
    "igammac": [s(T(30, low=0.1, high=9, grad=False), T(30, low=0.1, high=12)), s(T(values=[[0.0], [1.0], [math.inf], [-1.0]], grad=False), T(values=[0.0, 1.0, math.inf, -1.0], grad=False), grad=False)],
    "polygamma": [s(n, T(20, low=0.2, high=9), tolerance=2e4) for n in (0, 1, 2, 4)] + [s(1, T(20, low=-3.9, high=-3.1), tolerance=1e4), s(-1, T(2), grad=False)],
    "polygamma.method": [s(T(20, low=0.2, high=9), 2, tolerance=400)],
    "mvlgamma": [s(T(20, low=2, high=9), 3)],
    "special_entr": [s(T(30, low=0.1, high=3)), s(T(values=_EDGES, grad=False), grad=False)],
    "special_erfcx": _unary(-4, 40), "special_ndtr": _unary(-5, 5), "special_ndtri": [s(T(30, low=0.01, high=0.99)), s(T(values=_EDGES, grad=False), grad=False)], "special_log_ndtr": _unary(-20, 5),
    "special_xlog1py": [s(T(4, 5), T(5, low=-0.5)), s(T(values=[[0.0], [1.0], [math.nan]], grad=False), T(values=[-1.0, -2.0, math.nan, math.inf], grad=False), grad=False), s(T(4), 2)],
    "special_zeta": [s(T(30, low=1.1, high=9, grad=False), T(30, low=0.1, high=9), tolerance=200), s(T(values=[[0.5], [1.0], [2.0], [2.5]], grad=False), T(values=[0.0, -1.0, -1.5, 2.0], grad=False), grad=False)],
    "special_i0e": _unary(-9, 9), "special_i1": _unary(-9, 9), "special_i1e": _unary(-9, 9),
    "special_bessel_j0": [s(T(40, low=-5, high=5, grad=False), tolerance=1e7, dtypes=("float64",), grad=False)], "special_bessel_j1": [s(T(40, low=-5, high=5, grad=False), tolerance=1e7, dtypes=("float64",), grad=False)],
    "special_bessel_y0": [s(T(40, low=0, high=5, grad=False), tolerance=1e7, dtypes=("float64",), grad=False), s(T(values=[0.0, -1.0], grad=False), grad=False)], "special_bessel_y1": [s(T(40, low=0, high=5, grad=False), tolerance=1e7, dtypes=("float64",), grad=False)],
    "special_modified_bessel_i0": [s(T(40, low=-9, high=9, grad=False), grad=False)], "special_modified_bessel_i1": [s(T(40, low=-9, high=9, grad=False), grad=False)],
    "special_modified_bessel_k0": [s(T(40, low=0, high=9, grad=False), tolerance=100, grad=False), s(T(values=[0.0, -1.0], grad=False), grad=False)], "special_modified_bessel_k1": [s(T(40, low=0, high=9, grad=False), grad=False)],
    "special_scaled_modified_bessel_k0": [s(T(40, low=0, high=9, grad=False), grad=False)], "special_scaled_modified_bessel_k1": [s(T(40, low=0, high=9, grad=False), grad=False)],
    "special_spherical_bessel_j0": [s(T(40, low=-9, high=9, grad=False), grad=False), s(T(values=[0.0, 1e-3, 0.4999, 0.5001, math.inf], grad=False), grad=False)],
    "special_airy_ai": [s(T(60, low=-12, high=9, grad=False), tolerance=1e8, dtypes=("float64",), grad=False), s(T(values=[0.0, -7.999, -8.001, 1.0, 1.001], grad=False), tolerance=2000, grad=False)],
    **{f"special_{shifted}chebyshev_polynomial_{kind}": _polynomial(_CHEBYSHEV, 0 if shifted else -1) for shifted in ("", "shifted_") for kind in "tuvw"},
    "special_hermite_polynomial_h": _polynomial([-1, 0, 1, 2, 5]), "special_hermite_polynomial_he": _polynomial([-1, 0, 1, 2, 5]),
    "special_laguerre_polynomial_l": _polynomial([-1, 0, 1, 2, 5], 0, 4), "special_legendre_polynomial_p": _polynomial([-1, 0, 1, 2, 5]),
}  # fmt: skip
