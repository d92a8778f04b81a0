#include "graph/scalar_op.h"

#include <algorithm>
#include <cmath>

#include "eager/error.h"

namespace framejit::graph {
namespace {

using eager::DType;
using eager::SymInt;
using eager::Value;

bool is_real(const Value& value) { return value.tag() == Value::Tag::real; }
bool both_ints(const Value& a, const Value& b) { return !is_real(a) && !is_real(b); }
bool is_zero(const Value& value) {
  return is_real(value) ? value.real() == 0.0 : value.sym_int() == SymInt(0);
}
void check_divisor(const Value& divisor, const char* message) {
  if (is_zero(divisor)) eager::fail(eager::ErrorType::zero_division, message);
}

Value add(const Value& a, const Value& b) {
  if (both_ints(a, b)) return a.sym_int() + b.sym_int();
  return a.real() + b.real();
}
Value sub(const Value& a, const Value& b) {
  if (both_ints(a, b)) return a.sym_int() - b.sym_int();
  return a.real() - b.real();
}
Value mul(const Value& a, const Value& b) {
  if (both_ints(a, b)) return a.sym_int() * b.sym_int();
  return a.real() * b.real();
}
Value truediv(const Value& a, const Value& b) {
  check_divisor(b, is_real(a) || is_real(b) ? "float division by zero" : "division by zero");
  return a.real() / b.real();
}
/// As float.__mod__: the result has the sign of the divisor.
double float_mod(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}
/// As float.__floordiv__, which agrees with the remainder above.
double float_floordiv(double a, double b) {
  double rest = std::fmod(a, b), quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}
Value floordiv(const Value& a, const Value& b) {
  if (both_ints(a, b)) {
    check_divisor(b, "integer division or modulo by zero");
    return floor_div(a.sym_int(), b.sym_int());
  }
  check_divisor(b, "float floor division by zero");
  return float_floordiv(a.real(), b.real());
}
Value mod(const Value& a, const Value& b) {
  if (both_ints(a, b)) {
    check_divisor(b, "integer modulo by zero");
    return floor_mod(a.sym_int(), b.sym_int());
  }
  check_divisor(b, "float modulo");
  return float_mod(a.real(), b.real());
}
Value pow(const Value& a, const Value& b) {
  if (both_ints(a, b) && !(b.sym_int() < SymInt(0))) {
    SymInt result = 1;
    for (int64_t i = b.integer(); i > 0; --i) result = result * a.sym_int();
    return result;
  }
  if (is_zero(a) && b.real() < 0)
    eager::fail(eager::ErrorType::zero_division, "0.0 cannot be raised to a negative power");
  double result = std::pow(a.real(), b.real());
  // Python gives a complex number here, which graphs do not hold; the interpreter takes over.
  FRAMEJIT_CHECK(!std::isnan(result) || std::isnan(a.real()) || std::isnan(b.real()),
                 "pow: a negative number raised to a fraction is complex");
  return result;
}
Value neg(const Value& a, const Value&) {
  if (is_real(a)) return -a.real();
  return SymInt(0) - a.sym_int();
}
Value abs(const Value& a, const Value&) {
  if (is_real(a)) return std::fabs(a.real());
  return sym_max(a.sym_int(), SymInt(0) - a.sym_int());
}
Value to_float(const Value& a, const Value&) { return a.real(); }

DType promoted(DType a, DType b) {
  return a == DType::float64 || b == DType::float64 ? DType::float64 : DType::int64;
}
DType always_float(DType, DType) { return DType::float64; }

constexpr ScalarOp kTable[] = {
    {"add", 2, add, promoted},           {"sub", 2, sub, promoted},
    {"mul", 2, mul, promoted},           {"truediv", 2, truediv, always_float},
    {"floordiv", 2, floordiv, promoted}, {"mod", 2, mod, promoted},
    {"pow", 2, pow, promoted},           {"neg", 1, neg, promoted},
    {"abs", 1, abs, promoted},           {"float", 1, to_float, always_float},
};

}  // namespace

std::span<const ScalarOp> all_scalar_ops() { return kTable; }

const ScalarOp* find_scalar_op(const std::string& name) {
  auto found =
      std::find_if(std::begin(kTable), std::end(kTable), [&](const ScalarOp& op) { return name == op.name; });
  return found == std::end(kTable) ? nullptr : found;
}

DType number_type(const Value& number) {
  switch (number.tag()) {
    case Value::Tag::sym_int:
      return DType::int64;
    case Value::Tag::real:
      return DType::float64;
    case Value::Tag::boolean:
      return DType::bool_;
    case Value::Tag::complex:
      return DType::complex128;
    case Value::Tag::scalar_node:
      return number.scalar_node().dtype;
    default:
      throw eager::InternalError("number_type: the value is no number");
  }
}

}  // namespace framejit::graph
