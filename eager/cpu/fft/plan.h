// One-dimensional discrete Fourier transforms of any length.
//   plan.h    transforms of one line: mixed radices, and Bluestein's algorithm where a prime factor is large
//   fft.cc    the kernels: lines of tensors along dims
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace framejit::eager::cpu {

/// exp(-2 pi i k / n) for k from 0 to n - 1, rounded from double.
template <class T>
std::vector<std::complex<T>> roots_of_unity(int64_t n);

/// How to transform lines of `n` elements. Immutable, shared by threads.
template <class T>
class Plan {
 public:
  using Complex = std::complex<T>;
  explicit Plan(int64_t n);

  int64_t size() const { return n_; }
  /// Elements of scratch that `forward` needs.
  int64_t scratch_size() const { return n_; }
  /// Overwrites `line` with the sums of line[k] * exp(-2 pi i j k / n), unscaled.
  void forward(Complex* line, Complex* scratch) const;
  /// The same with exp(+2 pi i j k / n).
  void backward(Complex* line, Complex* scratch) const;
  const std::vector<Complex>& roots() const { return roots_; }

 private:
  struct Bluestein;

  void by_radices(Complex* line, Complex* scratch) const;
  void by_chirp(Complex* line) const;

  int64_t n_;
  std::vector<int> radices_;
  std::vector<Complex> roots_;
  std::shared_ptr<const Bluestein> bluestein_;
};

/// The plan for `n`, made once and kept for later calls.
template <class T>
std::shared_ptr<const Plan<T>> plan_for(int64_t n);

}  // namespace framejit::eager::cpu
