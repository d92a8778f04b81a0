// Copies of views, in row-major order.
#include "eager/composite/support.h"
#include "generated/ops/copy.h"
#include "generated/ops/view.h"

namespace framejit::eager {

void split_composite(const Value* args, Value* results);
void split_with_sizes_composite(const Value* args, Value* results);
void unbind_composite(const Value* args, Value* results);

namespace {

/// Calls a view op by its boxed row and copies what it shows.
void copy_of(const char* view, const Value* args, Value* results) {
  call(get_op(view), args, results);
  results[0] = contiguous_copy(results[0].tensor());
}

void copy_each(Value& list) {
  std::vector<Tensor> parts = list.tensor_list();
  for (Tensor& part : parts) part = contiguous_copy(part);
  list = Value(std::move(parts));
}

}  // namespace

#define FRAMEJIT_VIEW_COPY(name) \
  void name##_copy_composite(const Value* args, Value* results) { copy_of(#name, args, results); }
FRAMEJIT_VIEW_COPY(alias)
FRAMEJIT_VIEW_COPY(expand)
FRAMEJIT_VIEW_COPY(permute)
FRAMEJIT_VIEW_COPY(transpose)
FRAMEJIT_VIEW_COPY(t)
FRAMEJIT_VIEW_COPY(unsqueeze)
FRAMEJIT_VIEW_COPY(squeeze)
FRAMEJIT_VIEW_COPY(slice)
FRAMEJIT_VIEW_COPY(select)
FRAMEJIT_VIEW_COPY(narrow)
FRAMEJIT_VIEW_COPY(diagonal)
FRAMEJIT_VIEW_COPY(unfold)
FRAMEJIT_VIEW_COPY(as_strided)
FRAMEJIT_VIEW_COPY(detach)
#undef FRAMEJIT_VIEW_COPY

/// Unlike the view itself, of a tensor with any strides.
void view_copy_composite(const Value* args, Value* results) { copy_of("reshape", args, results); }

void split_copy_composite(const Value* args, Value* results) {
  split_composite(args, results);
  copy_each(results[0]);
}
void split_with_sizes_copy_composite(const Value* args, Value* results) {
  split_with_sizes_composite(args, results);
  copy_each(results[0]);
}
void unbind_copy_composite(const Value* args, Value* results) {
  unbind_composite(args, results);
  copy_each(results[0]);
}

}  // namespace framejit::eager
