// Contract: which stages of compilation print what they made to stderr (FRAMEJIT_LOGS;
// framejit/compiler/logs.py).
#pragma once

#include <cstdint>
#include <string_view>

#include "eager/export.h"

namespace framejit::graph {

enum class Log : uint8_t {
  aot,      ///< each stage of differentiating and simplifying a graph
  loops,    ///< the loops that a graph was lowered to, before and after fusion
  kernels,  ///< the programs of tile kernels made of the loops
};

FRAMEJIT_API bool is_logged(Log log);
FRAMEJIT_API void set_logged(Log log, bool on);
/// One stage's report: its name, how long it took, what it made.
FRAMEJIT_API void print_stage(std::string_view name, double microseconds, std::string_view text);

}  // namespace framejit::graph
