// Contract: which of the instruction sets that kernels were built for runs here.
#pragma once

#include "eager/export.h"
#include "generated/isas.h"

namespace framejit::eager::cpu {

enum class Isa : int {
#define FRAMEJIT_ISA_ENUM(name) name,
  FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_ISA_ENUM)
#undef FRAMEJIT_ISA_ENUM
};

/// The strongest set of this build that the machine has; FRAMEJIT_ISA=v2 asks for a weaker one. Chosen once.
FRAMEJIT_API Isa chosen_isa();
FRAMEJIT_API const char* isa_name(Isa isa);

}  // namespace framejit::eager::cpu
