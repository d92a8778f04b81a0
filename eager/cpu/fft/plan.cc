#include "eager/cpu/fft/plan.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <numbers>

#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {

namespace {

/// Longer lines leave the cache when a block of them is transformed.
constexpr int64_t kLongest = 2048;
/// Few lines of at least this length are transformed one by one.
constexpr int64_t kWorthAMatrix = 256;
/// Plans are kept while their lengths add up to less.
constexpr int64_t kCachedElements = 1 << 22;
constexpr int64_t kElementsPerPiece = 1 << 14;

/// Radices whose product is `n`; empty when a prime factor is too large: Bluestein's algorithm has a cost that does
/// not depend on them.
std::vector<int> factorize(int64_t n) {
  std::vector<int> radices;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  for (int radix = 3; n > 1; radix += 2) {
    if (radix > kLargestRadix) return {};
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  // As few as 16 allows, of about one size.
  for (int steps = (twos + 3) / 4; steps > 0; --steps) {
    const int here = twos / steps;
    radices.push_back(1 << here);
    twos -= here;
  }
  return radices;
}

/// std::complex's product handles infinities element by element, which is slow.
template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class T>
std::complex<T> exchanged(std::complex<T> a) {
  return {a.imag(), a.real()};
}

template <class T>
std::vector<std::complex<T>> roots_of_unity(int64_t n) {
  std::vector<std::complex<T>> roots(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) {
    const double angle = -2 * std::numbers::pi * double(k) / double(n);
    roots[size_t(k)] = {T(std::cos(angle)), T(std::sin(angle))};
  }
  return roots;
}

int64_t blocks_of(int64_t lines, int64_t lanes) { return (lines + lanes - 1) / lanes; }

template <class T>
Lines<T> contiguous_line(std::complex<T>* data) {
  static constexpr int64_t zero = 0;
  return {reinterpret_cast<T*>(data), &zero, 1, 2, 1, false};
}

template <class T>
std::complex<T> element(const Lines<T>& line, int64_t k) {
  const T* at = line.base + line.offsets[0] + k * line.step;
  const std::complex<T> x(at[0], line.imaginary ? at[line.imaginary] : T(0));
  return line.exchanged ? exchanged(x) : x;
}
template <class T>
void set_element(const Lines<T>& line, int64_t k, std::complex<T> x) {
  T* at = line.base + line.offsets[0] + k * line.step;
  if (line.exchanged) x = exchanged(x);
  at[0] = x.real();
  if (line.imaginary) at[line.imaginary] = x.imag();
}

}  // namespace

/// A line taken for a matrix of `rows` x `columns`: its columns are transformed, then, element by element,
/// multiplied by roots of the whole length, then its rows are transformed.
template <class T>
struct Plan<T>::Matrix {
  std::shared_ptr<const Plan<T>> rows, columns;  ///< plans for the length of a column, and of a row
  std::vector<T> twists;                         ///< the roots, in the order of blocks of columns

  Matrix(int64_t row_count, int64_t column_count, const std::vector<Complex>& roots)
      : rows(plan_for<T>(row_count)), columns(plan_for<T>(column_count)) {
    const int64_t lanes = fft_kernels<T>().lanes;
    twists.resize(size_t(blocks_of(column_count, lanes) * row_count * 2 * lanes));
    for (int64_t c = 0; c < column_count; ++c)
      for (int64_t r = 0; r < row_count; ++r) {
        T* to = twists.data() + (c / lanes * row_count + r) * 2 * lanes + c % lanes;
        to[0] = roots[size_t(r * c)].real();
        to[lanes] = roots[size_t(r * c)].imag();
      }
  }
};

/// Convolution with a chirp, by transforms of a power of two.
template <class T>
struct Plan<T>::Bluestein {
  std::shared_ptr<const Plan<T>> inner;
  std::vector<Complex> chirp;        ///< exp(-pi i k^2 / n)
  std::vector<Complex> transformed;  ///< of the conjugate chirp, scaled

  explicit Bluestein(int64_t n) {
    int64_t length = 1;
    while (length < 2 * n - 1) length *= 2;
    inner = plan_for<T>(length);
    const auto exact = plan_for<double>(length);
    std::vector<std::complex<double>> wave(static_cast<size_t>(length));
    for (int64_t k = 0; k < n; ++k) {
      const double angle = std::numbers::pi * double(k * k % (2 * n)) / double(n);
      const std::complex<double> value(std::cos(angle), std::sin(angle));
      chirp.emplace_back(T(value.real()), T(-value.imag()));
      wave[size_t(k)] = value / double(length);
      if (k > 0) wave[size_t(length - k)] = wave[size_t(k)];
    }
    const Lines<double> line = contiguous_line(wave.data());
    exact->transform_line(line, line, 1);
    for (const std::complex<double>& value : wave) transformed.emplace_back(T(value.real()), T(value.imag()));
  }
};

template <class T>
Plan<T>::Plan(int64_t n) : n_(n), padded_(n), roots_(roots_of_unity<T>(n)) {
  for (int radix : factorize(n)) {
    roots_of_radices_.push_back(roots_of_unity<T>(radix));
    steps_.push_back({radix, roots_of_radices_.back().data()});
  }
  if (steps_.empty() && n > 1) {
    bluestein_ = std::make_shared<const Bluestein>(n);
    padded_ = bluestein_->inner->size();
  } else if (n >= kWorthAMatrix) {
    int64_t rows = int64_t(std::sqrt(double(n)));
    while (n % rows != 0) --rows;
    matrix_ = std::make_shared<const Matrix>(rows, n / rows, roots_);
  }
}

template <class T>
T* Plan<T>::transform_block(T* block, T* scratch, const Lines<T>* from, const Lines<T>* to, T factor) const {
  const FftKernels<T>& kernels = fft_kernels<T>();
  if (!bluestein_)
    return kernels.transform({steps_.data(), int64_t(steps_.size()), n_, roots_.data()}, from, to, factor,
                             block, scratch);
  const Bluestein& b = *bluestein_;
  if (from) kernels.load(*from, n_, block);
  kernels.multiply(n_, b.chirp.data(), false, false, block);
  std::fill(block + n_ * 2 * kernels.lanes, block + padded_ * 2 * kernels.lanes, T(0));
  T* result = b.inner->transform_block(block, scratch);
  kernels.multiply(padded_, b.transformed.data(), false, true, result);
  result = b.inner->transform_block(result, result == block ? scratch : block);
  kernels.multiply(n_, b.chirp.data(), true, false, result);
  if (to) kernels.store(*to, n_, result, factor);
  return result;
}

template <class T>
bool Plan<T>::by_line(int64_t count) const {
  return padded_ > kLongest || ((matrix_ || bluestein_) && count < fft_kernels<T>().lanes / 2);
}

template <class T>
void Plan<T>::transform_line(const Lines<T>& from, const Lines<T>& to, T factor) const {
  if (matrix_) return by_matrix(*matrix_, from, to, factor);
  if (bluestein_) return by_chirp(from, to, factor);
  ScratchScope scope;
  T *block = Scratch::of_thread().take_array<T>(block_size()),
    *scratch = Scratch::of_thread().take_array<T>(block_size());
  transform_block(block, scratch, &from, &to, factor);
}

/// Lines `first`, `first` + 1... of `count` that are `distance` apart; `f(lines)` with at most one per lane.
template <class T, class F>
void for_each_block(int64_t count, int64_t length, F f) {
  const int64_t lanes = fft_kernels<T>().lanes;
  parallel_for(blocks_of(count, lanes), std::max<int64_t>(1, kElementsPerPiece / (length * lanes)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t b = begin; b < end; ++b) f(b, b * lanes, std::min(lanes, count - b * lanes));
               });
}

template <class T>
void Plan<T>::by_matrix(const Matrix& matrix, const Lines<T>& from, const Lines<T>& to, T factor) const {
  const FftKernels<T>& kernels = fft_kernels<T>();
  const int64_t rows = matrix.rows->size(), columns = matrix.columns->size(), lanes = kernels.lanes;
  ScratchScope scope;
  T* between = Scratch::of_thread().take_array<T>(2 * n_);
  // `block` of lines that begin at multiples of `distance`, are loaded and stored.
  const auto run = [&](const Plan<T>& plan, const Lines<T>& in, int64_t in_distance, const Lines<T>& out,
                       int64_t out_distance, int64_t first, int64_t count, const T* twists, T scale) {
    ScratchScope inner_scope;
    int64_t in_offsets[kMostLanes], out_offsets[kMostLanes];
    for (int64_t l = 0; l < count; ++l) {
      in_offsets[l] = in.offsets[0] + (first + l) * in_distance;
      out_offsets[l] = out.offsets[0] + (first + l) * out_distance;
    }
    T *block = Scratch::of_thread().take_array<T>(plan.block_size()),
      *scratch = Scratch::of_thread().take_array<T>(plan.block_size());
    const Lines<T> source = {in.base, in_offsets, count, in.step, in.imaginary, in.exchanged};
    const Lines<T> target = {out.base, out_offsets, count, out.step, out.imaginary, out.exchanged};
    if (!twists) return void(plan.transform_block(block, scratch, &source, &target, scale));
    T* result = plan.transform_block(block, scratch, &source);
    kernels.twist(plan.size(), twists, result);
    kernels.store(target, plan.size(), result, scale);
  };
  static constexpr int64_t zero = 0;
  Lines<T> in_columns = from, out_rows = to;
  in_columns.step = from.step * columns;
  out_rows.step = to.step * rows;
  const Lines<T> column_by_column{between, &zero, 1, 2, 1, false},
      across{between, &zero, 1, 2 * rows, 1, false};
  for_each_block<T>(columns, rows, [&](int64_t b, int64_t first, int64_t count) {
    run(*matrix.rows, in_columns, from.step, column_by_column, 2 * rows, first, count,
        matrix.twists.data() + b * rows * 2 * lanes, T(1));
  });
  for_each_block<T>(rows, columns, [&](int64_t, int64_t first, int64_t count) {
    run(*matrix.columns, across, 2, out_rows, to.step, first, count, nullptr, factor);
  });
}

template <class T>
void Plan<T>::by_chirp(const Lines<T>& from, const Lines<T>& to, T factor) const {
  const Bluestein& b = *bluestein_;
  ScratchScope scope;
  auto* wave = Scratch::of_thread().take_array<Complex>(padded_);
  std::fill(wave + n_, wave + padded_, Complex(0));
  for (int64_t k = 0; k < n_; ++k) wave[k] = product(element(from, k), b.chirp[size_t(k)]);
  const Lines<T> line = contiguous_line(wave);
  b.inner->transform_line(line, line, 1);
  for (int64_t k = 0; k < padded_; ++k) wave[k] = exchanged(product(wave[k], b.transformed[size_t(k)]));
  b.inner->transform_line(line, line, 1);
  for (int64_t k = 0; k < n_; ++k)
    set_element(to, k, product(exchanged(wave[k]), b.chirp[size_t(k)]) * factor);
}

/// The latest plans, most recent first.
template <class T>
std::shared_ptr<const Plan<T>> plan_for(int64_t n) {
  static std::recursive_mutex mutex;  // a plan asks for those of its factors
  static std::list<std::shared_ptr<const Plan<T>>> plans;
  std::lock_guard lock(mutex);
  for (auto it = plans.begin(); it != plans.end(); ++it)
    if ((*it)->size() == n) {
      plans.splice(plans.begin(), plans, it);
      return plans.front();
    }
  auto plan = std::make_shared<const Plan<T>>(n);
  plans.push_front(plan);
  int64_t elements = 0;
  for (auto it = plans.begin(); it != plans.end();) {
    elements += (*it)->size();
    it = elements > kCachedElements && it != plans.begin() ? plans.erase(it) : std::next(it);
  }
  return plan;
}

template class Plan<float>;
template class Plan<double>;
template std::shared_ptr<const Plan<float>> plan_for(int64_t);
template std::shared_ptr<const Plan<double>> plan_for(int64_t);

}  // namespace framejit::eager::cpu
