// softmax, log_softmax and layer_norm: arguments and results; the loops are row programs (reduce.h).
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/nn/norm_call.h"
#include "eager/cpu/loops/reduce.h"
#include "eager/error.h"
#include "eager/meta/normalized_shape.h"

namespace framejit::eager {

using namespace cpu;

void meta_softmax(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  wrap_dim(args[1].integer(), self.sizes.size());
  FRAMEJIT_CHECK_TYPE(is_floating(self.dtype) || numel(self.sizes) == 0, not_implemented, "\"",
                      op.schema.name, "\" not implemented for '", dtype_name(self.dtype),
                      "'; give dtype= or call .float() first");
  results.push_back(preserved_meta(self));
}

namespace {

void softmax(const Op& op, const Value* args, bool log, Value* results) {
  const Tensor self = args[0].tensor();
  Tensor result = allocate_result(op, args);
  if (self.dim() == 0) {
    const int64_t value = log ? 0 : 1;
    fill_elements(result, &value, DType::int64);
  } else if (!(self.numel() == 0)) {
    run_softmax(self, wrap_dim(args[1].integer(), self.dim()), log, result);
  }
  results[0] = std::move(result);
}

}  // namespace

void softmax_kernel(const Op& op, const Value* args, Value* results) { softmax(op, args, false, results); }
void log_softmax_kernel(const Op& op, const Value* args, Value* results) { softmax(op, args, true, results); }

void check_normalized_shape(const Dims& input, const Dims& shape) {
  FRAMEJIT_CHECK(!shape.empty(),
                 "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
                 "one element, but got normalized_shape = []");
  const int outer = input.size() - shape.size();
  bool matches = outer >= 0;
  for (int i = 0; matches && i < shape.size(); ++i) matches = input.sym(outer + i) == shape.sym(i);
  FRAMEJIT_CHECK(matches, "Given normalized_shape=", sizes_text(shape), ", expected input with shape [*, ",
                 sizes_text(shape).substr(1), ", but got input of size", sizes_text(input));
}

/// args: input, normalized_shape, weight, bias, eps.
void meta_layer_norm(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& input = args[0].impl()->meta;
  const Dims shape = args[1].dims();
  const int outer = input.sizes.size() - shape.size();
  check_normalized_shape(input.sizes, shape);
  for (int i : {2, 3}) {
    if (args[i].is_none()) continue;
    FRAMEJIT_CHECK(args[i].impl()->meta.sizes == shape, "Expected ", op.schema.args[size_t(i)].name,
                   " to be of same shape as normalized_shape, but got one of shape ",
                   sizes_text(args[i].impl()->meta.sizes), " and normalized_shape = ", sizes_text(shape));
  }
  Dims statistics = input.sizes;
  for (int i = outer; i < statistics.size(); ++i) statistics[i] = 1;
  push_normalized("layer_norm", input, statistics, results);
}

void layer_norm_kernel(const Op& op, const Value* args, Value* results) {
  std::vector<TensorMeta> metas;
  meta_layer_norm(op, args, metas);
  for (int i = 0; i < 3; ++i) results[i] = Tensor::empty(metas[size_t(i)]);
  run_layer_norm(args[0].tensor(), args[2].tensor(), args[3].tensor(), args[1].dims().size(), args[4].real(),
                 results[0].tensor(), results[1].tensor(), results[2].tensor());
}

}  // namespace framejit::eager
