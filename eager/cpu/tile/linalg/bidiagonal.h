// Singular values of an upper bidiagonal matrix, by implicit QR steps in double precision (Golub & Kahan
// 1965; Golub & Van Loan, 8.6), with shifts of zero where the matrix is nearly singular (Demmel & Kahan, SIAM
// J. Sci. Stat. Comput. 11, 1990).
#pragma once

#include "eager/cpu/tile/linalg/rotations.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

struct Bidiagonal {
  std::vector<double> diagonal, above;
  explicit Bidiagonal(int64_t n) : diagonal(size_t(n)), above(size_t(n)) {}
};

/// The smaller singular value of (f, g; 0, h).
inline double smaller_singular_value(double f, double g, double h) {
  const double largest = std::max({std::abs(f), std::abs(g), std::abs(h)});
  if (f == 0 || h == 0) return 0;
  f /= largest, g /= largest, h /= largest;
  const double sum = std::sqrt((f + h) * (f + h) + g * g), difference = std::sqrt((f - h) * (f - h) + g * g);
  return largest * 2 * std::abs(f * h) / (sum + difference);
}

/// One QR step on rows [low, high], downwards.
template <class T>
void qr_step(double* d, double* e, int64_t low, int64_t high, double shift, Rotations<T>& left,
             Rotations<T>& right) {
  double f = shift == 0 ? d[low] : (std::abs(d[low]) - shift) * (std::copysign(1.0, d[low]) + shift / d[low]);
  double g = e[low];
  left.begin(low, 1);
  right.begin(low, 1);
  for (int64_t k = low; k < high; ++k) {
    const PlaneRotation of_columns = plane_rotation(f, g);
    if (k > low) e[k - 1] = of_columns.r;
    f = of_columns.c * d[k] + of_columns.s * e[k];
    e[k] = of_columns.c * e[k] - of_columns.s * d[k];
    g = of_columns.s * d[k + 1];
    d[k + 1] *= of_columns.c;
    right.add(of_columns.c, of_columns.s);

    const PlaneRotation of_rows = plane_rotation(f, g);
    d[k] = of_rows.r;
    f = of_rows.c * e[k] + of_rows.s * d[k + 1];
    d[k + 1] = of_rows.c * d[k + 1] - of_rows.s * e[k];
    g = of_rows.s * e[k + 1];
    if (k + 1 < high) e[k + 1] *= of_rows.c;
    left.add(of_rows.c, of_rows.s);
  }
  e[high - 1] = f;
}

/// Makes `matrix.diagonal` its singular values, in no order and of either sign. Rotations turn rows that are
/// the columns of U and V into the singular vectors of U B V^T. False where it does not converge.
template <class T>
bool diagonalize(Bidiagonal& matrix, Rotations<T>& left, Rotations<T>& right) {
  constexpr double kPrecision = double(std::numeric_limits<T>::epsilon()) / 2;
  const int64_t n = int64_t(matrix.diagonal.size());
  double *d = matrix.diagonal.data(), *e = matrix.above.data();
  e[n - 1] = 0;
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max({largest, std::abs(d[i]), std::abs(e[i])});
  const auto splits = [&](int64_t i) {
    return std::abs(e[i]) <= kPrecision * std::max(std::abs(d[i]) + std::abs(d[i + 1]), largest / 16);
  };
  int64_t steps_left = 40 * n + 100;
  for (int64_t high = n - 1; high > 0; --high) {
    while (!splits(high - 1)) {
      if (steps_left-- == 0) return false;
      int64_t low = high - 1;
      double smallest = std::min(std::abs(d[low]), std::abs(d[high]));
      for (; low > 0 && !splits(low - 1); --low) smallest = std::min(smallest, std::abs(d[low - 1]));
      double shift = smaller_singular_value(d[high - 1], e[high - 1], d[high]);
      const double ratio = d[low] == 0 ? 0 : shift / d[low];
      if (smallest < 1e-16 * largest || ratio * ratio < 1e-16) shift = 0;
      qr_step(d, e, low, high, shift, left, right);
    }
    e[high - 1] = 0;
  }
  left.apply();
  right.apply();
  return true;
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
