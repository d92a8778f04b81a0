// What this library was built from and with; shown by `python -m framejit env`.
#pragma once

#include "eager/export.h"

namespace framejit::eager {

struct BuildInfo {
  const char* version;
  const char* compiler;
  const char* build_type;
  const char* isas;  // instruction sets of the tile kernels, space-separated, weakest first
};

FRAMEJIT_API const BuildInfo& build_info();

}  // namespace framejit::eager
