// A call of batch_norm's or group_norm's kernel, and its results: halves are computed in float32, an empty
// input has statistics of 0.
#pragma once

#include <array>
#include <vector>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/norm_rows.h"

namespace framejit::eager::cpu {

/// What a normalisation gives: a tensor like its input, and two statistics of these sizes.
inline void push_normalized(const char* name, const TensorMeta& input, const Dims& statistics,
                            std::vector<TensorMeta>& results) {
  FRAMEJIT_CHECK_TYPE(is_floating(input.dtype), not_implemented, "\"", name, "\" not implemented for '",
                      dtype_name(input.dtype), "'");
  for (const Dims& sizes : {input.sizes, statistics, statistics})
    results.push_back(contiguous_meta(sizes, input.dtype, input.device));
}

class NormCall {
 public:
  /// The results that `meta` promises: the normalized input and two statistics.
  template <class Meta>
  NormCall(const Op& op, const Value* args, Meta meta) {
    meta(op, args, metas_);
    dtype_ = metas_[0].dtype == DType::float64 ? DType::float64 : DType::float32;
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = Tensor::empty(metas_[i].sizes, dtype_);
  }

  std::array<Tensor, 3> outputs;

  /// An argument as it is computed with; undefined for none.
  Tensor operand(const Value& value) const {
    return value.is_none() ? Tensor() : contiguous_as(value.tensor(), dtype_);
  }

  /// `f(T())` fills `outputs` for an input that is not empty.
  template <class F>
  void run(const Tensor& input, Value* results, F f) {
    if (input.numel() == 0) {
      const int64_t zero = 0;
      for (size_t i = 1; i < outputs.size(); ++i) fill_elements(outputs[i], &zero, DType::int64);
    } else {
      for_float_type(dtype_, f);
    }
    for (size_t i = 0; i < outputs.size(); ++i) results[i] = contiguous_as(outputs[i], metas_[i].dtype);
  }

 private:
  std::vector<TensorMeta> metas_;
  DType dtype_;
};

}  // namespace framejit::eager::cpu
