// QR factorization by Householder reflections, in blocks (Golub & Van Loan, 5.2).
#pragma once

#include "eager/cpu/tile/linalg/reflections.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
class Qr {
 public:
  /// `columns`: those of A, as rows of `rows` elements; overwritten by R, in front of what is left of A.
  Qr(Rows<T> columns, int64_t rows, int64_t count)
      : r_(columns),
        rows_(rows),
        reflections_(std::min(rows, count)),
        v_(zero_rows<T>(reflections_, rows)),
        taus_(cpu::Scratch::of_thread().take_array<T>(reflections_)) {
    for (int64_t begin = 0; begin < reflections_; begin += kReflections) {
      const int64_t end = std::min(reflections_, begin + kReflections);
      for (int64_t k = begin; k < end; ++k) {
        std::copy(r_[k] + k, r_[k] + rows, v_[k] + k);
        const Reflection<T> reflection = reflect(v_[k], k, v_.stride);
        r_[k][k] = reflection.beta;
        taus_[k] = reflection.tau;
        apply_reflection(v_[k], conjugate(reflection.tau), k, v_.stride, end - k - 1, r_.from(k + 1, 0));
      }
      apply_block(end - begin, v_.from(begin, 0), taus_ + begin, begin, /*forward=*/false, count - end,
                  r_.from(end, 0));
    }
  }
  /// The first `count` columns of Q, as rows.
  void form(int64_t count, Rows<T> q) const { product_of_reflections(reflections_, v_, taus_, 0, count, q); }
  const T* vector(int64_t k) const { return v_[k]; }
  T tau(int64_t k) const { return taus_[k]; }
  T r(int64_t row, int64_t column) const { return r_[column][row]; }
  int64_t reflections() const { return reflections_; }

 private:
  Rows<T> r_;
  int64_t rows_, reflections_;
  Rows<T> v_;
  T* taus_;
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
