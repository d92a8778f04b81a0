// Scatter and gather by the places that a maximum pooling found.
#include "eager/cpu/images/pool_windows.h"
#include "eager/cpu/kernel_support.h"
#include "eager/cpu/thread_pool.h"
#include "eager/error.h"

namespace framejit::eager {

using namespace cpu;

namespace {

int64_t checked_place(int64_t place, int64_t plane) {
  FRAMEJIT_CHECK(uint64_t(place) < uint64_t(plane), "Found an invalid max index: ", place,
                 " (output volumes are of ", plane, " elements)");
  return place;
}

}  // namespace

/// args: self, indices, sizes, accumulate.
void pool_scatter_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor()), indices = contiguous(args[1].tensor());
  const bool accumulate = args[3].boolean();
  Tensor result = allocate_result(op, args);
  const int64_t plane = volume(spatial(args[2].dims(), 1));
  const int64_t planes = plane == 0 ? 0 : result.numel().expect() / plane;
  const int64_t pooled = planes == 0 ? 0 : self.numel().expect() / planes;
  for_dtype(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t* places = indices.data_as<int64_t>();
    parallel_for(planes, planes_per_piece(plane + pooled), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* to = result.data_as<T>() + i * plane;
        std::fill_n(to, plane, T(0));
        for (int64_t j = i * pooled; j < (i + 1) * pooled; ++j) {
          T& element = to[checked_place(places[j], plane)];
          const T value = self.data_as<T>()[j];
          element = accumulate ? wrapping_sum(element, value) : value;
        }
      }
    });
  });
  results[0] = std::move(result);
}

/// args: self, indices, spatial.
void pool_gather_kernel(const Op& op, const Value* args, Value* results) {
  const Tensor self = contiguous(args[0].tensor()), indices = contiguous(args[1].tensor());
  Tensor result = allocate_result(op, args);
  const int64_t plane = volume(last_spatial(self.sizes(), int(args[2].integer())));
  const int64_t planes = plane == 0 ? 0 : self.numel().expect() / plane;
  const int64_t pooled = planes == 0 ? 0 : result.numel().expect() / planes;
  for_item_size(self.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t* places = indices.data_as<int64_t>();
    parallel_for(planes, planes_per_piece(pooled), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t j = i * pooled; j < (i + 1) * pooled; ++j)
          result.data_as<T>()[j] = self.data_as<T>()[i * plane + checked_place(places[j], plane)];
    });
  });
  results[0] = std::move(result);
}

}  // namespace framejit::eager
