// Distances between rows of numbers by the sum, the root of the sum of squares, the largest or the number of the
// differences. Inner loops are compiled once per instruction set (tile/distance_rows.cc): over columns of the others,
// which lie side by side, so that no vector has to be summed up.
#pragma once

#include "eager/tensor.h"

namespace framejit::eager::cpu {

enum class DistanceKind { count, sum, euclidean, largest };

/// Whether there is a kernel for p: it is 0, 1, 2 or infinite.
bool has_distance_kernel(double p);
/// The gradient of self (B, P, M), of distances (B, P, R) to other (B, R, M), all of float32 or float64.
Tensor pairwise_norms_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                               const Tensor& distances, double p);
/// The same for distances of each row of self (R, M) to each later one.
Tensor condensed_norms_backward(const Tensor& grad, const Tensor& self, const Tensor& distances, double p);

template <class T>
struct DistanceRows {
  /// out[j] = the distance of `row`, of n elements, to row j, whose element k is others[k * stride + j].
  void (*distances)(DistanceKind kind, const T* row, int64_t n, const T* others, int64_t stride,
                    int64_t count, T* out);
  /// to[k] = sum over j of grad[j] * (derivative of the distance to row j by row[k]).
  void (*gradients)(DistanceKind kind, const T* row, int64_t n, const T* others, int64_t stride,
                    int64_t count, const T* distances, const T* grad, T* to);
};

/// Those of the chosen instruction set.
template <class T>
const DistanceRows<T>& distance_rows();

}  // namespace framejit::eager::cpu
