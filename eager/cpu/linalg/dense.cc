#include "eager/cpu/linalg/dense.h"

#include "eager/cpu/isa.h"
#include "eager/cpu/linalg/factors.h"
#include "eager/cpu/linalg/general.h"

FRAMEJIT_CHOSEN_BY_ISA(cpu::DenseKernels<float>, dense_kernels_float,
                       template <> const DenseKernels<float>& dense_kernels<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::DenseKernels<double>, dense_kernels_double,
                       template <> const DenseKernels<double>& dense_kernels<double>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::FactorKernels<float>, factor_kernels_float,
                       template <> const FactorKernels<float>& factor_kernels<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::FactorKernels<double>, factor_kernels_double,
                       template <> const FactorKernels<double>& factor_kernels<double>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::EigFn<float>, eig_float, template <> EigFn<float> eig_function<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::EigFn<double>, eig_double, template <> EigFn<double> eig_function<double>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::ExponentialFn<float>, exponential_float,
                       template <> ExponentialFn<float> exponential_function<float>())
FRAMEJIT_CHOSEN_BY_ISA(cpu::ExponentialFn<double>, exponential_double,
                       template <> ExponentialFn<double> exponential_function<double>())
