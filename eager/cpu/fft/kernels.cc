#include "eager/cpu/fft/kernels.h"

#include "eager/cpu/isa.h"

#define FRAMEJIT_DECLARE_FFT(isa)                          \
  namespace framejit::eager::isa {                         \
  extern const cpu::FftKernels<float> fft_kernels_float;   \
  extern const cpu::FftKernels<double> fft_kernels_double; \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_FFT)
#undef FRAMEJIT_DECLARE_FFT

namespace framejit::eager::cpu {

#define FRAMEJIT_DEFINE_FFT(type)                                        \
  template <>                                                            \
  const FftKernels<type>& fft_kernels<type>() {                          \
    switch (chosen_isa()) { FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_FFT_##type) } \
    __builtin_unreachable();                                             \
  }
#define FRAMEJIT_FFT_float(isa) \
  case Isa::isa:                \
    return isa::fft_kernels_float;
#define FRAMEJIT_FFT_double(isa) \
  case Isa::isa:                 \
    return isa::fft_kernels_double;
FRAMEJIT_DEFINE_FFT(float)
FRAMEJIT_DEFINE_FFT(double)
#undef FRAMEJIT_FFT_double
#undef FRAMEJIT_FFT_float
#undef FRAMEJIT_DEFINE_FFT

}  // namespace framejit::eager::cpu
