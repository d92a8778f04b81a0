// Gradient of as_strided, and writing through it.
#include <algorithm>

#include "eager/cpu/kernel_support.h"
#include "eager/error.h"
#include "eager/meta/views.h"

namespace framejit::eager {

using namespace cpu;

void meta_as_strided_backward(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& grad = args[0].impl()->meta;
  results.push_back(contiguous_meta(args[1].dims(), grad.dtype, grad.device));
}

/// args: grad_in, input_sizes, input_strides, size, stride, offset. Works in a copy of the part of the
/// storage that input and view show.
void as_strided_backward_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  const Tensor grad = contiguous(args[0].tensor());
  std::vector<int64_t> places = enumerate_offsets(args[1].dims().span(), args[2].dims().span());
  std::vector<int64_t> read = enumerate_offsets(args[3].dims().span(), args[4].dims().span());
  for (int64_t& place : read) place += args[5].integer();
  int64_t first = 0, last = 0;
  for (const auto* list : {&places, &read})
    for (int64_t place : *list) first = std::min(first, place), last = std::max(last, place);
  std::vector<int64_t> sharers(size_t(last - first + 1), 0);
  for (int64_t place : places) ++sharers[size_t(place - first)];
  const Tensor sums = Tensor::empty(Dims{int64_t(sharers.size())}, grad.dtype());
  const int64_t zero_number = 0;
  fill_elements(sums, &zero_number, DType::int64);
  for_any_dtype(grad.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T *sum = sums.data_as<T>(), *to = result.data_as<T>();
    for (size_t i = 0; i < read.size(); ++i)
      sum[read[i] - first] = wrapping_sum(sum[read[i] - first], grad.data_as<T>()[i]);
    for (size_t i = 0; i < places.size(); ++i) {
      const int64_t place = places[i] - first;
      to[i] = sharers[size_t(place)] > 1 ? T(sum[place] / T(double(sharers[size_t(place)]))) : sum[place];
    }
  });
  results[0] = std::move(result);
}

/// args: self, src, then what as_strided takes after self.
void as_strided_scatter_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = cloned(args[0].tensor());
  const Value view_args[] = {Value(result), args[2], args[3], args[4].is_none() ? Value(0) : args[4]};
  const ViewGeometry geometry = as_strided_geometry(view_args);
  const Tensor src = args[1].tensor();
  FRAMEJIT_CHECK(src.sizes() == geometry.sizes,
                 "expected src to have a size equal to the slice of self. src size = ",
                 sizes_text(src.sizes()), ", slice size = ", sizes_text(geometry.sizes));
  copy_elements(src, make_view(result, geometry));
  results[0] = std::move(result);
}

}  // namespace framejit::eager
