// Derivatives of the kernels of linear algebra. The formulas are the known ones: M. Giles, "An extended
// collection of matrix derivative results for forward and reverse mode algorithmic differentiation" (2008);
// for QR, S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions with application
// in optimum experimental design" (2010); for the pseudo-inverse, G. Golub and V. Pereyra (1973); for the
// exponential, R. Mathias (1996).
#include "eager/autograd/linalg_formulas.h"

#include "eager/composite/support.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/complex.h"
#include "generated/ops/copy.h"
#include "generated/ops/comparison.h"
#include "generated/ops/creation.h"
#include "generated/ops/joining.h"
#include "generated/ops/linalg.h"
#include "generated/ops/matmul.h"
#include "generated/ops/reduction.h"
#include "generated/ops/view.h"

namespace framejit::eager::ops {

Tensor linalg_adjoint(const Tensor& matrix) {
  const Tensor turned = transpose(matrix, -2, -1);
  return is_complex(matrix.dtype()) ? conj(turned) : turned;
}

namespace {

Tensor mh(const Tensor& matrix) { return linalg_adjoint(matrix); }

template <class... More>
Tensor product(const Tensor& a, const Tensor& b, const More&... more) {
  const Tensor first = matmul(a, b);
  if constexpr (sizeof...(more) == 0)
    return first;
  else
    return product(first, more...);
}

SymInt rows_of(const Tensor& matrix) { return matrix.size(matrix.dim() - 2); }
SymInt columns_of(const Tensor& matrix) { return matrix.size(matrix.dim() - 1); }

Tensor identity_like(const Tensor& matrix, SymInt side) { return eye(side, matrix.dtype(), matrix.device()); }
Tensor as_column(const Tensor& vector) { return unsqueeze(vector, -1); }
Tensor as_row(const Tensor& vector) { return unsqueeze(vector, -2); }

/// x @ inv(a) for triangular a.
Tensor divide_right(const Tensor& x, const Tensor& a, bool upper, bool unit = false) {
  return mh(_linalg_solve_triangular(mh(a), mh(x), !upper, unit));
}

/// A real tensor as one of `dtype`, for products with complex matrices.
Tensor as_dtype(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }
Tensor conjugate(const Tensor& x) { return is_complex(x.dtype()) ? conj(x) : x; }
/// i * Im(x); x is complex.
Tensor imaginary_part(const Tensor& x) { return (x - conj(x)) * 0.5; }

/// The lower triangle, with half of the diagonal.
Tensor half_diagonal_tril(const Tensor& matrix) { return (tril(matrix) + tril(matrix, -1)) * 0.5; }

/// x_j - x_i at (i, j), and 1 on the diagonal.
Tensor differences(const Tensor& x) { return as_row(x) - as_column(x) + identity_like(x, columns_of(x)); }

/// `matrix` with zeros on the diagonal.
Tensor off_diagonal(const Tensor& matrix) { return matrix - diag_embed(diagonal(matrix, 0, -2, -1)); }

/// a / b, but 0 / 0 is 0: equal (or zero) values have no derivative of their vectors, which does not matter
/// where no gradient arrives at these.
Tensor ratio(const Tensor& a, const Tensor& b) { return a / where(logical_and(eq(a, 0), eq(b, 0)), 1, b); }

}  // namespace

Tensor linalg_inv_backward(const Tensor& grad, const Tensor& inverse) {
  return -product(mh(inverse), grad, mh(inverse));
}

Tensor linalg_solve_backward_B(const Tensor& grad, const Tensor& a) { return _linalg_solve(mh(a), grad)[0]; }
Tensor linalg_solve_backward_A(const Tensor& grad, const Tensor& a, const Tensor& x) {
  return -product(linalg_solve_backward_B(grad, a), mh(x));
}

Tensor linalg_solve_triangular_backward_A(const Tensor& grad, const Tensor& a, const Tensor& x, bool upper,
                                          bool unitriangular) {
  const Tensor grad_b = _linalg_solve_triangular(mh(a), grad, !upper, unitriangular);
  const Tensor full = -product(grad_b, mh(x));
  const int unit = unitriangular ? 1 : 0;
  return upper ? triu(full, unit) : tril(full, -unit);
}

/// Of P^T A = L U with square L and U: A changes by P (L^-H [tril(L^H G_L, -1) + triu(G_U U^H)] U^-H).
static Tensor square_lu_backward(const Tensor& grad_l, const Tensor& grad_u, const Tensor& l,
                                 const Tensor& u) {
  const Tensor inner = tril(product(mh(l), grad_l), -1) + triu(product(grad_u, mh(u)));
  const Tensor left = _linalg_solve_triangular(mh(l), inner, /*upper=*/true, /*unitriangular=*/true);
  return divide_right(left, mh(u), /*upper=*/false);
}

/// What sticks out of the square part of a tall or wide matrix depends on it linearly: L2 = A2 U^-1, or
/// U2 = L^-1 A2.
Tensor linalg_lu_factor_backward(const Tensor& grad, const Tensor& lu, const Tensor& pivots) {
  const SymInt rows = rows_of(lu), columns = columns_of(lu), side = sym_min(rows, columns);
  const Tensor square = narrow(narrow(lu, -2, 0, side), -1, 0, side);
  const Tensor l = tril(square, -1) + identity_like(lu, side), u = triu(square);
  const Tensor grad_square = narrow(narrow(grad, -2, 0, side), -1, 0, side);
  Tensor grad_l = tril(grad_square, -1), grad_u = triu(grad_square), result;
  if (rows > columns) {
    const Tensor below = narrow(lu, -2, side, rows - side);
    const Tensor grad_below = divide_right(narrow(grad, -2, side, rows - side), mh(u), /*upper=*/false);
    grad_u = grad_u - triu(product(mh(below), grad_below));
    result = cat({square_lu_backward(grad_l, grad_u, l, u), grad_below}, -2);
  } else if (columns > rows) {
    const Tensor right = narrow(lu, -1, side, columns - side);
    const Tensor grad_right = _linalg_solve_triangular(mh(l), narrow(grad, -1, side, columns - side),
                                                       /*upper=*/true, /*unitriangular=*/true);
    grad_l = grad_l - tril(product(grad_right, mh(right)), -1);
    result = cat({square_lu_backward(grad_l, grad_u, l, u), grad_right}, -1);
  } else {
    result = square_lu_backward(grad_l, grad_u, l, u);
  }
  return product(_linalg_permutation(pivots, rows, lu.dtype()), result);
}

Tensor linalg_det_backward(const Tensor& grad, const Tensor& a) {
  return as_column(as_column(grad)) * mh(_linalg_adjugate(a));
}

/// adj(A) = det(A) A^-1, so that it changes by tr(A^-1 dA) adj(A) - adj(A) dA A^-1.
Tensor linalg_adjugate_backward(const Tensor& grad, const Tensor& a, const Tensor& adjugate) {
  const Tensor inverse = mh(linalg_inv_ex(a)[0]), turned = mh(adjugate);
  const Tensor weight = sum(grad * conjugate(adjugate), Dims{-2, -1}, /*keepdim=*/true);
  return inverse * weight - product(turned, grad, inverse);
}

/// With t = tr(A^-1 dA), log|det| changes by Re(t) and the sign by i Im(t) times itself.
Tensor linalg_slogdet_backward(const Tensor& grad_sign, const Tensor& grad_logabsdet, const Tensor& a,
                               const Tensor& sign) {
  Tensor weight = as_dtype(grad_logabsdet, a.dtype());
  if (is_complex(a.dtype())) weight = weight + imaginary_part(grad_sign * conj(sign));
  return as_column(as_column(weight)) * mh(linalg_inv_ex(a)[0]);
}

/// L^-H Phi(L^H G) L^-1, symmetric; Phi takes the lower triangle and half of the diagonal.
Tensor linalg_cholesky_backward(const Tensor& grad, const Tensor& factor, bool upper) {
  const Tensor l = upper ? mh(factor) : factor, grad_l = upper ? mh(grad) : grad;
  const Tensor phi = half_diagonal_tril(product(mh(l), grad_l));
  const Tensor left = _linalg_solve_triangular(mh(l), phi, /*upper=*/true);
  const Tensor full = divide_right(left, l, /*upper=*/false);
  return (full + mh(full)) * 0.5;
}

/// Of A = L L^H (U^H U if upper), where the other triangle of the factor counts too, as in PyTorch.
Tensor cholesky_solve_backward_factor(const Tensor& grad, const Tensor& factor, const Tensor& x, bool upper) {
  const Tensor half = product(_cholesky_solve(grad, factor, upper), mh(x));
  const Tensor grad_a = -(half + mh(half));
  return upper ? product(factor, grad_a) : product(grad_a, factor);
}

/// With M = R G_R^H - G_Q^H Q, and the lower triangle of M copied above (and its diagonal real): (G_Q + Q
/// copy(M)) R^-H.
static Tensor tall_qr_backward(const Tensor& grad_q, const Tensor& grad_r, const Tensor& q, const Tensor& r) {
  const Tensor m = product(r, mh(grad_r)) - product(mh(grad_q), q);
  const Tensor half = half_diagonal_tril(m), copied = half + mh(half);
  return divide_right(grad_q + product(q, copied), mh(r), /*upper=*/false);
}

/// Of a wide matrix [X Y] = Q [U V], X = Q U is square, and V = Q^H Y.
Tensor linalg_qr_backward(const Tensor& grad_q, const Tensor& grad_r, const Tensor& q, const Tensor& r,
                          const std::string& mode) {
  FRAMEJIT_CHECK(mode != "r",
                 "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
                 "Please use linalg.qr(A, mode='reduced') if you are going to differentiate through "
                 "linalg.qr.");
  const SymInt rows = rows_of(q), columns = columns_of(r);
  FRAMEJIT_CHECK(mode == "reduced" || rows <= columns,
                 "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
  if (rows >= columns) return tall_qr_backward(grad_q, grad_r, q, r);
  const Tensor u = narrow(r, -1, 0, rows), v = narrow(r, -1, rows, columns - rows);
  const Tensor grad_u = narrow(grad_r, -1, 0, rows), grad_v = narrow(grad_r, -1, rows, columns - rows);
  const Tensor y = product(q, v);
  const Tensor grad_x = tall_qr_backward(grad_q + product(y, mh(grad_v)), grad_u, q, u);
  return cat({grad_x, product(q, grad_v)}, -1);
}

/// With E_ij = s_j^2 - s_i^2 and skew(X) = X - X^H:
/// U [skew(U^H G_U) / E S + S skew(V^H G_V) / E + diag(G_S)] V^H, and what leaves the ranges of U and V.
/// Complex vectors are unique up to phases; that of V is held, which leaves i Im(diag(U^H G_U)) / S.
Tensor linalg_svd_backward(const Tensor& grad_u_full, const Tensor& grad_s, const Tensor& grad_vh_full,
                           const Tensor& u_full, const Tensor& real_s, const Tensor& vh_full) {
  FRAMEJIT_CHECK(u_full.dim() >= 2,
                 "linalg.svd: the singular vectors were not computed, so there is no derivative.");
  const SymInt k = columns_of(real_s), rows = rows_of(u_full), columns = columns_of(vh_full);
  const Tensor u = narrow(u_full, -1, 0, k), grad_u = narrow(grad_u_full, -1, 0, k);
  const Tensor vh = narrow(vh_full, -2, 0, k), grad_vh = narrow(grad_vh_full, -2, 0, k);
  const Tensor s = as_dtype(real_s, u.dtype()), e = differences(s * s);
  const Tensor turned_u = product(mh(u), grad_u), turned_v = product(vh, mh(grad_vh));
  Tensor inner = ratio(off_diagonal(turned_u - mh(turned_u)), e) * as_row(s) +
                 as_column(s) * ratio(off_diagonal(turned_v - mh(turned_v)), e);
  Tensor on_diagonal = as_dtype(grad_s, u.dtype());
  if (is_complex(u.dtype()))
    on_diagonal = on_diagonal + ratio(imaginary_part(diagonal(turned_u, 0, -2, -1)), s);
  Tensor left = product(u, inner + diag_embed(on_diagonal));
  if (rows > k) left = left + ratio(grad_u - product(u, turned_u), as_row(s));
  Tensor result = product(left, vh);
  if (columns > k) {
    const Tensor outside = grad_vh - product(mh(turned_v), vh);
    result = result + product(u, ratio(outside, as_column(s)));
  }
  return result;
}

/// P changes by -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P.
Tensor linalg_pinv_backward(const Tensor& grad, const Tensor& a, const Tensor& p) {
  const Tensor ph = mh(p), gh = mh(grad);
  const Tensor first = product(gh, p, ph), last = product(ph, p, gh);
  return first - product(a, p, first) + last - product(last, p, a) - product(ph, grad, ph);
}

/// V [sym(V^H G_V / E) + diag(G_values)] V^H with sym(X) = (X + X^H) / 2 and E_ij = values_j - values_i.
Tensor linalg_eigh_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                            const Tensor& v) {
  FRAMEJIT_CHECK(v.dim() >= 2, "linalg.eigh: the eigenvectors were not computed, so there is no derivative.");
  const Tensor inner =
      off_diagonal(ratio(product(mh(v), grad_vectors), as_dtype(differences(values), v.dtype())));
  const Tensor on_diagonal = diag_embed(as_dtype(grad_values, v.dtype()));
  return product(v, (inner + mh(inner)) * 0.5 + on_diagonal, mh(v));
}

/// V^-H [diag(G_values) + (V^H G_V - V^H V diag(Re(V^H G_V))) / conj(E)] V^H, of vectors of length 1.
Tensor linalg_eig_backward(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                           const Tensor& v, DType dtype) {
  const Tensor turned = product(mh(v), grad_vectors);
  const Tensor diagonal_real = as_dtype(real(diagonal(turned, 0, -2, -1)), v.dtype());
  const Tensor tangent = turned - product(mh(v), v * as_row(diagonal_real));
  const Tensor inner = off_diagonal(ratio(tangent, conj(differences(values)))) + diag_embed(grad_values);
  const Tensor result = _linalg_solve(mh(v), product(inner, mh(v)))[0];
  return is_complex(dtype) ? result : real(result);
}

/// exp of [[A^H, G], [0, A^H]] has the derivative at A^H in direction G above the diagonal.
Tensor linalg_matrix_exp_backward(const Tensor& grad, const Tensor& a) {
  const Tensor ah = mh(a);
  const SymInt side = rows_of(a);
  const Tensor blocks = cat({cat({ah, grad}, -1), cat({zeros_like(ah), ah}, -1)}, -2);
  return narrow(narrow(_linalg_matrix_exp(blocks), -2, 0, side), -1, side, side);
}

}  // namespace framejit::eager::ops
