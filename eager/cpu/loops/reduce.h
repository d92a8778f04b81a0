// Contract: eager reductions, and rows of reductions that keep a row in cache (softmax, normalisations).
//
//   core / kernels   decide dims, dtypes and shape, allocate the result, then call `run_reduction`
//   here             loops, blocking, threads
// The blocking depends on the shape alone, never on the number of threads: results repeat to the last bit.
#pragma once

#include <cstdint>
#include <span>

#include "eager/op.h"

namespace framejit::eager::cpu {

/// nansum: the sum of what is not NaN; of float32 and float64 alone, or what these stand in for.
enum class ReduceKind : uint8_t { sum, mean, prod, amax, amin, any, all, argmax, argmin, nansum };
inline constexpr size_t kReduceKinds = 10;

/// The dtype in which `kind` reduces (the tile is converted to it first) and the one of its result.
FRAMEJIT_API DType reduce_compute_dtype(ReduceKind kind, DType input, DType result);
FRAMEJIT_API DType reduce_result_dtype(ReduceKind kind, DType compute);

/// Reduces the dims of `input` whose bit is set in `dims` into `result`, which has the other dims in order
/// (with or without size-1 dims in place of the reduced ones), any strides. The input is converted first:
/// sum, nansum, mean and prod compute in the dtype of `result` (or the wider one that stands in for it),
/// amax, amin, argmax and argmin in that of `input`, any and all in bool. An empty reduction gives the kind's
/// neutral element (0, 1, False, True; NaN for mean); amax, amin, argmax and argmin have none: the caller has
/// raised the user's error. NaN wins in amax, amin, argmax and argmin; the first of equal elements wins in
/// argmax and argmin.
FRAMEJIT_API void run_reduction(ReduceKind kind, const Tensor& input, uint64_t dims, const Tensor& result);

/// What pointwise ops make of elements before they are reduced: `first` of the operands, `then`, where there is one, of
/// its result. Parameters are 1, as `alpha` of `sub`.
struct Mapping {
  const Op& first;
  const Op* then = nullptr;
};
/// The sum or mean, over `dims`, of what `mapping` makes of `operands`, which is nowhere stored: the bits are those
/// of the ops one after the other. Operands and result are of one floating dtype that is computed in as it is; the operands
/// have one shape, the result is as for `run_reduction`.
FRAMEJIT_API void run_reduction_of(ReduceKind kind, const Mapping& mapping, std::span<const Tensor> operands,
                                   uint64_t dims, const Tensor& result);

/// `run_reduction` for amin and amax in one pass; both results have the dtype of `input`.
FRAMEJIT_API void run_extrema(const Tensor& input, uint64_t dims, const Tensor& smallest,
                              const Tensor& largest);

/// Kernels of rows that the table names (eager/ops/*.toml, `kernel = "..."`), as row programs. The dtype of
/// the result decides the dtype of the computation: `wider_type` of it, so that halves are rounded once.
///   softmax(self, dim), log_softmax(self, dim): result like self
///   var(self, dims mask, correction): two passes, the row stays in cache
///   layer_norm(self, weight or undefined, bias or undefined, last `normalized` dims, eps): result, mean,
///   rstd
FRAMEJIT_API void run_softmax(const Tensor& self, int dim, bool log, const Tensor& result);
FRAMEJIT_API void run_var(const Tensor& self, uint64_t dims, double correction, const Tensor& result);
FRAMEJIT_API void run_layer_norm(const Tensor& self, const Tensor& weight, const Tensor& bias, int normalized,
                                 double eps, const Tensor& result, const Tensor& mean, const Tensor& rstd);

}  // namespace framejit::eager::cpu
