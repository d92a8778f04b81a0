// Reduction of a square matrix to Hessenberg form by reflections (Golub & Van Loan, 7.4.3).
#pragma once

#include "eager/cpu/tile/linalg/reflections.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

/// Overwrites `h` by Q^H h Q; both sides of a reflection go in one pass over the rows. The columns of Q become the rows of
/// `q`, if any.
template <class T>
void reduce_to_hessenberg(Rows<T> h, int64_t n, const Rows<T>* q) {
  const cpu::ScratchScope scope;
  const Rows<T> vectors = zero_rows<T>(n, n), pair = zero_rows<T>(2, n);
  const Rows<T> products = take_rows<T>(1, n);
  T* taus = cpu::Scratch::of_thread().take_array<T>(n);
  T *w = pair[0], *conjugate_v = pair[1], *y = products[0];
  for (int64_t k = 0; k + 2 < n; ++k) {
    T* v = vectors[k];
    for (int64_t r = k + 1; r < n; ++r) v[r] = h[r][k];
    const Reflection<T> reflection = reflect(v, k + 1, h.stride);
    const T tau = taus[k] = reflection.tau, adjoint_tau = conjugate(tau);
    const int64_t from = round_down<T>(k + 1), width = h.stride - from;
    std::copy(v, v + h.stride, conjugate_v);
    conjugate_all(conjugate_v, h.stride);
    // w = A^T conj(v), y = A v
    std::fill(w, w + h.stride, T(0));
    add_rows(n - k - 1, width, h.from(k + 1, from), conjugate_v + k + 1, w + from);
    std::fill(w, w + k + 1, T(0));
    dot_rows(n, width, h.from(0, from), v + from, y);
    const T both = inner(width, conjugate_v + from, w + from);
    for (int64_t r = 0; r <= k; ++r) add_scaled(width, -tau * y[r], conjugate_v + from, h[r] + from);
    for (int64_t r = k + 1; r < n; ++r) {
      const T turned = adjoint_tau * v[r], factors[2] = {-turned, -tau * (y[r] - turned * both)};
      add_few<T, 2>(width, pair.from(0, from), factors, h[r] + from);
      h[r][k] = T(0);
    }
    h[k + 1][k] = reflection.beta;
  }
  if (q) product_of_reflections(n - 2, vectors, taus, 1, n, *q);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
