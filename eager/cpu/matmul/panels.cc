#include "eager/cpu/matmul/panels.h"

#include "eager/cpu/isa.h"

#define FRAMEJIT_DECLARE_PANELS(isa)                           \
  namespace framejit::eager::isa {                             \
  extern const cpu::PanelKernels<float> panel_kernels_float;   \
  extern const cpu::PanelKernels<double> panel_kernels_double; \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_PANELS)
#undef FRAMEJIT_DECLARE_PANELS

namespace framejit::eager::cpu {

template <>
const PanelKernels<float>& panel_kernels<float>() {
  switch (chosen_isa()) {
#define FRAMEJIT_PANELS(isa) \
  case Isa::isa:             \
    return isa::panel_kernels_float;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_PANELS)
#undef FRAMEJIT_PANELS
  }
  __builtin_unreachable();
}

template <>
const PanelKernels<double>& panel_kernels<double>() {
  switch (chosen_isa()) {
#define FRAMEJIT_PANELS(isa) \
  case Isa::isa:             \
    return isa::panel_kernels_double;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_PANELS)
#undef FRAMEJIT_PANELS
  }
  __builtin_unreachable();
}

}  // namespace framejit::eager::cpu
