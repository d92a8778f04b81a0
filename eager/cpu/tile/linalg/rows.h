// Dense algorithms over vector registers, compiled once per instruction set. Tour of tile/linalg/:
//   parts.h           real and complex numbers alike
//   rows.h            matrices as padded rows; sums of products, combinations of rows, products by GEMM
//   reflections.h     Householder reflections, one by one and in blocks (compact WY)
//   rotations.h       sequences of plane rotations, applied to many columns at once
//   symmetric.cc      eigenvalues of symmetric and Hermitian matrices (tridiagonal.h)
//   singular.cc       singular values (bidiagonal.h)
//   general.cc        eigenvalues of other real ones (hessenberg.h, schur.h)
//   general_complex.cc  and of complex ones (complex_schur.h)
//   exponential.cc    the exponential
//   orthogonal.cc     QR factorization
//   least_squares.cc  by QR with exchanges of columns
//   elimination.cc    LU (lu.h) and Cholesky factorizations, triangular systems
// dense.h, factors.h and general.h of eager/cpu/linalg are how the kernels of ops call them. They work on
// copies whose rows are padded with zeros to whole vectors: no loop has a remainder, and a range of elements
// is widened to whole vectors wherever one of the operands is zero in front of it.
// T is float, double or a complex type of them (parts.h).
#pragma once

// Vectors pass between functions that are all inlined here: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "eager/cpu/matmul/gemm.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/tile/linalg/parts.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

template <class T>
int64_t round_down(int64_t n) {
  return n / kLanes<T> * kLanes<T>;
}
template <class T>
int64_t round_up(int64_t n) {
  return round_down<T>(n + kLanes<T> - 1);
}

/// Rows of a matrix, `stride` elements apart.
template <class T>
struct Rows {
  T* data;
  int64_t stride;

  T* operator[](int64_t row) const { return data + row * stride; }
  Rows from(int64_t row, int64_t column) const { return {data + row * stride + column, stride}; }
};
/// Rows of real and imaginary parts.
template <class T>
Rows<Real<T>> parts(Rows<T> rows) {
  return {parts(rows.data), rows.stride * kParts<T>};
}

/// Scratch rows for `columns` elements each, padded; not initialized. Columns of rows that are powers of two
/// apart would share a few sets of the cache.
template <class T>
Rows<T> take_rows(int64_t rows, int64_t columns) {
  int64_t stride = round_up<T>(columns);
  if (stride * int64_t(sizeof(T)) % 1024 == 0) stride += kLanes<T>;
  return {cpu::Scratch::of_thread().take_array<T>(rows * stride), stride};
}
template <class T>
Rows<T> zero_rows(int64_t rows, int64_t columns) {
  const Rows<T> taken = take_rows<T>(rows, columns);
  std::fill_n(taken.data, rows * taken.stride, T(0));
  return taken;
}
/// to = from, of contiguous rows, zeros behind them.
template <class T>
void copy_padded(const T* from, int64_t rows, int64_t columns, Rows<T> to) {
  for (int64_t r = 0; r < rows; ++r)
    std::fill(std::copy_n(from + r * columns, columns, to[r]), to[r] + to.stride, T(0));
}
/// Column c of `to` = row c of `from`, in squares that stay in the cache.
template <class T>
void transpose_into(Rows<const T> from, int64_t rows, int64_t columns, Rows<T> to) {
  constexpr int64_t kSide = 16;
  for (int64_t i = 0; i < rows; i += kSide)
    for (int64_t j = 0; j < columns; j += kSide)
      for (int64_t c = j; c < std::min(columns, j + kSide); ++c)
        for (int64_t r = i; r < std::min(rows, i + kSide); ++r) to[c][r] = from[r][c];
}

/// Conjugates `count` elements; nothing where they are real.
template <class T>
void conjugate_all(T* x, int64_t count) {
  if constexpr (kIsComplex<T>)
    for (int64_t i = 0; i < count; ++i) x[i] = conjugate(x[i]);
}
/// Copies of rows, conjugated; themselves where they are real.
template <class T>
Rows<T> conjugated(int64_t count, Rows<T> rows) {
  if constexpr (!kIsComplex<T>) return rows;
  const Rows<T> copy = take_rows<T>(count, rows.stride);
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(rows[r], rows.stride, copy[r]);
    conjugate_all(copy[r], rows.stride);
  }
  return copy;
}
/// Column c of `to` = row c of `from`, conjugated.
template <class T>
void adjoin_into(Rows<const T> from, int64_t rows, int64_t columns, Rows<T> to) {
  transpose_into(from, rows, columns, to);
  if constexpr (kIsComplex<T>)
    for (int64_t c = 0; c < columns; ++c) conjugate_all(to[c], rows);
}

/// Rows in the given order as the columns of `to`.
template <class T>
void rows_to_columns(Rows<T> rows, const std::vector<int64_t>& order, int64_t n, T* to) {
  const cpu::ScratchScope scope;
  const Rows<T> sorted = take_rows<T>(int64_t(order.size()), n);
  for (size_t i = 0; i < order.size(); ++i) std::copy_n(rows[order[i]], n, sorted[int64_t(i)]);
  transpose_into<T>({sorted.data, sorted.stride}, int64_t(order.size()), n, {to, int64_t(order.size())});
}
/// Rows in the given order as contiguous rows.
template <class T>
void rows_to_rows(Rows<T> rows, const std::vector<int64_t>& order, int64_t n, T* to) {
  for (size_t i = 0; i < order.size(); ++i) std::copy_n(rows[order[i]], n, to + int64_t(i) * n);
}

/// sums[r] = row r, conjugated where `kConjugates`, times x, of n elements, a multiple of kLanes.
template <class T, int kCount, bool kConjugates>
void dot_few(int64_t n, Rows<T> rows, const T* x, T* sums) {
  using R = Real<T>;
  Packet<R> alike[kCount], mixed[kCount];
#pragma GCC unroll 8
  for (int r = 0; r < kCount; ++r) alike[r] = mixed[r] = spread(R(0));
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    const Packet<R> right = load_parts(x + i);
    Packet<R> exchanged = right;
    if constexpr (kIsComplex<T>) exchanged = flipped<T>(right);
#pragma GCC unroll 8
    for (int r = 0; r < kCount; ++r) {
      const Packet<R> left = load_parts(rows[r] + i);
      alike[r] = packet::pmadd(left, right, alike[r]);
      if constexpr (kIsComplex<T>) mixed[r] = packet::pmadd(left, exchanged, mixed[r]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kCount; ++r) {
    if constexpr (kIsComplex<T>)
      sums[r] = dot_of<T>(alike[r], mixed[r], kConjugates);
    else
      sums[r] = packet::predux(alike[r]);
  }
}
template <class T, bool kConjugates = false>
void dot_rows(int64_t count, int64_t n, Rows<T> rows, const T* x, T* sums) {
  int64_t r = 0;
  for (; r + 8 <= count; r += 8) dot_few<T, 8, kConjugates>(n, rows.from(r, 0), x, sums + r);
  for (; r + 2 <= count; r += 2) dot_few<T, 2, kConjugates>(n, rows.from(r, 0), x, sums + r);
  if (r < count) dot_few<T, 1, kConjugates>(n, rows.from(r, 0), x, sums + r);
}
/// Of conjugated rows.
template <class T>
void inner_rows(int64_t count, int64_t n, Rows<T> rows, const T* x, T* sums) {
  dot_rows<T, kIsComplex<T>>(count, n, rows, x, sums);
}
/// The sum of conj(x) y.
template <class T>
T inner(int64_t n, const T* x, const T* y) {
  if constexpr (kIsComplex<T>) {
    T sum;
    dot_few<T, 1, true>(n, {const_cast<T*>(x), 0}, y, &sum);
    return sum;
  } else {
    Packet<T> first = spread(T(0)), second = first;
    int64_t i = 0;
    for (; i + 2 * kLanes<T> <= n; i += 2 * kLanes<T>) {
      first = packet::pmadd(load(x + i), load(y + i), first);
      second = packet::pmadd(load(x + i + kLanes<T>), load(y + i + kLanes<T>), second);
    }
    if (i < n) first = packet::pmadd(load(x + i), load(y + i), first);
    return packet::predux(packet::padd(first, second));
  }
}

/// y += the sum of factors[r] times row r, of n elements, a multiple of kLanes.
template <class T, int kCount>
void add_few(int64_t n, Rows<T> rows, const T* factors, T* y) {
  using R = Real<T>;
  Packet<R> real[kCount], imaginary[kCount];
#pragma GCC unroll 8
  for (int r = 0; r < kCount; ++r) {
    real[r] = spread(real_part(factors[r]));
    if constexpr (kIsComplex<T>) imaginary[r] = spread(factors[r].imag());
  }
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    Packet<R> sum = load_parts(y + i), turned = spread(R(0));
#pragma GCC unroll 8
    for (int r = 0; r < kCount; ++r) {
      const Packet<R> x = load_parts(rows[r] + i);
      sum = packet::pmadd(x, real[r], sum);
      if constexpr (kIsComplex<T>) turned = packet::pmadd(x, imaginary[r], turned);
    }
    if constexpr (kIsComplex<T>) sum = packet::psub(sum, packet::pconj(Packet<T>(flipped<T>(turned))).v);
    put(parts(y + i), sum);
  }
}
template <class T>
void add_rows(int64_t count, int64_t n, Rows<T> rows, const T* factors, T* y) {
  int64_t r = 0;
  for (; r + 8 <= count; r += 8) add_few<T, 8>(n, rows.from(r, 0), factors + r, y);
  for (; r + 2 <= count; r += 2) add_few<T, 2>(n, rows.from(r, 0), factors + r, y);
  if (r < count) add_few<T, 1>(n, rows.from(r, 0), factors + r, y);
}
template <class T>
void add_scaled(int64_t n, T factor, const T* x, T* y) {
  add_few<T, 1>(n, {const_cast<T*>(x), 0}, &factor, y);
}
template <class T>
void scale(int64_t n, T factor, T* x) {
  const Factor<T> by(factor);
  for (int64_t i = 0; i < n; i += kLanes<T>) put(parts(x + i), by.times(load_parts(x + i)));
}

/// Row r -= factors[r] times x, of `kVectors` vectors of elements.
template <class T, int kVectors>
void subtract_few_multiples(int64_t count, const T* factors, const T* x, Rows<T> rows) {
  using R = Real<T>;
  Packet<R> straight[kVectors], turned[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    straight[v] = load_parts(x + v * kLanes<T>);
    if constexpr (kIsComplex<T>) turned[v] = packet::pconj(Packet<T>(flipped<T>(straight[v]))).v;  // -i x
  }
  for (int64_t r = 0; r < count; ++r) {
    const Packet<R> real = spread(-real_part(factors[r]));
    Packet<R> imaginary = real;
    if constexpr (kIsComplex<T>) imaginary = spread(factors[r].imag());
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      R* to = parts(rows[r] + v * kLanes<T>);
      Packet<R> y = packet::pmadd(real, straight[v], load(to));
      if constexpr (kIsComplex<T>) y = packet::pmadd(imaginary, turned[v], y);
      put(to, y);
    }
  }
}
/// The same of n elements, a multiple of kLanes.
template <class T>
void subtract_multiples(int64_t count, int64_t n, const T* factors, const T* x, Rows<T> rows) {
  int64_t i = 0;
  for (; i + 2 * kLanes<T> <= n; i += 2 * kLanes<T>)
    subtract_few_multiples<T, 2>(count, factors, x + i, rows.from(0, i));
  if (i < n) subtract_few_multiples<T, 1>(count, factors, x + i, rows.from(0, i));
}

template <class T>
inline constexpr DType kDType = std::is_same_v<Real<T>, float>
                                    ? (kIsComplex<T> ? DType::complex64 : DType::float32)
                                    : (kIsComplex<T> ? DType::complex128 : DType::float64);

/// A factor of a product: rows, or columns where they lie as rows (`transposed`).
template <class T>
cpu::GemmOperand plain(Rows<T> rows) {
  return {rows.data, rows.stride, false};
}
template <class T>
cpu::GemmOperand transposed(Rows<T> rows) {
  return {rows.data, rows.stride, true};
}
/// c = a (m x k) times b (k x n).
template <class T>
void multiply(int64_t m, int64_t n, int64_t k, cpu::GemmOperand a, cpu::GemmOperand b, Rows<T> c) {
  if (m > 0 && n > 0) cpu::run_gemm_call({m, n, k, a, b, c.data, c.stride}, kDType<T>);
}
/// c -= a (m x k) times b (k x n).
template <class T>
void subtract_product(int64_t m, int64_t n, int64_t k, cpu::GemmOperand a, cpu::GemmOperand b, Rows<T> c) {
  const cpu::ScratchScope scope;
  const Rows<T> product = take_rows<T>(m, n);
  multiply(m, n, k, a, b, product);
  const int64_t count = n * kParts<T>, whole = round_down<Real<T>>(count);
  for (int64_t r = 0; r < m; ++r) {
    const Real<T>* x = parts(product[r]);
    Real<T>* y = parts(c[r]);
    add_scaled(whole, Real<T>(-1), x, y);
    for (int64_t i = whole; i < count; ++i) y[i] -= x[i];
  }
}

/// An exponent such that real elements times 2 ** -exponent have ordinary sizes; 0 where they have already.
template <class T>
int exponent_of_largest(const T* x, int64_t n) {
  Packet<T> most = spread(T(0));
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) most = packet::pmax(most, packet::pabs(load(x + i)));
  T largest = packet::predux_max(most);
  for (; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  constexpr int kOrdinary = std::is_same_v<T, float> ? 30 : 200;
  const bool usable = largest > 0 && largest <= std::numeric_limits<T>::max();
  const int exponent = usable ? std::ilogb(largest) : 0;
  return std::abs(exponent) > kOrdinary ? exponent : 0;
}
template <class T>
void scale_by_exponent(T* x, int64_t n, int exponent) {
  if (exponent != 0)
    for (int64_t i = 0; i < n; ++i) x[i] = std::ldexp(x[i], exponent);
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
