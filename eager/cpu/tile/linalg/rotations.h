// Sequences of plane rotations, as the QR iterations for eigenvalues and singular values make them, recorded
// and then applied to the rows of a matrix a few vectors of columns at a time: those stay in the cache, and
// the row that two rotations share in a register (Van Zee, van de Geijn, Quintana-Orti: Restructuring the
// tridiagonal and bidiagonal QR algorithms for performance, ACM TOMS 40, 2014).
#pragma once

#include <vector>

#include "eager/cpu/tile/linalg/rows.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

struct PlaneRotation {
  double c, s, r;
};
/// c f + s g = r, c g - s f = 0.
inline PlaneRotation plane_rotation(double f, double g) {
  const double squares = f * f + g * g;
  if (squares < 1e-280) {  // they may have lost their bits
    constexpr double kUp = 0x1p500;
    if (f == 0 && g == 0) return {1, 0, 0};
    const PlaneRotation larger = plane_rotation(f * kUp, g * kUp);
    return {larger.c, larger.s, larger.r / kUp};
  }
  const double r = std::sqrt(squares), inverse = 1 / r;
  return {f * inverse, g * inverse, r};
}

template <class T>
class Rotations {
 public:
  /// Of rows that have `width` elements, a multiple of kLanes; none are recorded where there are none.
  Rotations(Rows<T> rows, int64_t width) : rows_(rows), width_(width) {}

  bool recorded() const { return width_ > 0; }
  /// Starts a sequence: its rotations concern rows `first` and `first` + step, then that and the next one,
  /// ...
  void begin(int64_t first, int step) {
    if (width_ == 0) return;
    if (int64_t(angles_.size()) > kMost) apply();
    sequences_.push_back({first, step, int64_t(angles_.size())});
  }
  /// Of rows x, y: x' = c x + s y, y' = c y - s x.
  void add(double c, double s) {
    if (width_ > 0) angles_.push_back({T(c), T(s)});
  }
  void apply() {
    int64_t column = 0;
    for (; column + 4 * kLanes<T> <= width_; column += 4 * kLanes<T>) apply_to_columns<4>(column);
    for (; column < width_; column += kLanes<T>) apply_to_columns<1>(column);
    sequences_.clear();
    angles_.clear();
  }

 private:
  static constexpr int64_t kMost = 1 << 13;  ///< 64 to 128 KiB of them
  struct Angle {
    T c, s;
  };
  struct Sequence {
    int64_t first;
    int step;
    int64_t begin;  ///< its first angle
  };

  template <int kVectors>
  void apply_to_columns(int64_t column) const {
    for (size_t i = 0; i < sequences_.size(); ++i) {
      const Sequence& sequence = sequences_[i];
      const int64_t end = i + 1 < sequences_.size() ? sequences_[i + 1].begin : int64_t(angles_.size());
      apply_sequence<kVectors>(angles_.data() + sequence.begin, end - sequence.begin,
                               rows_[sequence.first] + column, sequence.step * rows_.stride);
    }
  }

  template <int kVectors>
  static void apply_sequence(const Angle* angles, int64_t count, T* row, int64_t stride) {
    Packet<T> x[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) x[v] = load(row + v * kLanes<T>);
    for (int64_t i = 0; i < count; ++i, row += stride) {
      const Packet<T> c = spread(angles[i].c), s = spread(angles[i].s), minus = spread(-angles[i].s);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        const Packet<T> y = load(row + stride + v * kLanes<T>);
        packet::pstoreu(row + v * kLanes<T>, packet::pmadd(s, y, packet::pmul(c, x[v])));
        x[v] = packet::pmadd(minus, x[v], packet::pmul(c, y));
      }
    }
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) packet::pstoreu(row + v * kLanes<T>, x[v]);
  }

  Rows<T> rows_;
  int64_t width_;
  std::vector<Angle> angles_;
  std::vector<Sequence> sequences_;
};

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
