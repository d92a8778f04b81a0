// Contract: the reasons for which a trace ends early. The rows are in breaks.def.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace framejit::symbolic {

enum class BreakId : uint8_t {
#define FRAMEJIT_BREAK(id, what, why, remedy) id,
#include "symbolic/breaks.def"
#undef FRAMEJIT_BREAK
};

/// One row of breaks.def.
struct BreakReason {
  BreakId id;
  std::string_view name;  ///< the stable id, as text
  std::string_view what;
  std::string_view why;
  std::string_view remedy;
};

const BreakReason& break_reason(BreakId id);
std::span<const BreakReason> all_break_reasons();

/// A break as it is reported: the row, what exactly was met, and the place in the user's code.
struct BreakRecord {
  BreakId id{};
  std::string detail;    ///< such as "print" or "x.item()"
  std::string file;      ///< of the innermost traced function
  std::string function;  ///< its qualified name
  int line = 0;
  /// Counted by reports. False for ends that cost no graph: loop steps and cuts.
  bool reported = true;
};

}  // namespace framejit::symbolic
