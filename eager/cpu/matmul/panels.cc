#include "eager/cpu/matmul/panels.h"

#include "eager/cpu/isa.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::PanelKernels<float>, panel_kernels_float,
                       template <> const PanelKernels<float>& panel_kernels<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::PanelKernels<double>, panel_kernels_double,
                       template <> const PanelKernels<double>& panel_kernels<double>())
