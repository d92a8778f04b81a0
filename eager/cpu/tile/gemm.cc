#include "eager/cpu/matmul/gemm.h"

#include <Eigen/Core>
#include <type_traits>

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

namespace {

template <class T, int kOrder>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, kOrder>;
template <class T, int kOrder>
using ConstMap = Eigen::Map<const Matrix<T, kOrder>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class T, int kOrder>
ConstMap<T, kOrder> map(const cpu::GemmOperand& operand, int64_t rows, int64_t columns) {
  return {static_cast<const T*>(operand.data), rows, columns, Eigen::OuterStride<>(operand.stride)};
}

template <class T, int kOrderA, int kOrderB>
void multiply(const cpu::GemmCall& call) {
  Eigen::Map<Matrix<T, Eigen::RowMajor>, Eigen::Unaligned, Eigen::OuterStride<>> c(
      static_cast<T*>(call.c), call.m, call.n, Eigen::OuterStride<>(call.c_stride));
  c.noalias() = map<T, kOrderA>(call.a, call.m, call.k) * map<T, kOrderB>(call.b, call.k, call.n);
}

template <class T>
void gemm(const cpu::GemmCall& call) {
  constexpr int row = Eigen::RowMajor, column = Eigen::ColMajor;
  if (call.a.transposed)
    call.b.transposed ? multiply<T, column, column>(call) : multiply<T, column, row>(call);
  else
    call.b.transposed ? multiply<T, row, column>(call) : multiply<T, row, row>(call);
}

}  // namespace

/// Integers are multiplied in their unsigned type, where overflow wraps.
cpu::GemmFn gemm_function(DType dtype) {
  switch (dtype) {
    case DType::int32:
      return gemm<uint32_t>;
    case DType::int64:
      return gemm<uint64_t>;
    case DType::float32:
      return gemm<float>;
    case DType::float64:
      return gemm<double>;
    case DType::complex64:
      return gemm<std::complex<float>>;
    case DType::complex128:
      return gemm<std::complex<double>>;
    default:
      return nullptr;
  }
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
