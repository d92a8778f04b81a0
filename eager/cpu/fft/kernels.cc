#include "eager/cpu/fft/kernels.h"

#include "eager/cpu/isa.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::FftKernels<float>, fft_kernels_float,
                       template <> const FftKernels<float>& fft_kernels<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::FftKernels<double>, fft_kernels_double,
                       template <> const FftKernels<double>& fft_kernels<double>())
