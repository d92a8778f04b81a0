// One-dimensional discrete Fourier transforms of any length. Tour of fft/:
//   kernels.h  loops over blocks: as many lines at once as a vector has lanes
//   plan.h     how lines of one length are transformed: mixed radices, or Bluestein's algorithm where a prime
//              factor is large; long lines, and few, as columns and rows of a matrix
//   lines.h    the lines of a tensor along a dim, in parallel
//   fft.cc     the ops' kernels
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "eager/cpu/fft/kernels.h"

namespace framejit::eager::cpu {

/// How to transform lines of `size` elements. Immutable, shared by threads.
template <class T>
class Plan {
 public:
  using Complex = std::complex<T>;
  explicit Plan(int64_t n);

  int64_t size() const { return n_; }
  /// exp(-2 pi i k / n).
  const std::vector<Complex>& roots() const { return roots_; }

  /// Numbers of T that a block needs, the scratch block too.
  int64_t block_size() const { return (padded_ + 1) * 2 * fft_kernels<T>().lanes; }
  /// The transform of `block`, or of as many lines as it has if `from` says where, to lines if `to` says
  /// where. Returns where the result is otherwise: in one of the two.
  T* transform_block(T* block, T* scratch, const Lines<T>* from = nullptr, const Lines<T>* to = nullptr,
                     T factor = 1) const;

  /// Whether `count` lines should be transformed one by one: blocks would not fit into the cache, or lie
  /// idle.
  bool by_line(int64_t count) const;
  /// One line: `from` and `to`, which may be the same, have only one, at offset 0. Uses all threads.
  void transform_line(const Lines<T>& from, const Lines<T>& to, T factor) const;

 private:
  struct Matrix;
  struct Bluestein;

  void by_matrix(const Matrix& matrix, const Lines<T>& from, const Lines<T>& to, T factor) const;
  void by_chirp(const Lines<T>& from, const Lines<T>& to, T factor) const;

  int64_t n_, padded_;
  std::vector<Complex> roots_;
  std::vector<std::vector<Complex>> roots_of_radices_;
  std::vector<typename Steps<T>::Step> steps_;  ///< none where prime factors are large
  std::shared_ptr<const Matrix> matrix_;        ///< of long lines that have factors
  std::shared_ptr<const Bluestein> bluestein_;  ///< of lengths with large prime factors
};

/// The plan for `n`, made once and kept for later calls.
template <class T>
std::shared_ptr<const Plan<T>> plan_for(int64_t n);

}  // namespace framejit::eager::cpu
