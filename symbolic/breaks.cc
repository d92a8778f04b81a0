#include "symbolic/breaks.h"

#include <iterator>

namespace framejit::symbolic {
namespace {

constexpr BreakReason kReasons[] = {
#define FRAMEJIT_BREAK(id, what, why, remedy) {BreakId::id, #id, what, why, remedy},
#include "symbolic/breaks.def"
#undef FRAMEJIT_BREAK
};

}  // namespace

const BreakReason& break_reason(BreakId id) { return kReasons[size_t(id)]; }

std::span<const BreakReason> all_break_reasons() { return {kReasons, std::size(kReasons)}; }

}  // namespace framejit::symbolic
