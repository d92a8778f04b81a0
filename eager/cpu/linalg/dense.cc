#include "eager/cpu/linalg/dense.h"

#include "eager/cpu/isa.h"
#include "eager/cpu/linalg/factors.h"
#include "eager/cpu/linalg/general.h"

#define FRAMEJIT_DENSE(T, name)                                                   \
  FRAMEJIT_CHOSEN_BY_ISA(cpu::DenseKernels<T>, dense_kernels_##name,              \
                         template <> const DenseKernels<T>& dense_kernels<T>())   \
  FRAMEJIT_CHOSEN_BY_ISA(cpu::FactorKernels<T>, factor_kernels_##name,            \
                         template <> const FactorKernels<T>& factor_kernels<T>()) \
  FRAMEJIT_CHOSEN_BY_ISA(cpu::ExponentialFn<T>, exponential_##name,               \
                         template <> ExponentialFn<T> exponential_function<T>())  \
  FRAMEJIT_CHOSEN_BY_ISA(cpu::EigFn<T>, eig_##name, template <> EigFn<T> eig_function<T>())
FRAMEJIT_DENSE(float, float)
FRAMEJIT_DENSE(double, double)
FRAMEJIT_DENSE(std::complex<float>, complex64)
FRAMEJIT_DENSE(std::complex<double>, complex128)
#undef FRAMEJIT_DENSE
