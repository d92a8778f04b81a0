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
    &lu<T>,       &solve<T>, &inverse<T>,    &determinant<T>, &solve_triangular<T>,
    &cholesky<T>, &qr<T>,    &reflections<T>};

}  // namespace

extern const cpu::DenseKernels<float> dense_kernels_float;
extern const cpu::DenseKernels<double> dense_kernels_double;
extern const cpu::FactorKernels<float> factor_kernels_float;
extern const cpu::FactorKernels<double> factor_kernels_double;
extern const cpu::EigFn<float> eig_float;
extern const cpu::EigFn<double> eig_double;
extern const cpu::ExponentialFn<float> exponential_float;
extern const cpu::ExponentialFn<double> exponential_double;
const cpu::EigFn<float> eig_float = &eig<float>;
const cpu::EigFn<double> eig_double = &eig<double>;
const cpu::ExponentialFn<float> exponential_float = &exponential<float>;
const cpu::ExponentialFn<double> exponential_double = &exponential<double>;
const cpu::DenseKernels<float> dense_kernels_float = kDenseKernels<float>;
const cpu::DenseKernels<double> dense_kernels_double = kDenseKernels<double>;
const cpu::FactorKernels<float> factor_kernels_float = kFactorKernels<float>;
const cpu::FactorKernels<double> factor_kernels_double = kFactorKernels<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
