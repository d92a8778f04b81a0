#include "eager/cpu/tile/linalg/dense.h"

#include "eager/cpu/linalg/dense.h"
#include "eager/cpu/linalg/factors.h"
#include "eager/cpu/linalg/general.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

template <class T>
inline constexpr cpu::DenseKernels<T> kDenseKernels{&eigh<T>, &svd<T>};
template <class T>
inline constexpr cpu::FactorKernels<T> kFactorKernels{
    &lu<T>,       &solve<T>, &inverse<T>,     &determinant<T>,  &solve_triangular<T>,
    &cholesky<T>, &qr<T>,    &reflections<T>, &least_squares<T>};

}  // namespace

#define FRAMEJIT_DENSE(T, name)                                          \
  extern const cpu::DenseKernels<T> dense_kernels_##name;                \
  extern const cpu::FactorKernels<T> factor_kernels_##name;              \
  extern const cpu::ExponentialFn<T> exponential_##name;                 \
  const cpu::DenseKernels<T> dense_kernels_##name = kDenseKernels<T>;    \
  const cpu::FactorKernels<T> factor_kernels_##name = kFactorKernels<T>; \
  const cpu::ExponentialFn<T> exponential_##name = &exponential<T>;
FRAMEJIT_DENSE(float, float)
FRAMEJIT_DENSE(double, double)
FRAMEJIT_DENSE(std::complex<float>, complex64)
FRAMEJIT_DENSE(std::complex<double>, complex128)
#undef FRAMEJIT_DENSE

#define FRAMEJIT_EIG(T, name, function)  \
  extern const cpu::EigFn<T> eig_##name; \
  const cpu::EigFn<T> eig_##name = &function<T>;
FRAMEJIT_EIG(float, float, eig)
FRAMEJIT_EIG(double, double, eig)
FRAMEJIT_EIG(std::complex<float>, complex64, complex_eig)
FRAMEJIT_EIG(std::complex<double>, complex128, complex_eig)
#undef FRAMEJIT_EIG

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
