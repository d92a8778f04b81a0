"""Special functions in float64 against SciPy: relative errors, with an absolute floor near zeros. The bounds are what was measured, rounded up."""

from __future__ import annotations

import numpy as np
import pytest

import framejit as fj

scipy_special = pytest.importorskip("scipy.special", reason="SciPy is the oracle")
S = fj.special

# framejit's function, SciPy's, ranges of the arguments, relative error, absolute error
CASES = {
    "bessel_j0": (S.bessel_j0, scipy_special.j0, [(-40, 40)], 1e-13, 1e-15),
    "bessel_j1": (S.bessel_j1, scipy_special.j1, [(-40, 40)], 1e-13, 1e-15),
    "bessel_y0": (S.bessel_y0, scipy_special.y0, [(0, 40)], 1e-13, 1e-14),
    "bessel_y1": (S.bessel_y1, scipy_special.y1, [(0, 40)], 1e-13, 1e-14),
    "airy_ai": (S.airy_ai, lambda x: scipy_special.airy(x)[0], [(-15, 9)], 1e-11, 5e-11),
    "trigamma": (lambda x: S.polygamma(1, x), lambda x: scipy_special.polygamma(1, x), [(0, 20)], 1e-14, 0),
    "polygamma": (lambda x: S.polygamma(3, x), lambda x: scipy_special.polygamma(3, x), [(0, 20)], 1e-14, 0),
    "zeta": (S.zeta, scipy_special.zeta, [(1, 20), (0, 20)], 1e-14, 0),
    "gammainc": (S.gammainc, scipy_special.gammainc, [(0, 20), (0, 30)], 5e-14, 1e-15),
    "gammaincc": (S.gammaincc, scipy_special.gammaincc, [(0, 20), (0, 30)], 5e-14, 1e-15),
    "erfcx": (S.erfcx, scipy_special.erfcx, [(-20, 60)], 1e-13, 0),
    "erfinv": (S.erfinv, scipy_special.erfinv, [(-1, 1)], 1e-14, 0),
    "erfinv near 1": (S.erfinv, scipy_special.erfinv, [(1 - 1e-9, 1)], 1e-14, 0),
    "erfinv of small numbers": (S.erfinv, scipy_special.erfinv, [(-1e-12, 1e-12)], 1e-14, 0),
    "ndtr": (S.ndtr, scipy_special.ndtr, [(-20, 8)], 1e-13, 0),
    "ndtri": (S.ndtri, scipy_special.ndtri, [(0, 1)], 1e-14, 1e-15),
    "log_ndtr": (S.log_ndtr, scipy_special.log_ndtr, [(-40, 8)], 1e-13, 0),
    "i0e": (S.i0e, scipy_special.i0e, [(-30, 30)], 1e-14, 0),
    "i1e": (S.i1e, scipy_special.i1e, [(-30, 30)], 1e-14, 0),
    "k0": (S.modified_bessel_k0, scipy_special.k0, [(0, 30)], 1e-14, 0),
    "k1e": (S.scaled_modified_bessel_k1, scipy_special.k1e, [(0, 30)], 1e-14, 0),
    "spherical_bessel_j0": (S.spherical_bessel_j0, lambda x: scipy_special.spherical_jn(0, x), [(-20, 20)], 1e-13, 1e-15),
    "legendre": (lambda x: S.legendre_polynomial_p(x, 9), lambda x: scipy_special.eval_legendre(9, x), [(-1, 1)], 1e-12, 1e-14),
    "laguerre": (lambda x: S.laguerre_polynomial_l(x, 9), lambda x: scipy_special.eval_laguerre(9, x), [(0, 9)], 1e-11, 1e-12),
    "chebyshev": (lambda x: S.chebyshev_polynomial_t(x, 9), lambda x: scipy_special.eval_chebyt(9, x), [(-1, 1)], 1e-12, 1e-14),
}


@pytest.mark.parametrize("name", CASES)
def test_accuracy(name):
    function, reference, ranges, relative, absolute = CASES[name]
    rng = np.random.default_rng(0)
    arguments = [rng.uniform(low, high, 2000) for low, high in ranges]
    got = function(*[fj.from_numpy(argument) for argument in arguments]).numpy()
    np.testing.assert_allclose(got, reference(*arguments), rtol=relative, atol=absolute)


def test_names_of_fj_are_in_special():
    x = fj.tensor([0.3, 2.5])
    for name, function in {"expit": fj.sigmoid, "psi": fj.digamma, "gammaln": fj.lgamma, "i0": fj.i0}.items():
        assert fj.equal(getattr(fj.special, name)(x), function(x))
    assert fj.equal(fj.special.gammainc(x, x), fj.igamma(x, x))
    assert fj.equal(x.polygamma(2), fj.special.polygamma(2, x))


def test_polynomials_of_no_degree() -> None:
    for name in ("chebyshev_polynomial_t", "hermite_polynomial_h", "laguerre_polynomial_l", "legendre_polynomial_p"):
        got = getattr(S, name)(fj.tensor(0.5), fj.tensor([np.nan, np.inf, -1.0, 0.0]))
        np.testing.assert_array_equal(got.numpy(), np.array([np.nan, np.nan, 0, 1], dtype=np.float32))
