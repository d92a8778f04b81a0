// copy, fill, zero and their in-place forms; values leaving for Python.
#include <algorithm>
#include <atomic>

#include "eager/cpu/kernel_support.h"
#include "eager/cpu/loops/tile_program.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"
#include "eager/meta/overlap.h"

namespace framejit::eager {

using namespace cpu;

namespace {

void check_broadcasts_to(const Tensor& src, const Tensor& self) {
  const Dims sizes = broadcast_sizes(self.sizes(), src.sizes());
  FRAMEJIT_CHECK(sizes == self.sizes(), "output with shape ", sizes_text(self.sizes()),
                 " doesn't match the broadcast shape ", sizes_text(sizes));
}

bool shares_memory_differently(const Tensor& a, const Tensor& b) {
  if (!(a->storage == b->storage)) return false;
  return a.offset() != b.offset() || !(a.sizes() == b.sizes()) || !(a.strides() == b.strides()) ||
         a.dtype() != b.dtype();
}

void fill_with(const Tensor& to, const Value& value) {
  switch (value.tag()) {
    case Value::Tag::tensor: {
      const Tensor element = value.tensor();
      FRAMEJIT_CHECK(element.dim() == 0, "fill_ only supports 0-dimension value tensor but got tensor with ",
                     element.dim(), " dimensions.");
      return fill_elements(to, element.data(), element.dtype());
    }
    default: {
      const Number number = to_number(value);
      FRAMEJIT_CHECK(!is_complex(number.dtype) || is_complex(to.dtype()),
                     "value cannot be converted to type ", dtype_name(to.dtype()),
                     " without overflow: got a complex number");
      return fill_elements(to, number.data(), number.dtype);
    }
  }
}

Value element_value(const Tensor& tensor) {
  switch (category(tensor.dtype())) {
    case DTypeCategory::boolean:
      return Value(*tensor.data_as<bool>());
    case DTypeCategory::integral: {
      int64_t number;
      convert_element(tensor.data(), tensor.dtype(), &number, DType::int64);
      return Value(number);
    }
    case DTypeCategory::complex: {
      std::complex<double> number;
      convert_element(tensor.data(), tensor.dtype(), &number, DType::complex128);
      return Value(number);
    }
    default: {
      double number;
      convert_element(tensor.data(), tensor.dtype(), &number, DType::float64);
      return Value(number);
    }
  }
}

}  // namespace

void meta_copy(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  results.push_back(preserved_meta(args[0].impl()->meta));
}
void meta_fill(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  results.push_back(preserved_meta(args[0].impl()->meta));
}
void meta_like_self(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  results.push_back(preserved_meta(args[0].impl()->meta));
}
void meta_cast(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  TensorMeta meta = preserved_meta(args[0].impl()->meta);
  meta.dtype = args[1].dtype();
  results.push_back(std::move(meta));
}
void meta_contiguous_copy(const Op& op, const Value* args, std::vector<TensorMeta>& results) {
  const TensorMeta& self = args[0].impl()->meta;
  results.push_back(contiguous_meta(self.sizes, self.dtype, self.device));
}

/// Eager copies and casts: no arithmetic, whatever the dtypes.
void convert_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  copy_elements(args[0].tensor(), result);
  results[0] = std::move(result);
}

void copy_into_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), src = args[1].tensor();
  check_broadcasts_to(src, self);
  check_writable(op, self);
  copy_elements(shares_memory_differently(self, src) ? cloned(src) : src, self);
  results[0] = self;
}
void copy_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  check_broadcasts_to(args[1].tensor(), result);
  copy_elements(args[1].tensor(), result);
  results[0] = std::move(result);
}

void fill_into_kernel(const Op& op, const Value* args, Value* results) {
  fill_with(args[0].tensor(), args[1]);
  results[0] = args[0];
}
void fill_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  fill_with(result, args[1]);
  results[0] = std::move(result);
}

void zero_into_kernel(const Op& op, const Value* args, Value* results) {
  fill_with(args[0].tensor(), Value(int64_t(0)));
  results[0] = args[0];
}
void zero_kernel(const Op& op, const Value* args, Value* results) {
  Tensor result = allocate_result(op, args);
  fill_with(result, Value(int64_t(0)));
  results[0] = std::move(result);
}

void item_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor();
  FRAMEJIT_CHECK(self.numel() == 1, "a Tensor with ", self.numel().str(),
                 " elements cannot be converted to Scalar");
  results[0] = element_value(self);
}

void equal_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = args[0].tensor(), other = args[1].tensor();
  const DType common = promote(self.dtype(), other.dtype());
  bool same = self.sizes() == other.sizes();
  if (same) {
    const Tensor left = contiguous_as(self, common), right = contiguous_as(other, common);
    same = for_any_dtype(common, [&](auto zero) {
      using T = decltype(zero);
      const T *a = left.data_as<T>(), *b = right.data_as<T>();
      std::atomic<bool> equal{true};
      parallel_for(left.numel().expect(), 64 * 1024, [&](int64_t begin, int64_t end) {
        if (equal.load(std::memory_order_relaxed) && !std::equal(a + begin, a + end, b + begin))
          equal = false;
      });
      return equal.load();
    });
  }
  results[0] = Value(same);
}

}  // namespace framejit::eager
