#include "eager/cpu/linalg/least_squares.h"

#include "eager/cpu/linalg/batch.h"
#include "eager/cpu/linalg/factors.h"

namespace framejit::eager::cpu {

LeastSquares least_squares(const Tensor& given_a, const Tensor& given_b, double rcond) {
  const Tensor a = contiguous(given_a), b = contiguous(given_b);
  const int64_t rows = rows_of(a), columns = columns_of(a), width = columns_of(b);
  Dims batch = a.sizes();
  batch.resize(a.dim() - 2);
  Dims sizes = batch;
  sizes.push_back(columns);
  sizes.push_back(width);
  const LeastSquares result{Tensor::empty(sizes, a.dtype()), Tensor::empty(batch, DType::int64)};
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), std::max(rows, columns), [&](int64_t i) {
      result.rank.data_as<int64_t>()[i] = factor_kernels<T>().least_squares(
          matrix_at<T>(a, i).data(), rows, columns, matrix_at<T>(b, i).data(), width, rcond,
          matrix_at<T>(result.x, i).data());
    });
  });
  return result;
}

}  // namespace framejit::eager::cpu
