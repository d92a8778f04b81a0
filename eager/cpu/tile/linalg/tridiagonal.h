// Eigenvalues of a symmetric tridiagonal matrix, by implicit QL steps in double precision (Golub & Van Loan,
// 8.3; Bowdler, Martin, Reinsch and Wilkinson, Numerische Mathematik 11, 1968).
#pragma once

#include <numeric>

#include "eager/cpu/tile/linalg/rotations.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

struct Tridiagonal {
  std::vector<double> diagonal, beside;
  explicit Tridiagonal(int64_t n) : diagonal(size_t(n)), beside(size_t(n)) {}
};

/// One QL step on rows [low, high] with Wilkinson's shift, from the last row up.
template <class T>
void ql_step(double* d, double* e, int64_t low, int64_t high, Rotations<T>& rotations) {
  const double half = (d[low + 1] - d[low]) / (2 * e[low]);
  double g = d[high] - d[low] + e[low] / (half + std::copysign(std::hypot(half, 1.0), half));
  double c = 1, s = 1, shift = 0;
  rotations.begin(high, -1);
  for (int64_t i = high - 1; i >= low; --i) {
    const double f = s * e[i], b = c * e[i];
    const PlaneRotation rotation = plane_rotation(g, f);
    c = rotation.c, s = rotation.s;
    e[i + 1] = rotation.r;
    const double shifted = d[i + 1] - shift;
    const double r = (d[i] - shifted) * s + 2 * c * b;
    shift = s * r;
    d[i + 1] = shifted + shift;
    g = c * r - b;
    rotations.add(c, s);
  }
  d[low] -= shift;
  e[low] = g;
  e[high] = 0;
}

/// Makes `matrix.diagonal` its eigenvalues, in no order. The rotations turn rows that are columns of Q into
/// eigenvectors of Q A Q^T. `precision`: that of the results. False where it does not converge.
template <class T>
bool diagonalize(Tridiagonal& matrix, Rotations<T>& rotations) {
  constexpr int kMostSteps = 60;
  constexpr double kPrecision = double(std::numeric_limits<T>::epsilon()) / 2;
  const int64_t n = int64_t(matrix.diagonal.size());
  double *d = matrix.diagonal.data(), *e = matrix.beside.data();
  e[n - 1] = 0;
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max({largest, std::abs(d[i]), std::abs(e[i])});
  const auto splits = [&](int64_t i) {
    return std::abs(e[i]) <= std::max(kPrecision * (std::abs(d[i]) + std::abs(d[i + 1])), 1e-30 * largest);
  };
  for (int64_t low = 0; low < n; ++low) {
    for (int steps = 0;; ++steps) {
      int64_t high = low;
      while (high + 1 < n && !splits(high)) ++high;
      if (high == low) break;
      if (steps == kMostSteps) return false;
      ql_step(d, e, low, high, rotations);
    }
  }
  rotations.apply();
  return true;
}

/// Places of `values`, the smallest first.
inline std::vector<int64_t> ascending(const std::vector<double>& values) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t i, int64_t j) { return values[size_t(i)] < values[size_t(j)]; });
  return order;
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
