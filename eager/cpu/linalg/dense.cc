#include "eager/cpu/linalg/dense.h"

#include "eager/cpu/isa.h"
#include "eager/cpu/linalg/factors.h"
#include "eager/cpu/linalg/general.h"

#define FRAMEJIT_DECLARE_DENSE(isa)                              \
  namespace framejit::eager::isa {                               \
  extern const cpu::DenseKernels<float> dense_kernels_float;     \
  extern const cpu::DenseKernels<double> dense_kernels_double;   \
  extern const cpu::FactorKernels<float> factor_kernels_float;   \
  extern const cpu::FactorKernels<double> factor_kernels_double; \
  extern const cpu::EigFn<float> eig_float;                      \
  extern const cpu::EigFn<double> eig_double;                    \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_DENSE)
#undef FRAMEJIT_DECLARE_DENSE

namespace framejit::eager::cpu {

#define FRAMEJIT_DENSE_CASE(isa, name) \
  case Isa::isa:                       \
    return isa::name;
#define FRAMEJIT_DENSE_FLOAT(isa) FRAMEJIT_DENSE_CASE(isa, dense_kernels_float)
#define FRAMEJIT_DENSE_DOUBLE(isa) FRAMEJIT_DENSE_CASE(isa, dense_kernels_double)
#define FRAMEJIT_FACTOR_FLOAT(isa) FRAMEJIT_DENSE_CASE(isa, factor_kernels_float)
#define FRAMEJIT_FACTOR_DOUBLE(isa) FRAMEJIT_DENSE_CASE(isa, factor_kernels_double)
#define FRAMEJIT_EIG_FLOAT(isa) FRAMEJIT_DENSE_CASE(isa, eig_float)
#define FRAMEJIT_EIG_DOUBLE(isa) FRAMEJIT_DENSE_CASE(isa, eig_double)
#define FRAMEJIT_CHOOSER(kernels, function, cases)         \
  template <>                                              \
  kernels function() {                                     \
    switch (chosen_isa()) { FRAMEJIT_FOR_EACH_ISA(cases) } \
    __builtin_unreachable();                               \
  }

FRAMEJIT_CHOOSER(const DenseKernels<float>&, dense_kernels<float>, FRAMEJIT_DENSE_FLOAT)
FRAMEJIT_CHOOSER(const DenseKernels<double>&, dense_kernels<double>, FRAMEJIT_DENSE_DOUBLE)
FRAMEJIT_CHOOSER(const FactorKernels<float>&, factor_kernels<float>, FRAMEJIT_FACTOR_FLOAT)
FRAMEJIT_CHOOSER(const FactorKernels<double>&, factor_kernels<double>, FRAMEJIT_FACTOR_DOUBLE)
FRAMEJIT_CHOOSER(EigFn<float>, eig_function<float>, FRAMEJIT_EIG_FLOAT)
FRAMEJIT_CHOOSER(EigFn<double>, eig_function<double>, FRAMEJIT_EIG_DOUBLE)

}  // namespace framejit::eager::cpu
