#include "eager/cpu/random/random_kernels.h"

#include "eager/cpu/isa.h"

#define FRAMEJIT_DECLARE_RANDOM(isa)              \
  namespace framejit::eager::isa {                \
  extern const cpu::RandomKernels random_kernels; \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_RANDOM)
#undef FRAMEJIT_DECLARE_RANDOM

namespace framejit::eager::cpu {

const RandomKernels& random_kernels() {
  switch (chosen_isa()) {
#define FRAMEJIT_RANDOM(isa) \
  case Isa::isa:             \
    return isa::random_kernels;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_RANDOM)
#undef FRAMEJIT_RANDOM
  }
  __builtin_unreachable();
}

}  // namespace framejit::eager::cpu
