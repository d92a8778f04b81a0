#include "eager/cpu/reduce.h"

#include <array>
#include <mutex>

#include "eager/cpu/nest.h"
#include "eager/cpu/row_space.h"

namespace framejit::eager::cpu {
namespace {

Program make_program(ReduceKind kind, DType input, DType result) {
  Program program;
  DType compute = reduce_compute_dtype(kind, input, result);
  int row = program.reduce(kind, program.load(program.input(input), compute));
  program.store(row, program.output(result, Extent::row));
  program.finish();
  return program;
}

const Program& find_program(ReduceKind kind, DType input, DType result) {
  constexpr size_t kCount = 9 * size_t(kDTypeCount) * size_t(kDTypeCount);
  static std::array<std::once_flag, kCount> once;
  static std::array<Program, kCount> programs;
  size_t at = (size_t(kind) * kDTypeCount + size_t(input)) * kDTypeCount + size_t(result);
  std::call_once(once[at], [&] { programs[at] = make_program(kind, input, result); });
  return programs[at];
}

}  // namespace

Dims kept_strides(const Tensor& result, int rank, uint64_t reduced) {
  Dims strides(rank);
  bool keeps_dims = result.dim() == rank;
  for (int d = 0, at = 0; d < rank; ++d) {
    bool is_reduced = (reduced >> d) & 1;
    if (!is_reduced) strides[d] = result.strides()[at];
    if (!is_reduced || keeps_dims) ++at;
  }
  return strides;
}

void run_reduction(ReduceKind kind, const Tensor& input, uint64_t dims, const Tensor& result) {
  const Program& program = find_program(kind, input.dtype(), result.dtype());
  Space space{input.sizes(), dims, {input.strides(), kept_strides(result, input.dim(), dims)}};
  void* pointers[] = {input.data(), result.data()};
  run(prepare(program, space), pointers, nullptr);
}

}  // namespace framejit::eager::cpu
