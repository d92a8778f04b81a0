#include "eager/cpu/matmul/panels.h"

#include "eager/cpu/isa.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::PanelKernels<float>, panel_kernels_float,
                       template <> const PanelKernels<float>& panel_kernels<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::PanelKernels<double>, panel_kernels_double,
                       template <> const PanelKernels<double>& panel_kernels<double>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::PanelKernels<int32_t>, panel_kernels_int32,
                       template <> const PanelKernels<int32_t>& panel_kernels<int32_t>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::PanelKernels<int64_t>, panel_kernels_int64,
                       template <> const PanelKernels<int64_t>& panel_kernels<int64_t>())
