#include "eager/cpu/tile/linalg/dense.h"

#include "eager/cpu/linalg/dense.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {
template <class T>
inline constexpr cpu::DenseKernels<T> kKernels{&eigh<T>, &svd<T>};
}

extern const cpu::DenseKernels<float> dense_kernels_float;
extern const cpu::DenseKernels<double> dense_kernels_double;
const cpu::DenseKernels<float> dense_kernels_float = kKernels<float>;
const cpu::DenseKernels<double> dense_kernels_double = kKernels<double>;

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
