// Contract: which int arguments of an op stay symbolic in a trace.
#pragma once

#include <cstdint>

#include "eager/op.h"

namespace framejit::eager {

/// The arguments (as bits) that the schema declares `int`, not `SymInt`: dims, counts of pieces, ... An op
/// may read these as the plain numbers that they are, so `call` gives each symbolic one the value it has now,
/// with a guard, before anything else sees it. `SymInt` is for those that every rule of the op reads as a
/// `SymInt`: sizes, lengths, offsets.
uint64_t fixed_ints(const Op& op);

}  // namespace framejit::eager
