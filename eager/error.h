// Contract: errors that reach the user. The bindings turn each into the Python exception of the same name.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

#include "eager/export.h"

namespace framejit::eager {

enum class ErrorType : uint8_t {
  runtime,
  type,
  value,
  index,
  not_implemented,
  memory,
  stop_iteration,
  zero_division
};

/// What the user did wrong: "op: got X, expected Y. Try Z."
class FRAMEJIT_API Error : public std::runtime_error {
 public:
  Error(ErrorType type, const std::string& message) : std::runtime_error(message), type_(type) {}
  ErrorType type() const { return type_; }

 private:
  ErrorType type_;
};

/// A violated invariant of ours; the message asks for a report.
class FRAMEJIT_API InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(ErrorType type, const Parts&... parts) {
  throw Error(type, concat(parts...));
}
/// RuntimeError unless `condition`.
#define FRAMEJIT_CHECK(condition, ...) \
  (__builtin_expect(!!(condition), 1)  \
       ? void()                        \
       : ::framejit::eager::fail(::framejit::eager::ErrorType::runtime, __VA_ARGS__))
#define FRAMEJIT_CHECK_TYPE(condition, type, ...) \
  (__builtin_expect(!!(condition), 1)             \
       ? void()                                   \
       : ::framejit::eager::fail(::framejit::eager::ErrorType::type, __VA_ARGS__))
/// Our bug unless `condition`.
#define FRAMEJIT_INTERNAL(condition, ...)        \
  (__builtin_expect(!!(condition), 1)            \
       ? void()                                  \
       : throw ::framejit::eager::InternalError( \
             ::framejit::eager::concat("internal error at " __FILE__ ": " #condition " ", __VA_ARGS__)))

}  // namespace framejit::eager
