// The environment of a trace's symbols: hints, guards, and what can be decided without a guard.
#include <algorithm>

#include "eager/error.h"
#include "eager/size_expr.h"

namespace framejit::eager {
namespace {

thread_local ShapeEnv* current_env = nullptr;

const char* relation_text(SizeRelation relation) {
  switch (relation) {
    case SizeRelation::equal:
      return " == ";
    case SizeRelation::not_equal:
      return " != ";
    case SizeRelation::less:
      return " < ";
    case SizeRelation::less_equal:
      return " <= ";
  }
  return "";
}

bool related(int64_t left, SizeRelation relation, int64_t right) {
  switch (relation) {
    case SizeRelation::equal:
      return left == right;
    case SizeRelation::not_equal:
      return left != right;
    case SizeRelation::less:
      return left < right;
    case SizeRelation::less_equal:
      return left <= right;
  }
  return false;
}

}  // namespace

std::string SizeGuard::str() const { return left->str() + relation_text(relation) + right->str(); }
bool SizeGuard::holds(std::span<const int64_t> symbols) const {
  return related(left->evaluate(symbols), relation, right->evaluate(symbols));
}

SymInt ShapeEnv::new_symbol(int64_t hint, int64_t lower_bound) {
  hints_.push_back(hint);
  lower_bounds_.push_back(lower_bound);
  return SymInt(SizeExpr::symbol(int64_t(hints_.size()) - 1));
}

SymInt ShapeEnv::new_size(int64_t hint) {
  FRAMEJIT_INTERNAL(hint >= 2, "sizes 0 and 1 are specialised, got ", hint);
  SymInt symbol = new_symbol(hint, 2);
  guards_.push_back({SizeExpr::constant(2), SizeRelation::less_equal, symbol.expr()});
  return symbol;
}

SymInt ShapeEnv::new_integer(int64_t hint) { return new_symbol(hint, SizeExpr::kNoBound); }

std::optional<bool> ShapeEnv::decide(const SizeExpr* left, SizeRelation relation,
                                     const SizeExpr* right) const {
  const SizeExpr* difference = SizeExpr::sum(right, left, -1);
  if (difference->kind == SizeExpr::Kind::constant) return related(0, relation, difference->value);
  bool symmetric = relation == SizeRelation::equal || relation == SizeRelation::not_equal;
  for (const SizeGuard& guard : guards_) {
    if (guard == SizeGuard{left, relation, right}) return true;
    if (symmetric && guard == SizeGuard{right, relation, left}) return true;
  }
  auto at_least = difference->lower_bound(lower_bounds_);                              // right - left
  auto reverse_at_least = SizeExpr::sum(left, right, -1)->lower_bound(lower_bounds_);  // left - right
  bool less = at_least && *at_least > 0, greater = reverse_at_least && *reverse_at_least > 0;
  switch (relation) {
    case SizeRelation::equal:
      return less || greater ? std::optional(false) : std::nullopt;
    case SizeRelation::not_equal:
      return less || greater ? std::optional(true) : std::nullopt;
    case SizeRelation::less:
      if (less) return true;
      return reverse_at_least && *reverse_at_least >= 0 ? std::optional(false) : std::nullopt;
    case SizeRelation::less_equal:
      if (greater) return false;
      return at_least && *at_least >= 0 ? std::optional(true) : std::nullopt;
  }
  return {};
}

void ShapeEnv::guard(const SizeExpr* left, SizeRelation relation, const SizeExpr* right) {
  if (decide(left, relation, right) == std::optional(true)) return;
  SizeGuard guard{left, relation, right};
  FRAMEJIT_INTERNAL(guard.holds(hints_), "size guard that does not hold now: ", guard.str());
  guards_.push_back(guard);
}

ShapeEnv* ShapeEnv::current() { return current_env; }

ShapeEnvScope::ShapeEnvScope(ShapeEnv* env) : previous_(current_env) { current_env = env; }
ShapeEnvScope::~ShapeEnvScope() { current_env = previous_; }

}  // namespace framejit::eager
