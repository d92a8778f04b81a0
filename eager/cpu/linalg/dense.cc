#include "eager/cpu/linalg/dense.h"

#include "eager/cpu/isa.h"

#define FRAMEJIT_DECLARE_DENSE(isa)                            \
  namespace framejit::eager::isa {                             \
  extern const cpu::DenseKernels<float> dense_kernels_float;   \
  extern const cpu::DenseKernels<double> dense_kernels_double; \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_DENSE)
#undef FRAMEJIT_DECLARE_DENSE

namespace framejit::eager::cpu {

template <>
const DenseKernels<float>& dense_kernels<float>() {
  switch (chosen_isa()) {
#define FRAMEJIT_DENSE(isa) \
  case Isa::isa:            \
    return isa::dense_kernels_float;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DENSE)
#undef FRAMEJIT_DENSE
  }
  __builtin_unreachable();
}

template <>
const DenseKernels<double>& dense_kernels<double>() {
  switch (chosen_isa()) {
#define FRAMEJIT_DENSE(isa) \
  case Isa::isa:            \
    return isa::dense_kernels_double;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DENSE)
#undef FRAMEJIT_DENSE
  }
  __builtin_unreachable();
}

}  // namespace framejit::eager::cpu
