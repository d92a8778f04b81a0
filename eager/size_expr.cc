#include "eager/size_expr.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "eager/error.h"
#include "eager/interned_sizes.h"

namespace framejit::eager {
namespace {

using Kind = SizeExpr::Kind;

int64_t floor_div_int(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a % b < 0) != (b < 0));
}
int64_t floor_mod_int(int64_t a, int64_t b) {
  int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// --- interning ---------------------------------------------------------------------------------------------

struct Key {
  Kind kind;
  int64_t value;
  std::vector<const SizeExpr*> operands;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    size_t hash = size_t(key.kind) * 31 + size_t(key.value);
    for (const SizeExpr* operand : key.operands) hash = hash * 1000003 + operand->id;
    return hash;
  }
};

/// All expressions of the process. They are few (one trace makes tens), so they are never freed.
class Interner {
 public:
  const SizeExpr* get(Kind kind, int64_t value, std::vector<const SizeExpr*> operands) {
    Key key{kind, value, std::move(operands)};
    std::lock_guard lock(mutex_);
    auto found = by_key_.find(key);
    if (found != by_key_.end()) return found->second;
    const SizeExpr* node = add({kind, value, key.operands, count_.load(std::memory_order_relaxed)});
    by_key_.emplace(std::move(key), node);
    return node;
  }
  bool holds(const SizeExpr* address) const {
    const uint32_t count = count_.load(std::memory_order_acquire);
    for (uint32_t first = 0; first < count; first += kBlock) {
      const SizeExpr* block = blocks_[first / kBlock].get();
      const uintptr_t distance = uintptr_t(address) - uintptr_t(block);
      if (distance < std::min(kBlock, count - first) * sizeof(SizeExpr))
        return distance % sizeof(SizeExpr) == 0;
    }
    return false;
  }
  static Interner& instance() {
    static Interner* interner = new Interner;  // lives until the process ends, whatever the order of exit
    return *interner;
  }

 private:
  static constexpr uint32_t kBlock = 1024, kBlocks = 4096;

  const SizeExpr* add(SizeExpr node) {
    const uint32_t id = node.id;
    FRAMEJIT_INTERNAL(id < kBlock * kBlocks, "too many size expressions");
    std::unique_ptr<SizeExpr[]>& block = blocks_[id / kBlock];
    if (!block) block = std::make_unique<SizeExpr[]>(kBlock);
    block[id % kBlock] = std::move(node);
    count_.store(id + 1, std::memory_order_release);
    return &block[id % kBlock];
  }

  std::mutex mutex_;
  std::atomic<uint32_t> count_{0};  ///< blocks of the nodes below it may be read without the lock
  std::array<std::unique_ptr<SizeExpr[]>, kBlocks> blocks_;
  std::unordered_map<Key, const SizeExpr*, KeyHash> by_key_;
};

const SizeExpr* intern(Kind kind, int64_t value, std::vector<const SizeExpr*> operands = {}) {
  return Interner::instance().get(kind, value, std::move(operands));
}

// --- normal form: a sum of terms, each a coefficient times ordered atoms -----------------------------------

/// Structural order; does not depend on which expressions the process made before.
int compare(const SizeExpr* a, const SizeExpr* b) {
  if (a == b) return 0;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  if (a->operands.size() != b->operands.size()) return a->operands.size() < b->operands.size() ? -1 : 1;
  for (size_t i = 0; i < a->operands.size(); ++i)
    if (int order = compare(a->operands[i], b->operands[i])) return order;
  return 0;
}

struct Term {
  int64_t coefficient;
  std::vector<const SizeExpr*> atoms;
};
using Terms = std::vector<Term>;

/// Higher degree first, so that a constant comes last: `s0*s1 + 2*s0 + 1`.
int compare(const Term& a, const Term& b) {
  if (a.atoms.size() != b.atoms.size()) return a.atoms.size() > b.atoms.size() ? -1 : 1;
  for (size_t i = 0; i < a.atoms.size(); ++i)
    if (int order = compare(a.atoms[i], b.atoms[i])) return order;
  return 0;
}

Term term_of(const SizeExpr* expr) {
  if (expr->kind == Kind::constant) return {expr->value, {}};
  if (expr->kind != Kind::mul) return {1, {expr}};
  bool scaled = expr->operands[0]->kind == Kind::constant;
  return {scaled ? expr->operands[0]->value : 1, {expr->operands.begin() + scaled, expr->operands.end()}};
}

Terms terms_of(const SizeExpr* expr) {
  if (expr->kind != Kind::add) return {term_of(expr)};
  Terms terms;
  for (const SizeExpr* operand : expr->operands) terms.push_back(term_of(operand));
  return terms;
}

const SizeExpr* expr_of(const Term& term) {
  if (term.atoms.empty()) return intern(Kind::constant, term.coefficient);
  if (term.coefficient == 1 && term.atoms.size() == 1) return term.atoms[0];
  std::vector<const SizeExpr*> operands = term.atoms;
  if (term.coefficient != 1) operands.insert(operands.begin(), intern(Kind::constant, term.coefficient));
  return intern(Kind::mul, 0, std::move(operands));
}

const SizeExpr* expr_of(Terms terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return compare(a, b) < 0; });
  Terms merged;
  for (Term& term : terms) {
    if (!merged.empty() && merged.back().atoms == term.atoms)
      merged.back().coefficient += term.coefficient;
    else
      merged.push_back(std::move(term));
  }
  std::erase_if(merged, [](const Term& term) { return term.coefficient == 0; });
  if (merged.empty()) return intern(Kind::constant, 0);
  if (merged.size() == 1) return expr_of(merged[0]);
  std::vector<const SizeExpr*> operands;
  for (const Term& term : merged) operands.push_back(expr_of(term));
  return intern(Kind::add, 0, std::move(operands));
}

Term product(const Term& a, const Term& b) {
  Term result{a.coefficient * b.coefficient, a.atoms};
  result.atoms.insert(result.atoms.end(), b.atoms.begin(), b.atoms.end());
  std::sort(result.atoms.begin(), result.atoms.end(),
            [](const SizeExpr* x, const SizeExpr* y) { return compare(x, y) < 0; });
  return result;
}

/// Divides `term` by `divisor` in place if it goes without a remainder.
bool divide_exactly(Term& term, const Term& divisor) {
  if (term.coefficient % divisor.coefficient != 0) return false;
  std::vector<const SizeExpr*> atoms = term.atoms;
  for (const SizeExpr* atom : divisor.atoms) {
    auto at = std::find(atoms.begin(), atoms.end(), atom);
    if (at == atoms.end()) return false;
    atoms.erase(at);
  }
  term = {term.coefficient / divisor.coefficient, std::move(atoms)};
  return true;
}

/// Splits `a` by the one-term divisor `b`: a == quotient * b + rest, where no term of rest is a multiple of
/// b.
void split(const SizeExpr* a, const SizeExpr* b, Terms& quotient, Terms& rest) {
  Term divisor = term_of(b);
  for (Term& term : terms_of(a)) {
    if (divide_exactly(term, divisor)) {
      quotient.push_back(std::move(term));
    } else {
      rest.push_back(std::move(term));
    }
  }
}

// --- printing ----------------------------------------------------------------------------------------------

std::string operand_text(const SizeExpr* expr) {
  bool is_atom = expr->kind == Kind::symbol || (expr->kind == Kind::constant && expr->value >= 0) ||
                 expr->kind >= Kind::max;
  return is_atom ? expr->str() : "(" + expr->str() + ")";
}

std::string join(const std::vector<const SizeExpr*>& operands, const char* separator) {
  std::string text;
  for (const SizeExpr* operand : operands) text += (text.empty() ? "" : separator) + operand_text(operand);
  return text;
}

std::string sum_text(const std::vector<const SizeExpr*>& operands) {
  std::string text;
  for (const SizeExpr* operand : operands) {
    Term term = term_of(operand);
    bool negative = term.coefficient < 0;
    if (negative) term.coefficient = -term.coefficient;
    if (text.empty())
      text = operand->str();
    else
      text += (negative ? " - " : " + ") + expr_of(term)->str();
  }
  return text;
}

}  // namespace

// --- SizeExpr ----------------------------------------------------------------------------------------------

std::string SizeExpr::str() const {
  switch (kind) {
    case Kind::constant:
      return std::to_string(value);
    case Kind::symbol:
      return "s" + std::to_string(value);
    case Kind::add:
      return sum_text(operands);
    case Kind::mul:
      if (operands[0]->kind == Kind::constant && operands[0]->value < 0) {
        return std::to_string(operands[0]->value) + "*" + join({operands.begin() + 1, operands.end()}, "*");
      }
      return join(operands, "*");
    case Kind::floor_div:
      return join(operands, " // ");
    case Kind::floor_mod:
      return join(operands, " % ");
    case Kind::max:
      return "max(" + operands[0]->str() + ", " + operands[1]->str() + ")";
    case Kind::min:
      return "min(" + operands[0]->str() + ", " + operands[1]->str() + ")";
  }
  return "";
}

int64_t SizeExpr::evaluate(std::span<const int64_t> symbols) const {
  switch (kind) {
    case Kind::constant:
      return value;
    case Kind::symbol:
      FRAMEJIT_INTERNAL(size_t(value) < symbols.size(), "symbol s", value, " has no value");
      return symbols[size_t(value)];
    case Kind::add: {
      int64_t sum = 0;
      for (const SizeExpr* operand : operands) sum += operand->evaluate(symbols);
      return sum;
    }
    case Kind::mul: {
      int64_t product = 1;
      for (const SizeExpr* operand : operands) product *= operand->evaluate(symbols);
      return product;
    }
    default:
      break;
  }
  int64_t left = operands[0]->evaluate(symbols), right = operands[1]->evaluate(symbols);
  switch (kind) {
    case Kind::floor_div:
      return floor_div_int(left, right);
    case Kind::floor_mod:
      return floor_mod_int(left, right);
    case Kind::max:
      return std::max(left, right);
    default:
      return std::min(left, right);
  }
}

bool is_interned(const SizeExpr* address) { return Interner::instance().holds(address); }

const SizeExpr* SizeExpr::constant(int64_t value) { return intern(Kind::constant, value); }
const SizeExpr* SizeExpr::symbol(int64_t number) { return intern(Kind::symbol, number); }

const SizeExpr* SizeExpr::sum(const SizeExpr* a, const SizeExpr* b, int64_t b_coefficient) {
  Terms terms = terms_of(a);
  for (Term& term : terms_of(b)) {
    term.coefficient *= b_coefficient;
    terms.push_back(std::move(term));
  }
  return expr_of(std::move(terms));
}

const SizeExpr* SizeExpr::product(const SizeExpr* a, const SizeExpr* b) {
  Terms terms;
  for (const Term& x : terms_of(a))
    for (const Term& y : terms_of(b)) terms.push_back(eager::product(x, y));
  return expr_of(std::move(terms));
}

// floor((q*b + r) / b) == q + floor(r / b) and (q*b + r) % b == r % b, for every b but zero.
const SizeExpr* SizeExpr::quotient(const SizeExpr* a, const SizeExpr* b) {
  if (a == b) return constant(1);
  if (b->kind == Kind::add) return intern(Kind::floor_div, 0, {a, b});
  Terms quotient, rest;
  split(a, b, quotient, rest);
  const SizeExpr* remainder = expr_of(rest);
  if (remainder->kind == Kind::constant && b->kind == Kind::constant) {
    quotient.push_back({floor_div_int(remainder->value, b->value), {}});
  } else if (remainder->kind != Kind::constant || remainder->value != 0) {
    quotient.push_back({1, {intern(Kind::floor_div, 0, {remainder, b})}});
  }
  return expr_of(std::move(quotient));
}

const SizeExpr* SizeExpr::remainder(const SizeExpr* a, const SizeExpr* b) {
  if (a == b) return constant(0);
  if (b->kind == Kind::add) return intern(Kind::floor_mod, 0, {a, b});
  Terms quotient, rest;
  split(a, b, quotient, rest);
  const SizeExpr* remainder = expr_of(rest);
  if (remainder->kind == Kind::constant) {
    if (remainder->value == 0) return remainder;
    if (b->kind == Kind::constant) return constant(floor_mod_int(remainder->value, b->value));
  }
  return intern(Kind::floor_mod, 0, {remainder, b});
}

const SizeExpr* SizeExpr::extremum(Kind kind, const SizeExpr* a, const SizeExpr* b) {
  const SizeExpr* difference = sum(a, b, -1);
  if (difference->kind == Kind::constant) {
    bool a_is_larger = difference->value >= 0;
    return a_is_larger == (kind == Kind::max) ? a : b;
  }
  bool in_order = b->kind == Kind::constant || (a->kind != Kind::constant && compare(a, b) < 0);
  return in_order ? intern(kind, 0, {a, b}) : intern(kind, 0, {b, a});
}

std::optional<int64_t> SizeExpr::lower_bound(std::span<const int64_t> symbol_bounds) const {
  std::optional<int64_t> a, b;
  switch (kind) {
    case Kind::constant:
      return value;
    case Kind::symbol:
      if (size_t(value) >= symbol_bounds.size() || symbol_bounds[size_t(value)] == kNoBound) return {};
      return symbol_bounds[size_t(value)];
    case Kind::add: {
      int64_t sum = 0;
      for (const SizeExpr* operand : operands) {
        auto bound = operand->lower_bound(symbol_bounds);
        if (!bound) return {};
        sum += *bound;
      }
      return sum;
    }
    case Kind::mul: {  // a product of factors that are never negative
      int64_t product = 1;
      for (const SizeExpr* operand : operands) {
        auto bound = operand->lower_bound(symbol_bounds);
        if (!bound || *bound < 0) return {};
        product *= *bound;
      }
      return product;
    }
    case Kind::floor_div:
      a = operands[0]->lower_bound(symbol_bounds);
      if (!a || operands[1]->kind != Kind::constant || operands[1]->value <= 0) return {};
      return floor_div_int(*a, operands[1]->value);
    case Kind::floor_mod:
      b = operands[1]->lower_bound(symbol_bounds);
      return b && *b > 0 ? std::optional<int64_t>(0) : std::nullopt;
    case Kind::max:
    case Kind::min:
      a = operands[0]->lower_bound(symbol_bounds);
      b = operands[1]->lower_bound(symbol_bounds);
      if (kind == Kind::max) return a && b ? std::max(*a, *b) : a ? a : b;
      return a && b ? std::optional<int64_t>(std::min(*a, *b)) : std::nullopt;
  }
  return {};
}

}  // namespace framejit::eager
