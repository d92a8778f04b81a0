// Contract: sizes that are either numbers or expressions over the symbols of a trace.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "eager/export.h"

namespace framejit::eager {

class SizeExpr;  // interned, immutable; eager/size_expr.h

/// An int64 that may stand for a size expression such as `s0*4+1`. Eager code only meets plain values; while
/// a graph is traced, arithmetic builds interned expressions and a comparison answers with the hint (the
/// value at trace time) and records a guard in the thread's `ShapeEnv`. Expressions are encoded as the lowest
/// int64 plus their address, so that a sizes array is an array of int64 in both cases. Addresses have at most
/// 48 bits and are not in the first page, so the lowest int64 itself (and all numbers that people write) are
/// plain.
class SymInt {
 public:
  /// Numbers of a trace, which may become expressions, are kept above this.
  static constexpr int64_t kLowestPlain = -(int64_t(1) << 61);

  constexpr SymInt() : bits_(0) {}
  template <std::integral Integer>
  constexpr SymInt(Integer value) : bits_(int64_t(value)) {}  // NOLINT: implicit on purpose
  FRAMEJIT_API explicit SymInt(const SizeExpr* expr);

  bool is_symbolic() const { return uint64_t(bits_) - kFirstExpr < kExprRange; }
  /// The plain value; symbolic sizes are specialised to their hint (and guarded equal to it).
  int64_t expect() const { return is_symbolic() ? specialize() : bits_; }
  /// The value at trace time, without a guard.
  int64_t hint() const { return is_symbolic() ? hint_slow() : bits_; }
  FRAMEJIT_API const SizeExpr* expr() const;  ///< never null; a constant expression for a plain value
  int64_t bits() const { return bits_; }
  static SymInt from_bits(int64_t bits) { return SymInt(bits); }

  // Sizes that overflow wrap, without undefined behaviour; the allocation refuses them.
  friend SymInt operator+(SymInt a, SymInt b) {
    return plain(a, b) ? SymInt(int64_t(uint64_t(a.bits_) + uint64_t(b.bits_))) : add(a, b);
  }
  friend SymInt operator-(SymInt a, SymInt b) {
    return plain(a, b) ? SymInt(int64_t(uint64_t(a.bits_) - uint64_t(b.bits_))) : sub(a, b);
  }
  friend SymInt operator*(SymInt a, SymInt b) {
    return plain(a, b) ? SymInt(int64_t(uint64_t(a.bits_) * uint64_t(b.bits_))) : mul(a, b);
  }
  /// Python's `//` and `%`: rounded towards minus infinity. The divisor is not zero.
  FRAMEJIT_API friend SymInt floor_div(SymInt a, SymInt b);
  FRAMEJIT_API friend SymInt floor_mod(SymInt a, SymInt b);
  FRAMEJIT_API friend SymInt sym_max(SymInt a, SymInt b);
  FRAMEJIT_API friend SymInt sym_min(SymInt a, SymInt b);

  friend bool operator==(SymInt a, SymInt b) {
    return a.bits_ == b.bits_ || (!plain(a, b) && equal_slow(a, b));
  }
  friend bool operator<(SymInt a, SymInt b) { return plain(a, b) ? a.bits_ < b.bits_ : less_slow(a, b); }
  friend bool operator>(SymInt a, SymInt b) { return b < a; }
  friend bool operator<=(SymInt a, SymInt b) { return !(b < a); }
  friend bool operator>=(SymInt a, SymInt b) { return !(a < b); }

  FRAMEJIT_API std::string str() const;  ///< "12" or "4*s0 + 1"

 private:
  static constexpr uint64_t kFirstExpr = (uint64_t(1) << 63) + 4096;
  static constexpr uint64_t kExprRange = (uint64_t(1) << 48) - 4096;

  static bool plain(SymInt a, SymInt b) { return !a.is_symbolic() && !b.is_symbolic(); }
  FRAMEJIT_API static SymInt add(SymInt a, SymInt b);
  FRAMEJIT_API static SymInt sub(SymInt a, SymInt b);
  FRAMEJIT_API static SymInt mul(SymInt a, SymInt b);
  FRAMEJIT_API static bool equal_slow(SymInt a, SymInt b);
  FRAMEJIT_API static bool less_slow(SymInt a, SymInt b);
  FRAMEJIT_API int64_t specialize() const;
  FRAMEJIT_API int64_t hint_slow() const;

  int64_t bits_;
};

}  // namespace framejit::eager
