// Special functions of one number, in double: the tile expressions of eager/ops/special.toml call them
// element by element, and round the result to their dtype. Compiled once, since nothing in them is
// vectorised.
#pragma once

#include "eager/export.h"

namespace framejit::eager::special {

// Of the gamma function and the normal distribution.
FRAMEJIT_API double polygamma(double x, double order);  ///< derivative number `order` of digamma
FRAMEJIT_API double zeta(double x, double q);           ///< Hurwitz's: the sum of (k + q) ** -x from k = 0
FRAMEJIT_API double gammainc(double a, double x);       ///< regularised, lower
FRAMEJIT_API double gammaincc(double a, double x);      ///< regularised, upper
FRAMEJIT_API double erfinv(double y);
FRAMEJIT_API double erfcx(double x);  ///< exp(x * x) * erfc(x)
FRAMEJIT_API double ndtr(double x);
FRAMEJIT_API double ndtri(double p);
FRAMEJIT_API double log_ndtr(double x);
FRAMEJIT_API double entr(double x);  ///< -x * log(x)
FRAMEJIT_API double xlog1py(double x, double y);

// Bessel functions; a trailing e: scaled by exp(-|x|) or exp(x).
FRAMEJIT_API double i0(double x);
FRAMEJIT_API double i0e(double x);
FRAMEJIT_API double i1(double x);
FRAMEJIT_API double i1e(double x);
FRAMEJIT_API double j0(double x);
FRAMEJIT_API double j1(double x);
FRAMEJIT_API double y0(double x);
FRAMEJIT_API double y1(double x);
FRAMEJIT_API double k0(double x);
FRAMEJIT_API double k0e(double x);
FRAMEJIT_API double k1(double x);
FRAMEJIT_API double k1e(double x);
FRAMEJIT_API double spherical_j0(double x);
FRAMEJIT_API double airy_ai(double x);

// Orthogonal polynomials of degree trunc(n), 0 for negative n.
FRAMEJIT_API double chebyshev_t(double x, double n);
FRAMEJIT_API double chebyshev_u(double x, double n);
FRAMEJIT_API double chebyshev_v(double x, double n);
FRAMEJIT_API double chebyshev_w(double x, double n);
FRAMEJIT_API double shifted_chebyshev_t(double x, double n);  ///< chebyshev_t(2 * x - 1, n), and so on
FRAMEJIT_API double shifted_chebyshev_u(double x, double n);
FRAMEJIT_API double shifted_chebyshev_v(double x, double n);
FRAMEJIT_API double shifted_chebyshev_w(double x, double n);
FRAMEJIT_API double hermite_h(double x, double n);   ///< physicists'
FRAMEJIT_API double hermite_he(double x, double n);  ///< probabilists'
FRAMEJIT_API double laguerre_l(double x, double n);
FRAMEJIT_API double legendre_p(double x, double n);

}  // namespace framejit::eager::special
