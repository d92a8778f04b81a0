// What the loop drivers share (run.cc, run_columns.cc).
#pragma once

#include <vector>

#include "eager/cpu/loops/tile_runner.h"

namespace framejit::eager::cpu {

/// How many units of work one thread should take at a time.
int64_t units_per_piece(int64_t units, int64_t elements_per_unit);

/// By number of the reduction.
std::vector<RowReducer> row_reducers(const Nest& nest);

/// Whether `run_small` can run it: pointwise, little, every operand contiguous or one element, nothing
/// converted on the way from and to memory.
bool is_small(const Nest& nest);
/// False, with nothing done, when a result lies in the memory of an operand.
bool run_small(const Nest& nest, void* const* pointers, const Number* numbers);

/// Mode::columns: reduced rows, with the kept columns side by side inside them.
void run_columns(const RunInputs& inputs);

}  // namespace framejit::eager::cpu
