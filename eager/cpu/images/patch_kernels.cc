#include "eager/cpu/images/patch_kernels.h"

#include "eager/cpu/isa.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::PatchKernels<float>, patch_kernels_float,
                       template <> const PatchKernels<float>& patch_kernels<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::PatchKernels<double>, patch_kernels_double,
                       template <> const PatchKernels<double>& patch_kernels<double>())
