#include "eager/symint.h"

#include <limits>

#include "eager/error.h"
#include "eager/interned_sizes.h"
#include "eager/size_expr.h"

namespace framejit::eager {
namespace {

constexpr int64_t kBase = std::numeric_limits<int64_t>::min();

const SizeExpr* decoded(SymInt size) { return reinterpret_cast<const SizeExpr*>(size.bits() - kBase); }

/// The current environment; a symbolic size has no meaning without one.
ShapeEnv& environment(const SizeExpr* expr) {
  ShapeEnv* env = ShapeEnv::current();
  FRAMEJIT_INTERNAL(env, "the size ", expr->str(), " was used after its trace had ended");
  return *env;
}

/// Answers by the hints and records the fact that made the answer right.
bool decide(SymInt a, SizeRelation relation, SizeRelation opposite, bool swap_opposite, SymInt b) {
  const SizeExpr *left = a.expr(), *right = b.expr();
  ShapeEnv& env = environment(is_expression(a) ? left : right);
  if (auto known = env.decide(left, relation, right)) return *known;
  if (SizeGuard{left, relation, right}.holds(env.hints())) {
    env.guard(left, relation, right);
    return true;
  }
  if (swap_opposite) std::swap(left, right);
  env.guard(left, opposite, right);
  return false;
}

}  // namespace

SymInt::SymInt(const SizeExpr* expr)
    : bits_(expr->kind == SizeExpr::Kind::constant ? expr->value : kBase + reinterpret_cast<intptr_t>(expr)) {
}

const SizeExpr* SymInt::expr() const {
  return is_expression(*this) ? decoded(*this) : SizeExpr::constant(bits_);
}

bool is_expression(SymInt size) { return size.is_symbolic() && is_interned(decoded(size)); }

SymInt SymInt::add(SymInt a, SymInt b) { return SymInt(SizeExpr::sum(a.expr(), b.expr(), 1)); }
SymInt SymInt::sub(SymInt a, SymInt b) { return SymInt(SizeExpr::sum(a.expr(), b.expr(), -1)); }
SymInt SymInt::mul(SymInt a, SymInt b) { return SymInt(SizeExpr::product(a.expr(), b.expr())); }
SymInt floor_div(SymInt a, SymInt b) { return SymInt(SizeExpr::quotient(a.expr(), b.expr())); }
SymInt floor_mod(SymInt a, SymInt b) { return SymInt(SizeExpr::remainder(a.expr(), b.expr())); }
SymInt sym_max(SymInt a, SymInt b) {
  return SymInt(SizeExpr::extremum(SizeExpr::Kind::max, a.expr(), b.expr()));
}
SymInt sym_min(SymInt a, SymInt b) {
  return SymInt(SizeExpr::extremum(SizeExpr::Kind::min, a.expr(), b.expr()));
}

bool SymInt::equal_slow(SymInt a, SymInt b) {
  if (!is_expression(a) && !is_expression(b)) return a.bits_ == b.bits_;
  return decide(a, SizeRelation::equal, SizeRelation::not_equal, false, b);
}
// not (a < b) is (b <= a)
bool SymInt::less_slow(SymInt a, SymInt b) {
  if (!is_expression(a) && !is_expression(b)) return a.bits_ < b.bits_;
  return decide(a, SizeRelation::less, SizeRelation::less_equal, true, b);
}

int64_t SymInt::hint_slow() const {
  return is_expression(*this) ? expr()->evaluate(environment(expr()).hints()) : bits_;
}
int64_t SymInt::specialize() const {
  if (!is_expression(*this)) return bits_;
  int64_t value = hint_slow();
  environment(expr()).guard(expr(), SizeRelation::equal, SizeExpr::constant(value));
  return value;
}

std::string SymInt::str() const { return is_expression(*this) ? expr()->str() : std::to_string(bits_); }

}  // namespace framejit::eager
