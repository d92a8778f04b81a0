// Contract: interned size expressions and the environment that owns a trace's symbols and size guards.
// The implementation is eager/size_expr.cc; graphs, guards and the inductor's memory plan all read these.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "eager/export.h"
#include "eager/symint.h"

namespace framejit::eager {

/// One node of an expression. Nodes are interned for the life of the process: equal expressions are one
/// pointer. Sums and products are kept in a normal form (sum of coefficient * product of atoms, atoms
/// ordered), so that `s0 + s0`, `2*s0` and `s0*2` are the same node.
class SizeExpr {
 public:
  enum class Kind : uint8_t { constant, symbol, add, mul, floor_div, floor_mod, max, min };
  Kind kind;
  int64_t value;  ///< of a constant; the number of a symbol
  std::vector<const SizeExpr*> operands;
  uint32_t id;  ///< dense; the order of creation

  FRAMEJIT_API std::string str() const;
  /// Value under `symbols` (indexed by symbol number).
  FRAMEJIT_API int64_t evaluate(std::span<const int64_t> symbols) const;
};

enum class SizeRelation : uint8_t { equal, not_equal, less, less_equal };
/// A fact about sizes that the trace relied on: `left relation right`.
struct SizeGuard {
  const SizeExpr* left;
  SizeRelation relation;
  const SizeExpr* right;
  FRAMEJIT_API std::string str() const;
  FRAMEJIT_API bool holds(std::span<const int64_t> symbols) const;
};

/// The symbols of the trace being made, with their hints, and the guards recorded so far. One is current per
/// thread.
class FRAMEJIT_API ShapeEnv {
 public:
  /// A new symbol. `hint` must be at least 2: sizes 0 and 1 are always specialised by the caller.
  SymInt new_symbol(int64_t hint);
  std::span<const int64_t> hints() const { return hints_; }
  const std::vector<SizeGuard>& guards() const { return guards_; }
  /// Adds a guard unless it is a tautology or already there.
  void guard(const SizeExpr* left, SizeRelation relation, const SizeExpr* right);
  /// For rolling a trace back.
  size_t mark() const { return guards_.size(); }
  void rollback(size_t mark) { guards_.resize(mark); }

  static ShapeEnv* current();

 private:
  friend class ShapeEnvScope;
  std::vector<int64_t> hints_;
  std::vector<SizeGuard> guards_;
};

/// Makes `env` current on this thread for a scope.
class FRAMEJIT_API ShapeEnvScope {
 public:
  explicit ShapeEnvScope(ShapeEnv* env);
  ~ShapeEnvScope();

 private:
  ShapeEnv* previous_;
};

}  // namespace framejit::eager
