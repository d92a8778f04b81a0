// Eigenvalues and eigenvectors of symmetric (Hermitian) matrices.
#include "eager/cpu/linalg/batch.h"
#include "eager/cpu/linalg/dense.h"
#include "eager/cpu/scratch.h"

namespace framejit::eager {

using namespace cpu;

namespace {

/// to = the Hermitian matrix of which one triangle is given, and the diagonal's real part. Raises where that is not
/// finite.
template <class T>
void mirror(const MatrixMap<T>& given, bool upper, MatrixMap<T> to) {
  bool finite = true;
  for (Eigen::Index i = 0; i < given.rows(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      T x = upper ? Eigen::numext::conj(given(j, i)) : given(i, j);
      if (i == j) x = T(Eigen::numext::real(x));
      to(i, j) = x, to(j, i) = Eigen::numext::conj(x);
      finite &= (Eigen::numext::isfinite)(x);
    }
  if (!finite)
    throw LinAlgError(
        "linalg.eigh: The algorithm failed to converge because the input matrix contained non-finite "
        "values.");
}

}  // namespace

void linalg_eigh_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const bool upper = args[1].string() == "U" || args[1].string() == "u", vectors = args[2].boolean();
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = rows_of(a);
    for_each_matrix(batch_count(a), n, [&](int64_t i) {
      if (n == 0) return;
      const ScratchScope scope;
      MatrixMap<T> matrix =
          vectors ? matrix_at<T>(made[1], i) : MatrixMap<T>(Scratch::of_thread().take_array<T>(n * n), n, n);
      mirror<T>(matrix_at<T>(a, i), upper, matrix);
      if (!dense_kernels<T>().eigh(matrix.data(), n, vectors, vector_at<Real<T>>(made[0], i).data()))
        throw LinAlgError(concat("linalg.eigh: (Batch element ", i,
                                 "): The algorithm failed to converge because the input matrix is "
                                 "ill-conditioned or has too many repeated eigenvalues."));
    });
  });
  store(made, results);
}

}  // namespace framejit::eager
