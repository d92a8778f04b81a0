// The error of a matrix that has no inverse, factorization, ...: fj.linalg.LinAlgError, a RuntimeError.
#pragma once

#include "eager/error.h"

namespace framejit::eager {

class FRAMEJIT_API LinAlgError : public Error {
 public:
  explicit LinAlgError(const std::string& message) : Error(ErrorType::runtime, message) {}
};

}  // namespace framejit::eager
