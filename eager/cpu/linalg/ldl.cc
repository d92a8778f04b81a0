// A = L @ D @ L^T (L^H where A is Hermitian) by the diagonal pivoting of Bunch and Kaufman (1977), and
// solutions by it.
//
// D has blocks of one or two rows. Where row k is exchanged with row p for a block of one, the pivots say p +
// 1 at k; for a block of rows k and k + 1, of which the second is exchanged with row p, they say -(p + 1) at
// both: as LAPACK has it.
#include "eager/cpu/linalg/batch.h"

namespace framejit::eager {

using namespace cpu;

namespace {

using Eigen::Index;

/// What pivots are compared by: cheaper than the modulus, and near enough.
template <class T>
Real<T> magnitude(const T& x) {
  return std::abs(Eigen::numext::real(x)) + std::abs(Eigen::numext::imag(x));
}

/// Only the lower triangle of `a` is read and written.
template <class T>
class Ldl {
 public:
  Ldl(Matrix<T>& a, int32_t* pivots, bool hermitian) : a_(a), pivots_(pivots), hermitian_(hermitian) {}

  /// Returns the number of the first row (from 1) whose block of D is zero, or 0.
  int factorize() {
    int zero_block = 0;
    for (Index k = 0; k < a_.rows();) {
      const Choice choice = choose(k);
      const Index last = k + choice.size - 1;
      if (choice.zero) {
        if (zero_block == 0) zero_block = int(k) + 1;
        make_real(k);
      } else {
        exchange(k, last, choice.row);
        for (Index i = k; i <= last; ++i) make_real(i);
        if (choice.size == 1)
          eliminate_one(k);
        else
          eliminate_two(k);
      }
      for (Index i = k; i <= last; ++i) pivots_[i] = int32_t(choice.row + 1) * (choice.size == 1 ? 1 : -1);
      k = last + 1;
    }
    return zero_block;
  }

 private:
  /// The next block of D: how many rows, and the row that comes into its last one.
  struct Choice {
    int size;
    Index row;
    bool zero = false;
  };

  Choice choose(Index k) const {
    const Real<T> growth =
        Real<T>(1 + std::sqrt(17.0)) / 8;  // the ratio that bounds growth of the elements best
    const Real<T> diagonal = diagonal_magnitude(k);
    Index row = k;
    Real<T> below = 0;
    for (Index i = k + 1; i < a_.rows(); ++i)
      if (magnitude(a_(i, k)) > below) below = magnitude(a_(i, k)), row = i;
    if (std::max(diagonal, below) == 0 || std::isnan(diagonal)) return {1, k, true};
    if (diagonal >= growth * below) return {1, k};
    Real<T> beside = 0;  // the largest element off the diagonal in that row
    for (Index j = k; j < row; ++j) beside = std::max(beside, magnitude(a_(row, j)));
    for (Index i = row + 1; i < a_.rows(); ++i) beside = std::max(beside, magnitude(a_(i, row)));
    if (diagonal >= growth * below * (below / beside)) return {1, k};
    if (diagonal_magnitude(row) >= growth * beside) return {1, row};
    return {2, row};
  }

  /// Exchanges rows and columns `to` and `from`, of which the first is in the block that begins at `k`.
  void exchange(Index k, Index to, Index from) {
    if (to == from) return;
    const Index below = a_.rows() - from - 1;
    a_.col(to).tail(below).swap(a_.col(from).tail(below));
    for (Index i = to + 1; i < from; ++i) {
      const T kept = a_(i, to);
      a_(i, to) = turned(a_(from, i));
      a_(from, i) = turned(kept);
    }
    a_(from, to) = turned(a_(from, to));
    std::swap(a_(to, to), a_(from, from));
    if (to > k) std::swap(a_(to, k), a_(from, k));
  }

  void eliminate_one(Index k) {
    const Index below = a_.rows() - k - 1;
    const T inverse = T(1) / a_(k, k);
    auto column = a_.col(k).tail(below);
    for (Index j = 0; j < below; ++j) {
      const T factor = turned(column(j)) * inverse;
      a_.col(k + 1 + j).tail(below - j) -= column.tail(below - j) * factor;
      make_real(k + 1 + j);
    }
    column *= inverse;
  }

  /// The block is scaled by its element off the diagonal, which is its largest.
  void eliminate_two(Index k) {
    const T off = a_(k + 1, k);
    const T first = a_(k, k) / turned(off), second = a_(k + 1, k + 1) / off;
    const T scale = T(1) / (first * second - T(1));
    for (Index j = k + 2; j < a_.rows(); ++j) {
      const T x = a_(j, k), y = a_(j, k + 1);
      const T left = scale * (second * x - y) / turned(off), right = scale * (first * y - x) / off;
      const Index count = a_.rows() - j;
      a_.col(j).tail(count) -=
          a_.col(k).tail(count) * turned(left) + a_.col(k + 1).tail(count) * turned(right);
      a_(j, k) = left;
      a_(j, k + 1) = right;
      make_real(j);
    }
  }

  T turned(const T& x) const { return hermitian_ ? Eigen::numext::conj(x) : x; }
  void make_real(Index i) {
    if (hermitian_) a_(i, i) = Eigen::numext::real(a_(i, i));
  }
  Real<T> diagonal_magnitude(Index i) const {
    return hermitian_ ? std::abs(Eigen::numext::real(a_(i, i))) : magnitude(a_(i, i));
  }

  Matrix<T>& a_;
  int32_t* pivots_;
  bool hermitian_;
};

/// Overwrites `b` with the solution x of L @ D @ L^T @ x = b (L^H if hermitian), `l` being L and D as
/// factorized.
template <class T>
void solve_ldl(const MatrixMap<T>& l, const int32_t* pivots, bool hermitian, Matrix<T>& b) {
  const Index n = l.rows();
  auto turned = [&](const T& x) { return hermitian ? Eigen::numext::conj(x) : x; };
  auto exchange = [&](Index k) {
    const Index row = std::abs(pivots[k]) - 1;
    if (row != k) b.row(k).swap(b.row(row));
  };
  for (Index k = 0; k < n; ++k) {
    const Index last = pivots[k] > 0 ? k : k + 1, below = n - last - 1;
    exchange(last);
    for (Index i = k; i <= last; ++i) b.bottomRows(below) -= l.col(i).tail(below) * b.row(i);
    if (last == k) {
      b.row(k) /= l(k, k);
    } else {
      const T off = l(last, k), first = l(k, k) / turned(off), second = l(last, last) / off;
      const T scale = T(1) / (first * second - T(1));
      const Matrix<T> x = b.row(k) / turned(off), y = b.row(last) / off;
      b.row(k) = scale * (second * x - y);
      b.row(last) = scale * (first * y - x);
    }
    k = last;
  }
  for (Index k = n - 1; k >= 0; --k) {
    const Index first = pivots[k] > 0 ? k : k - 1, below = n - k - 1;
    for (Index i = first; i <= k; ++i)
      for (Index j = 0; j < below; ++j) b.row(i) -= turned(l(k + 1 + j, i)) * b.row(k + 1 + j);
    exchange(k);
    k = first;
  }
}

/// Of one matrix: in range, and negative ones in pairs.
void check_pivots(const int32_t* pivots, Index n) {
  for (Index k = 0; k < n; ++k) {
    FRAMEJIT_CHECK(pivots[k] != 0 && std::abs(int64_t(pivots[k])) <= n,
                   "linalg.ldl_solve: Expected pivots between 1 and ", n, " or their negatives, but got ",
                   pivots[k], ". Use those that linalg.ldl_factor returned.");
    if (pivots[k] > 0) continue;
    FRAMEJIT_CHECK(k + 1 < n && pivots[k + 1] < 0,
                   "linalg.ldl_solve: Expected negative pivots in pairs, but got ", pivots[k], " alone at ",
                   k, ". Use those that linalg.ldl_factor returned.");
    ++k;
  }
}

}  // namespace

/// args: A, hermitian, check_errors.
void linalg_ldl_factor_ex_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor a = contiguous(args[0].tensor());
  const bool hermitian = args[1].boolean();
  const std::vector<Tensor> made = allocate_results(op, args);
  for_matrix_dtype(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = rows_of(a);
    for_each_matrix(batch_count(a), n, [&](int64_t i) {
      Matrix<T> matrix = matrix_at<T>(a, i);
      matrix.template triangularView<Eigen::StrictlyUpper>().setZero();
      Ldl<T> ldl(matrix, made[1].data_as<int32_t>() + i * n, hermitian);
      made[2].data_as<int32_t>()[i] = ldl.factorize();
      matrix_at<T>(made[0], i) = matrix;
    });
  });
  if (args[2].boolean())
    check_info("linalg.ldl_factor", made[2], [](int info) {
      return concat("The block of D at row ", info,
                    " is zero: the matrix is singular, and cannot be solved by.");
    });
  store(made, results);
}

/// args: LD, pivots (int32), B, hermitian; all of one batch shape.
void linalg_ldl_solve_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor ld = contiguous(args[0].tensor()), pivots = contiguous(args[1].tensor()),
               b = contiguous(args[2].tensor());
  const bool hermitian = args[3].boolean();
  Tensor result = allocate_result(op, args);
  const int64_t n = rows_of(ld);
  for (int64_t i = 0; i < batch_count(ld); ++i) check_pivots(pivots.data_as<int32_t>() + i * n, n);
  for_matrix_dtype(ld.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_matrix(batch_count(ld), n, [&](int64_t i) {
      Matrix<T> x = matrix_at<T>(b, i);
      if (x.size() > 0) solve_ldl<T>(matrix_at<T>(ld, i), pivots.data_as<int32_t>() + i * n, hermitian, x);
      matrix_at<T>(result, i) = x;
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
