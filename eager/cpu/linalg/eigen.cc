// Eigenvalues and eigenvectors of any square matrices, and the matrix exponential.
#include "eager/cpu/linalg/batch.h"
#include "eager/cpu/linalg/general.h"

namespace framejit::eager {

using namespace cpu;

void linalg_eig_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const bool vectors = args[1].boolean();
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Complex = std::complex<Real<T>>;
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      if (rows_of(a) == 0) return;
      const auto matrix = matrix_at<T>(a, i);
      if (!matrix.allFinite()) throw LinAlgError("linalg.eig: input tensor should not contain infs or NaNs.");
      if (!eig_function<T>()(matrix.data(), rows_of(a), vector_at<Complex>(made[0], i).data(),
                             vectors ? matrix_at<Complex>(made[1], i).data() : nullptr))
        throw LinAlgError(concat("linalg.eig: (Batch element ", i, "): The algorithm failed to converge."));
    });
  });
  store(made, results);
}

void linalg_matrix_exp_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  Tensor result = allocate_result(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(a), rows_of(a), [&](int64_t i) {
      if (rows_of(a) == 0) return;
      exponential_function<T>()(matrix_at<T>(a, i).data(), rows_of(a), matrix_at<T>(result, i).data());
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
