// Reductions of side-by-side elements: chunks of a row.
#include "eager/cpu/tile/loop_table.h"
#include "eager/cpu/tile/reductions.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {
namespace {

using cpu::kLanes;

/// Combines lane i with lane i + half, until one is left.
template <class R>
typename R::Lane fold_lanes(typename R::Lane* lanes) {
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] = R::combine(lanes[i], lanes[i + half]);
  return lanes[0];
}

template <ReduceKind kKind, class T>
typename Reduction<kKind, T>::Lane reduce_values(const T* in, int64_t n) {
  using R = Reduction<kKind, T>;
  using Lane = typename R::Lane;
  const Lane* from = reinterpret_cast<const Lane*>(in);
  if (n < kLanes) {
    Lane value = R::neutral();
    for (int64_t i = 0; i < n; ++i) value = R::combine(value, from[i]);
    return value;
  }
  alignas(64) Lane lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = from[i];
  int64_t at = kLanes;
  for (; at + kLanes <= n; at += kLanes)
    for (int i = 0; i < kLanes; ++i) lanes[i] = R::combine(lanes[i], from[at + i]);
  for (int i = 0; at + i < n; ++i) lanes[i] = R::combine(lanes[i], from[at + i]);
  return fold_lanes<R>(lanes);
}

template <ReduceKind kKind, class T>
ReduceState reduce_chunk(const void* in, int64_t n, int64_t first) {
  using R = Reduction<kKind, T>;
  const T* from = static_cast<const T*>(in);
  if constexpr (is_arg(kKind)) {
    // The extremum first (vectorised), then where it stands.
    constexpr ReduceKind value_kind = kKind == ReduceKind::argmax ? ReduceKind::amax : ReduceKind::amin;
    auto best = reduce_values<value_kind, T>(from, n);
    for (int64_t i = 0; i < n; ++i)
      if (from[i] == T(best) || from[i] != from[i]) return R::state_of(from[i], first + i);
    return R::start();
  } else {
    return R::state_of(reduce_values<kKind, T>(from, n), 0);
  }
}

}  // namespace

void add_row_reductions(cpu::LoopKernels& table) {
  for_each_reduction([&]<ReduceKind kKind, class T>() {
    using R = Reduction<kKind, T>;
    table.row[size_t(kKind)][size_t(dtype_of<T>())] = {&R::start, &reduce_chunk<kKind, T>, &R::merge,
                                                       &R::finish};
  });
}

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
