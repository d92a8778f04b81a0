// LAPACK's choice of pivots in complex matrices: it compares |re| + |im|, not the modulus. Included wherever
// an LU of Eigen is instantiated.
#pragma once

#include <Eigen/Core>
#include <complex>

namespace Eigen::internal {

template <class R>
struct scalar_score_coeff_op<std::complex<R>> {
  using result_type = R;
  R operator()(const std::complex<R>& x) const { return std::abs(x.real()) + std::abs(x.imag()); }
};
template <class R>
struct functor_traits<scalar_score_coeff_op<std::complex<R>>> {
  enum { Cost = 3 * NumTraits<R>::AddCost, PacketAccess = false };
};

}  // namespace Eigen::internal
