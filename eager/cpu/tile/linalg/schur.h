// The real Schur form Q^T A Q of a square matrix: upper triangular but for blocks of two rows, which have
// pairs of complex eigenvalues. From the Hessenberg form by
// Francis's implicit double QR steps (7.5; Martin, Peters and Wilkinson, Numerische Mathematik 14, 1970).
#pragma once

#include <complex>

#include "eager/cpu/tile/linalg/hessenberg.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

/// I - tau v v^T of three rows or columns, v = (1, v1, v2).
template <class T>
struct SmallReflection {
  T tau, v1, v2, beta;

  SmallReflection(T x, T y, T z) {
    const T scale = std::abs(x) + std::abs(y) + std::abs(z);
    if (y == 0 && z == 0) {
      tau = v1 = v2 = 0, beta = x;
      return;
    }
    x /= scale, y /= scale, z /= scale;
    const T norm = -std::copysign(std::sqrt(x * x + y * y + z * z), x);
    tau = (norm - x) / norm, v1 = y / (x - norm), v2 = z / (x - norm), beta = norm * scale;
  }
  template <class X>
  void apply(X& a, X& b, X& c) const {
    const X sum = tau * (a + v1 * b + v2 * c);
    a -= sum, b -= v1 * sum, c -= v2 * sum;
  }
  /// To three rows, of n elements, a multiple of kLanes; the third may be missing.
  void apply_to_rows(int64_t n, T* a, T* b, T* c) const {
    const Packet<T> minus_tau = spread(T(-tau)), first = spread(v1), second = spread(v2);
    for (int64_t i = 0; i < n; i += kLanes<T>) {
      const Packet<T> x = load(a + i), y = load(b + i);
      Packet<T> sum = packet::pmadd(first, y, x);
      if (c) sum = packet::pmadd(second, load(c + i), sum);
      sum = packet::pmul(minus_tau, sum);
      packet::pstoreu(a + i, packet::padd(x, sum));
      packet::pstoreu(b + i, packet::pmadd(first, sum, y));
      if (c) packet::pstoreu(c + i, packet::pmadd(second, sum, load(c + i)));
    }
  }
};

template <class T>
class Schur {
 public:
  /// Overwrites `h` by the Schur form; where `q` is null, only its eigenvalues are wanted.
  Schur(Rows<T> h, int64_t n, const Rows<T>* q) : values(size_t(n)), h_(h), n_(n), q_(q) {
    reduce_to_hessenberg(h, n, q);
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = std::max<int64_t>(0, r - 1); c < n; ++c) norm_ = std::max(norm_, std::abs(h[r][c]));
    converged = iterate();
  }

  std::vector<std::complex<T>> values;
  bool converged;

 private:
  static constexpr int64_t kGroup = 16;  ///< reflections whose effect on the rows above is put off

  bool iterate() {
    constexpr int kMostSteps = 60;
    int64_t high = n_ - 1;
    for (int steps = 0; high >= 0;) {
      const int64_t low = begin_of_block(high);
      if (low == high) {
        values[size_t(high)] = h_[high][high] + shifted_;
        h_[high][high] += shifted_;
        --high, steps = 0;
      } else if (low + 1 == high) {
        split(low);
        high -= 2, steps = 0;
      } else {
        if (steps == kMostSteps) return false;
        step(low, high, steps++);
      }
    }
    return true;
  }

  bool is_negligible(int64_t row) const {
    T size = std::abs(h_[row - 1][row - 1]) + std::abs(h_[row][row]);
    if (size == 0) size = norm_;
    return std::abs(h_[row][row - 1]) <= std::numeric_limits<T>::epsilon() * size;
  }
  int64_t begin_of_block(int64_t high) {
    int64_t low = high;
    while (low > 0 && !is_negligible(low)) --low;
    if (low > 0) h_[low][low - 1] = T(0);
    return low;
  }

  /// Eigenvalues of the block of rows `k` and k + 1; real ones are put on the diagonal.
  void split(int64_t k) {
    T &a = h_[k][k], &b = h_[k][k + 1], &c = h_[k + 1][k], &d = h_[k + 1][k + 1];
    a += shifted_, d += shifted_;
    const T half = (a - d) / 2, discriminant = half * half + b * c;
    if (discriminant < 0) {
      const T root = std::sqrt(-discriminant), middle = d + half;
      values[size_t(k)] = {middle, root};
      values[size_t(k + 1)] = {middle, -root};
      return;
    }
    const T z = half + std::copysign(std::sqrt(discriminant), half);  // a - d + z and d - b c / z
    const T first = d + z, second = z != 0 ? d - b / z * c : d;
    values[size_t(k)] = first, values[size_t(k + 1)] = second;
    if (!q_) return;
    // The rotation whose first column is the eigenvector (z, c) of the first.
    const T length = std::hypot(z, c);
    const T cosine = length == 0 ? T(1) : z / length, sine = length == 0 ? T(0) : c / length;
    rotate(h_[k], h_[k + 1], h_.stride, cosine, sine);
    for (int64_t r = 0; r <= k + 1; ++r) {
      const T x = h_[r][k], y = h_[r][k + 1];
      h_[r][k] = cosine * x + sine * y, h_[r][k + 1] = cosine * y - sine * x;
    }
    rotate((*q_)[k], (*q_)[k + 1], q_->stride, cosine, sine);
    a = first, d = second, c = T(0);
  }
  static void rotate(T* x, T* y, int64_t n, T cosine, T sine) {
    for (int64_t i = 0; i < n; ++i) {
      const T first = x[i], second = y[i];
      x[i] = cosine * first + sine * second, y[i] = cosine * second - sine * first;
    }
  }

  /// The sum and the product of the two shifts: eigenvalues of the last block, now and then others.
  struct Shifts {
    T x, y, w;
  };
  Shifts shifts(int64_t low, int64_t high, int steps) {
    Shifts s{h_[high][high], h_[high - 1][high - 1], h_[high][high - 1] * h_[high - 1][high]};
    if (steps > 0 && steps % 10 == 0) {
      shifted_ += s.x;
      for (int64_t i = 0; i <= high; ++i) h_[i][i] -= s.x;
      const T size = std::abs(h_[high][high - 1]) + std::abs(h_[high - 1][high - 2]);
      s = {T(0.75) * size, T(0.75) * size, T(-0.4375) * size * size};
    }
    return s;
  }

  /// One double step on rows [low, high], which begins where two elements beside the diagonal are small.
  void step(int64_t low, int64_t high, int steps) {
    const Shifts s = shifts(low, high, steps);
    T p = 0, q = 0, r = 0;
    int64_t begin = high - 2;
    for (;; --begin) {
      const T z = h_[begin][begin], x = s.x - z, y = s.y - z;
      p = (x * y - s.w) / h_[begin + 1][begin] + h_[begin][begin + 1];
      q = h_[begin + 1][begin + 1] - z - x - y;
      r = h_[begin + 2][begin + 1];
      const T scale = std::abs(p) + std::abs(q) + std::abs(r);
      p /= scale, q /= scale, r /= scale;
      if (begin == low) break;
      const T before = std::abs(h_[begin][begin - 1]) * (std::abs(q) + std::abs(r));
      const T size = std::abs(p) *
                     (std::abs(h_[begin - 1][begin - 1]) + std::abs(z) + std::abs(h_[begin + 1][begin + 1]));
      if (before <= std::numeric_limits<T>::epsilon() * size) break;
    }
    const int64_t top = q_ ? 0 : low, right = round_up<T>(q_ ? n_ : high + 1);
    SmallReflection<T> first(p, q, r);
    if (begin > low) h_[begin][begin - 1] *= 1 - first.tau;
    for (int64_t group = begin; group < high; group += kGroup) {
      pending_.clear();
      for (int64_t k = group; k < std::min(high, group + kGroup); ++k) {
        pending_.push_back(k == begin ? first : next(k, high));
        chase(k, group, high, right, pending_.back());
      }
      catch_up(top, group);
    }
  }
  /// Moves the bulge below row k - 1 on.
  SmallReflection<T> next(int64_t k, int64_t high) {
    const bool three = k + 2 <= high;
    const SmallReflection<T> reflection(h_[k][k - 1], h_[k + 1][k - 1], three ? h_[k + 2][k - 1] : T(0));
    h_[k][k - 1] = reflection.beta, h_[k + 1][k - 1] = T(0);
    if (three) h_[k + 2][k - 1] = T(0);
    return reflection;
  }
  /// Of rows k... in full, of columns k... from row `first` on.
  void chase(int64_t k, int64_t first, int64_t high, int64_t right, const SmallReflection<T>& reflection) {
    const bool three = k + 2 <= high;
    const int64_t from = round_down<T>(k);
    T* rows[3] = {h_[k], h_[k + 1], three ? h_[k + 2] : nullptr};
    T kept[3][kLanes<T>];  // columns before k have been dealt with
    for (int i = 0; i < 2 + three; ++i) std::copy(rows[i] + from, rows[i] + k, kept[i]);
    reflection.apply_to_rows(right - from, rows[0] + from, rows[1] + from, three ? rows[2] + from : nullptr);
    for (int i = 0; i < 2 + three; ++i) std::copy(kept[i], kept[i] + k - from, rows[i] + from);
    T nothing = 0;
    for (int64_t r = first; r <= std::min(high, k + 3); ++r)
      reflection.apply(h_[r][k], h_[r][k + 1], three ? h_[r][k + 2] : nothing);
    if (q_) reflection.apply_to_rows(q_->stride, (*q_)[k], (*q_)[k + 1], three ? (*q_)[k + 2] : nullptr);
  }
  /// The pending reflections, of columns from `first` on, for the rows above: those are turned into columns,
  /// to go with a vector of them at a time.
  void catch_up(int64_t top, int64_t first) {
    const int64_t count = int64_t(pending_.size()), columns = std::min(count + 2, h_.stride - first);
    T tile[kGroup + 2][kLanes<T>] = {};
    for (int64_t row = top; row < first; row += kLanes<T>) {
      const int64_t rows = std::min<int64_t>(kLanes<T>, first - row);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) tile[c][r] = h_[row + r][first + c];
      for (int64_t k = 0; k < count; ++k)
        pending_[size_t(k)].apply_to_rows(kLanes<T>, tile[k], tile[k + 1], tile[k + 2]);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) h_[row + r][first + c] = tile[c][r];
    }
  }

  Rows<T> h_;
  int64_t n_;
  const Rows<T>* q_;
  T norm_ = 0;
  T shifted_ = 0;  ///< what has been subtracted from the diagonal by then
  std::vector<SmallReflection<T>> pending_;
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
