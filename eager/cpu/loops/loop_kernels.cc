#include "eager/cpu/loops/loop_kernels.h"

#include "eager/cpu/isa.h"
#include "eager/cpu/loops/pointwise.h"

#define FRAMEJIT_DECLARE_ADDERS(isa)                   \
  namespace framejit::eager::isa {                     \
  void add_casts(cpu::LoopKernels& table);             \
  void add_row_reductions(cpu::LoopKernels& table);    \
  void add_column_reductions(cpu::LoopKernels& table); \
  }
FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_DECLARE_ADDERS)
#undef FRAMEJIT_DECLARE_ADDERS

namespace framejit::eager::cpu {
namespace {

LoopKernels make_loop_kernels() {
  LoopKernels table;
  switch (chosen_isa()) {
#define FRAMEJIT_ADD(isa)              \
  case Isa::isa:                       \
    isa::add_casts(table);             \
    isa::add_row_reductions(table);    \
    isa::add_column_reductions(table); \
    break;
    FRAMEJIT_FOR_EACH_ISA(FRAMEJIT_ADD)
#undef FRAMEJIT_ADD
  }
  return table;
}

}  // namespace

const LoopKernels& loop_kernels() {
  static const LoopKernels table = make_loop_kernels();
  return table;
}

DType reduce_compute_dtype(ReduceKind kind, DType input, DType result) {
  switch (kind) {
    case ReduceKind::sum:
      if (input == DType::bool_ && result == DType::int64) return DType::bool_;  // counted as bytes
      [[fallthrough]];
    case ReduceKind::prod:
      return is_inexact(result) ? wider_type(result) : DType::int64;
    case ReduceKind::mean:
    case ReduceKind::nansum:
      return wider_type(result);
    case ReduceKind::any:
    case ReduceKind::all:
      return DType::bool_;
    default:
      return wider_type(input);
  }
}

DType reduce_result_dtype(ReduceKind kind, DType compute) {
  if (kind == ReduceKind::sum && compute == DType::bool_) return DType::int64;
  return kind == ReduceKind::argmax || kind == ReduceKind::argmin ? DType::int64 : compute;
}

void convert_element(const void* from, DType from_dtype, void* to, DType to_dtype) {
  loop_kernels().cast[size_t(from_dtype)][size_t(to_dtype)](from, 0, to, 1);
}

}  // namespace framejit::eager::cpu
