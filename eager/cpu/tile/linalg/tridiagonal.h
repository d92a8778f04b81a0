// Eigenvalues of a symmetric tridiagonal matrix, by implicit QL steps in double precision (Golub & Van Loan,
// 8.3; Bowdler, Martin, Reinsch and Wilkinson, Numerische Mathematik 11, 1968).
#pragma once

#include <numeric>

#include "eager/cpu/tile/linalg/rotations.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

/// In scratch memory.
struct Tridiagonal {
  int64_t n;
  double *diagonal, *beside;
  explicit Tridiagonal(int64_t n)
      : n(n),
        diagonal(cpu::Scratch::of_thread().take_array<double>(n)),
        beside(cpu::Scratch::of_thread().take_array<double>(n)) {}
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

/// The same for the squares of what is beside the diagonal, without roots and rotations (Reinsch, Communications of the
/// ACM 16, 1973, algorithm 464).
inline void rational_ql_step(double* d, double* squares, int64_t low, int64_t high) {
  if (high == low + 1) {  // the end of it
    const double middle = (d[low] + d[high]) / 2, half = (d[low] - d[high]) / 2;
    const double distance = std::sqrt(half * half + squares[low]);
    d[low] = middle + distance, d[high] = middle - distance, squares[low] = 0;
    return;
  }
  const double beside = std::sqrt(squares[low]), half = (d[low + 1] - d[low]) / (2 * beside);
  const double shift = d[low] - beside / (half + std::copysign(std::sqrt(half * half + 1), half));
  double c = 1, s = 0, g = d[high] - shift, p = g * g;
  for (int64_t i = high - 1; i >= low; --i) {
    const double square = squares[i], r = p + square, before = c;
    squares[i + 1] = s * r;
    const double inverse = p > 1e-250 * r ? r / p : 0;  // of the new c
    const double divided = 1 / r;
    c = p * divided, s = square * divided;
    const double turned = c * (d[i] - shift) - s * g;
    d[i + 1] = g + (d[i] - turned);
    g = turned;
    p = inverse > 0 ? g * g * inverse : before * square;
  }
  squares[low] = s * p;
  d[low] = shift + g;
}

/// Calls `step(low, high)` until each row is a block of its own, where `splits(i)` says that a block ends with row i.
template <class Splits, class Step>
bool until_split(int64_t n, Splits splits, Step step) {
  constexpr int kMostSteps = 60;
  for (int64_t low = 0; low < n; ++low)
    for (int steps = 0;; ++steps) {
      int64_t high = low;
      while (high + 1 < n && !splits(high)) ++high;
      if (high == low) break;
      if (steps == kMostSteps) return false;
      step(low, high);
    }
  return true;
}

/// Makes `matrix.diagonal` its eigenvalues, in no order. The rotations, where some are wanted, turn rows that are columns
/// of Q into eigenvectors of Q A Q^T. T: the precision of the results. False where it does not converge.
template <class T>
bool diagonalize(Tridiagonal& matrix, Rotations<T>& rotations) {
  constexpr double kPrecision = double(std::numeric_limits<T>::epsilon()) / 2;
  const int64_t n = matrix.n;
  double *d = matrix.diagonal, *e = matrix.beside;
  e[n - 1] = 0;
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max({largest, std::abs(d[i]), std::abs(e[i])});
  const auto negligible = [&](int64_t i) {
    return std::max(kPrecision * (std::abs(d[i]) + std::abs(d[i + 1])), 1e-30 * largest);
  };
  if (rotations.recorded()) {
    const bool converged = until_split(
        n, [&](int64_t i) { return std::abs(e[i]) <= negligible(i); },
        [&](int64_t low, int64_t high) { ql_step(d, e, low, high, rotations); });
    if (converged) rotations.apply();
    return converged;
  }
  for (int64_t i = 0; i < n; ++i) e[i] *= e[i];
  return until_split(
      n, [&](int64_t i) { return e[i] <= negligible(i) * negligible(i); },
      [&](int64_t low, int64_t high) { rational_ql_step(d, e, low, high); });
}

/// Places of `values`, the smallest first.
inline std::vector<int64_t> ascending(const double* values, int64_t n) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return values[i] < values[j]; });
  return order;
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
