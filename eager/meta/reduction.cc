// Shape and dtype rules of reductions and scans. Arguments are found by name: self first, then dim, keepdim,
// dtype.
#include "eager/error.h"
#include "eager/meta/shapes.h"
#include "eager/meta/type_names.h"

namespace framejit::eager {

namespace {

const Value& argument(const Op& op, const Value* args, const char* name) {
  static const Value none;
  const int index = op.schema.find(name);
  return index < 0 ? none : args[index];
}

DType reduction_dtype(const Op& op, const Value* args, DType self) {
  const Value& asked = argument(op, args, "dtype");
  if (!asked.is_none()) return asked.dtype();
  switch (op.dtype_rule) {
    case DTypeRule::sum:
      return is_inexact(self) ? self : DType::int64;
    case DTypeRule::boolean:
      return DType::bool_;
    case DTypeRule::int64:
      return DType::int64;
    case DTypeRule::promote_float:
      return is_inexact(self) ? self : default_dtype();
    default:
      return self;
  }
}

uint64_t reduced_dims(const Op& op, const Value* args) {
  return dim_mask(argument(op, args, "dim"), args[0].impl()->meta.sizes.size());
}

bool keeps_dims(const Op& op, const Value* args) {
  const Value& keepdim = argument(op, args, "keepdim");
  return !keepdim.is_none() && keepdim.boolean();
}

}  // namespace

void meta_reduction(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  Dims sizes = reduced_sizes(self.sizes, reduced_dims(op, args), keeps_dims(op, args));
  results.push_back(contiguous_meta(std::move(sizes), reduction_dtype(op, args, self.dtype), self.device));
}

void meta_mean(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const DType self = args[0].impl()->meta.dtype;
  const Value& asked = argument(op, args, "dtype");
  const DType dtype = asked.is_none() ? self : asked.dtype();
  FRAMEJIT_CHECK(is_inexact(dtype), "mean(): could not infer output dtype. ",
                 asked.is_none() ? "Input" : "Optional",
                 " dtype must be either a floating point or complex dtype. Got: ", scalar_type_name(dtype));
  meta_reduction(op, args, results);
}

/// amax, amin, argmax and argmin have no neutral element.
void meta_extremum(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const DType dtype = args[0].impl()->meta.dtype;
  FRAMEJIT_CHECK_TYPE(!is_complex(dtype), not_implemented, "\"", op.schema.name, "\" not implemented for '",
                      dtype_name(dtype), "' on cpu; it exists for real types");
  const Dims& sizes = args[0].impl()->meta.sizes;
  const uint64_t mask = reduced_dims(op, args);
  const bool all_of_none = op.dtype_rule == DTypeRule::first && args[1].is_none() && numel(sizes) == 0;
  FRAMEJIT_CHECK(!all_of_none, op.schema.name,
                 "(): Expected reduction dim to be specified for input.numel() == 0. ",
                 "Specify the reduction dim with the 'dim' argument.");
  for (int i = 0; i < sizes.size(); ++i)
    FRAMEJIT_CHECK_TYPE(!(mask >> i & 1) || !(sizes.sym(i) == 0), index, op.schema.name,
                        "(): Expected reduction dim ", i, " to have non-zero size.");
  meta_reduction(op, args, results);
}

void meta_var(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  FRAMEJIT_CHECK(is_inexact(args[0].impl()->meta.dtype), op.schema.name,
                 "(): only support floating point and complex dtypes");
  const Value& correction = args[2];
  if (!correction.is_none() && correction.tag() != Value::Tag::sym_int)
    correction.real();  // no number of a graph
  meta_reduction(op, args, results);
  results[0].dtype = real_type(results[0].dtype);
}

void meta_scan(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  wrap_dim(args[1].integer(), self.sizes.size());
  TensorMeta result = preserved_meta(self);
  result.dtype = reduction_dtype(op, args, self.dtype);
  results.push_back(std::move(result));
}

}  // namespace framejit::eager
