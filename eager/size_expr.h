// Contract: interned size expressions and the environment that owns a trace's symbols and size guards.
// The implementation is eager/size_expr.cc; graphs, guards and the inductor's memory plan all read these.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eager/export.h"
#include "eager/symint.h"

namespace framejit::eager {

/// One node of an expression. Nodes are interned for the life of the process: equal expressions are one
/// pointer. Sums and products are kept in a normal form (sum of coefficient * product of atoms, atoms
/// ordered), so that `s0 + s0`, `2*s0` and `s0*2` are the same node. No rule of the normal form assumes
/// anything about the range of a symbol.
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

  static constexpr int64_t kNoBound = INT64_MIN;
  /// A number that the value is never below, given those of the symbols (`kNoBound`: none is known).
  std::optional<int64_t> lower_bound(std::span<const int64_t> symbol_bounds) const;

  FRAMEJIT_API static const SizeExpr* constant(int64_t value);
  FRAMEJIT_API static const SizeExpr* symbol(int64_t number);
  static const SizeExpr* sum(const SizeExpr* a, const SizeExpr* b, int64_t b_coefficient);
  static const SizeExpr* product(const SizeExpr* a, const SizeExpr* b);
  static const SizeExpr* quotient(const SizeExpr* a, const SizeExpr* b);   ///< Python's `//`
  static const SizeExpr* remainder(const SizeExpr* a, const SizeExpr* b);  ///< Python's `%`
  static const SizeExpr* extremum(Kind max_or_min, const SizeExpr* a, const SizeExpr* b);
};

enum class SizeRelation : uint8_t { equal, not_equal, less, less_equal };
/// A fact about sizes that the trace relied on: `left relation right`.
struct SizeGuard {
  const SizeExpr* left;
  SizeRelation relation;
  const SizeExpr* right;
  friend bool operator==(const SizeGuard&, const SizeGuard&) = default;
  FRAMEJIT_API std::string str() const;
  FRAMEJIT_API bool holds(std::span<const int64_t> symbols) const;
};

/// The symbols of a trace, with their hints, and the guards recorded so far. One is current per thread while
/// a graph is traced, differentiated or compiled; all of these may add guards.
class FRAMEJIT_API ShapeEnv {
 public:
  /// Of a size: never 0 or 1, which the caller specialises (those sizes change what broadcasting does). The
  /// guard `2 <= symbol` is recorded with it.
  SymInt new_size(int64_t hint);
  /// Of a Python int that is an input: any value; whatever a trace decides by it is guarded.
  SymInt new_integer(int64_t hint);

  std::span<const int64_t> hints() const { return hints_; }
  const std::vector<SizeGuard>& guards() const { return guards_; }
  /// Adds a guard unless it is known to hold.
  void guard(const SizeExpr* left, SizeRelation relation, const SizeExpr* right);
  /// Whether `left relation right` holds always (true), never (false), or as the hints say (nothing).
  std::optional<bool> decide(const SizeExpr* left, SizeRelation relation, const SizeExpr* right) const;
  /// For rolling a trace back.
  size_t mark() const { return guards_.size(); }
  void rollback(size_t mark) { guards_.resize(mark); }

  static ShapeEnv* current();

 private:
  friend class ShapeEnvScope;
  SymInt new_symbol(int64_t hint, int64_t lower_bound);
  std::vector<int64_t> hints_;
  std::vector<int64_t> lower_bounds_;
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
