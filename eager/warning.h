// Warnings that reach the user. How they are shown is the language's matter: the bindings install it.
#pragma once

#include <string>

#include "eager/export.h"

namespace framejit::eager {

/// What shows a warning. It may throw: Python can be told to make errors of warnings.
using Warner = void (*)(const std::string& message);

/// Without one, warnings go to stderr.
FRAMEJIT_API void set_warner(Warner warner);
FRAMEJIT_API void warn(const std::string& message);

}  // namespace framejit::eager
