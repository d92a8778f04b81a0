// The Schur form Q^H A Q of a complex square matrix, upper triangular: from the Hessenberg form by implicit QR steps with
// Wilkinson's shift (Golub & Van Loan, 7.5.2 to 7.5.4, with one shift at a time).
#pragma once

#include "eager/cpu/tile/linalg/hessenberg.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

/// Of rows x, y: x' = c x + s y, y' = c y - conj(s) x.
template <class T>
struct ComplexRotation {
  Real<T> c;
  T s;

  /// That for which y' is zero; x' takes the place of x.
  ComplexRotation(T& x, T y) {
    const Real<T> size = std::max(largest_part(x), largest_part(y));
    if (!(largest_part(y) > 0)) {
      c = 1, s = T(0);
      return;
    }
    const T f = x / size, g = y / size;
    const Real<T> squares = std::norm(f), length = std::sqrt(squares + std::norm(g));
    if (squares > 0) {
      const Real<T> of_f = std::sqrt(squares);
      c = of_f / length;
      const T direction = f / of_f;
      s = direction * conjugate(g) / length;
      x = direction * (length * size);
    } else {
      c = 0;
      s = conjugate(g) / length;
      x = T(length * size);
    }
  }
  ComplexRotation(Real<T> c, T s) : c(c), s(s) {}

  void apply(T& x, T& y) const {
    const T turned = c * x + s * y;
    y = c * y - conjugate(s) * x;
    x = turned;
  }
  /// Of n elements, a multiple of kLanes.
  void apply_to_rows(int64_t n, T* x, T* y) const {
    using R = Real<T>;
    const Packet<R> straight = spread(c);
    const Factor<T> of_y(s), of_x(-conjugate(s));
    for (int64_t i = 0; i < n; i += kLanes<T>) {
      const Packet<R> a = load_parts(x + i), b = load_parts(y + i);
      put(parts(x + i), packet::pmadd(straight, a, of_y.times(b)));
      put(parts(y + i), packet::pmadd(straight, b, of_x.times(a)));
    }
  }

 private:
  static Real<T> largest_part(T x) { return std::max(std::abs(x.real()), std::abs(x.imag())); }
};

/// T: a complex type.
template <class T>
class ComplexSchur {
 public:
  /// Overwrites `h` by the Schur form; where `q` is null, only what is on its diagonal is wanted.
  ComplexSchur(Rows<T> h, int64_t n, const Rows<T>* q) : h_(h), n_(n), q_(q) {
    reduce_to_hessenberg(h, n, q);
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = std::max<int64_t>(0, r - 1); c < n; ++c) norm_ = std::max(norm_, size_of(h[r][c]));
    converged = iterate();
  }

  bool converged;

 private:
  static constexpr int64_t kGroup = 16;  ///< rotations whose effect on the rows above is put off

  static Real<T> size_of(T x) { return std::abs(x.real()) + std::abs(x.imag()); }

  bool iterate() {
    constexpr int kMostSteps = 60;
    int64_t high = n_ - 1;
    for (int steps = 0; high > 0;) {
      const int64_t low = begin_of_block(high);
      if (low == high) {
        --high, steps = 0;
      } else {
        if (steps == kMostSteps) return false;
        step(low, high, shift(high, steps++));
      }
    }
    return true;
  }
  int64_t begin_of_block(int64_t high) {
    int64_t low = high;
    while (low > 0 && !is_negligible(low)) --low;
    if (low > 0) h_[low][low - 1] = T(0);
    return low;
  }
  bool is_negligible(int64_t row) const {
    Real<T> size = size_of(h_[row - 1][row - 1]) + size_of(h_[row][row]);
    if (size == 0) size = norm_;
    return size_of(h_[row][row - 1]) <= std::numeric_limits<Real<T>>::epsilon() * size;
  }

  /// The eigenvalue of the last two rows that is nearer to the last element, now and then another number.
  T shift(int64_t high, int steps) const {
    const T a = h_[high - 1][high - 1], b = h_[high - 1][high], c = h_[high][high - 1], d = h_[high][high];
    if (steps > 0 && steps % 10 == 0) return d + T(Real<T>(0.75) * size_of(c));
    const T half = (a - d) * Real<T>(0.5), product = b * c;
    const T root = std::sqrt(half * half + product);
    const T sum = half + root, difference = half - root;
    const T larger = size_of(sum) >= size_of(difference) ? sum : difference;
    return larger == T(0) ? d : d - product / larger;
  }

  void step(int64_t low, int64_t high, T shift) {
    const int64_t top = q_ ? 0 : low, right = round_up<T>(q_ ? n_ : high + 1);
    T before = h_[low][low] - shift;
    for (int64_t group = low; group < high; group += kGroup) {
      pending_.clear();
      for (int64_t k = group; k < std::min(high, group + kGroup); ++k) {
        T& bulge = k == low ? before : h_[k][k - 1];
        const ComplexRotation<T> rotation(bulge, k == low ? h_[low + 1][low] : h_[k + 1][k - 1]);
        if (k > low) h_[k + 1][k - 1] = T(0);
        turn_rows(k, right, rotation);
        pending_.emplace_back(rotation.c, conjugate(rotation.s));  // its adjoint, from the right
        for (int64_t r = group; r <= std::min(high, k + 2); ++r)
          pending_.back().apply(h_[r][k], h_[r][k + 1]);
        if (q_) pending_.back().apply_to_rows(q_->stride, (*q_)[k], (*q_)[k + 1]);
      }
      catch_up(top, group);
    }
  }
  /// Rows k and k + 1, columns from k on.
  void turn_rows(int64_t k, int64_t right, const ComplexRotation<T>& rotation) {
    const int64_t aligned = std::min(right, round_up<T>(k));
    for (int64_t c = k; c < aligned; ++c) rotation.apply(h_[k][c], h_[k + 1][c]);
    rotation.apply_to_rows(right - aligned, h_[k] + aligned, h_[k + 1] + aligned);
  }
  /// The pending rotations, of columns from `first` on, for the rows above: those are turned into columns, to go with
  /// a vector of them at a time.
  void catch_up(int64_t top, int64_t first) {
    const int64_t count = int64_t(pending_.size());
    T tile[kGroup + 1][kLanes<T>] = {};
    for (int64_t row = top; row < first; row += kLanes<T>) {
      const int64_t rows = std::min<int64_t>(kLanes<T>, first - row);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c <= count; ++c) tile[c][r] = h_[row + r][first + c];
      for (int64_t k = 0; k < count; ++k) pending_[size_t(k)].apply_to_rows(kLanes<T>, tile[k], tile[k + 1]);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c <= count; ++c) h_[row + r][first + c] = tile[c][r];
    }
  }

  Rows<T> h_;
  int64_t n_;
  const Rows<T>* q_;
  Real<T> norm_ = 0;
  std::vector<ComplexRotation<T>> pending_;
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
