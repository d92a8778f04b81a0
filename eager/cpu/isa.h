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

/// An object `name` of `type` stands in the namespace of each set. Outside of namespaces: defines the function
/// of framejit::eager::cpu that begins with `signature` and returns the chosen set's object.
#define FRAMEJIT_CHOSEN_BY_ISA(type, name, signature)                                   \
  FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_OF_ISA, type, name)                            \
  namespace framejit::eager::cpu {                                                      \
  signature {                                                                           \
    switch (chosen_isa()) { FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_RETURN_OF_ISA, type, name) } \
    __builtin_unreachable();                                                            \
  }                                                                                     \
  }
#define FRAMEJIT_DECLARE_OF_ISA(isa, type, name) \
  namespace framejit::eager::isa {               \
  extern const type name;                        \
  }
#define FRAMEJIT_RETURN_OF_ISA(isa, type, name) \
  case Isa::isa:                                \
    return isa::name;

}  // namespace framejit::eager::cpu
