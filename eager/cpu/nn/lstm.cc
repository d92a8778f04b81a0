#include "eager/cpu/nn/lstm.h"

#include "eager/cpu/float_type.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

constexpr int64_t kPiece = 4 * 1024;  ///< elements worth a thread

}  // namespace

bool are_lstm_gates(const Tensor& gates, const Tensor& cell) {
  if (!is_float_type(cell.dtype()) || gates.dtype() != cell.dtype() || cell.dim() == 0 || cell.numel() == 0)
    return false;
  Dims expected = cell.sizes();
  expected[expected.size() - 1] *= 4;
  return gates.sizes() == expected;
}

std::array<Tensor, 2> lstm_states(const Tensor& gates, const Tensor& cell) {
  const Tensor from = contiguous(gates), before = contiguous(cell);
  std::array<Tensor, 2> next{Tensor::empty(cell.sizes(), cell.dtype()),
                             Tensor::empty(cell.sizes(), cell.dtype())};
  const int64_t width = cell.sizes().back(), rows = cell.numel().expect() / width;
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    parallel_for(rows, std::max<int64_t>(1, kPiece / width), [&](int64_t begin, int64_t end) {
      ScratchScope scope;
      T* activated = Scratch::of_thread().take_array<T>(4 * width);
      for (int64_t r = begin; r < end; ++r) {
        std::copy_n(from.data_as<T>() + r * 4 * width, 4 * width, activated);
        next_lstm_states(width, activated, before.data_as<T>() + r * width, next[0].data_as<T>() + r * width,
                         next[1].data_as<T>() + r * width);
      }
    });
  };
  for_float_type(cell.dtype(), run);
  return next;
}

}  // namespace framejit::eager::cpu
