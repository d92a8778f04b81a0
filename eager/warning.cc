#include "eager/warning.h"

#include <cstdio>

namespace framejit::eager {
namespace {

Warner installed = nullptr;

}  // namespace

void set_warner(Warner warner) { installed = warner; }

void warn(const std::string& message) {
  if (installed)
    installed(message);
  else
    std::fprintf(stderr, "framejit: %s\n", message.c_str());
}

}  // namespace framejit::eager
