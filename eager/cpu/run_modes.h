// What the loop drivers share (run.cc, run_columns.cc).
#pragma once

#include <vector>

#include "eager/cpu/tile_runner.h"

namespace framejit::eager::cpu {

/// How many units of work one thread should take at a time.
int64_t units_per_piece(int64_t units, int64_t elements_per_unit);

/// By number of the reduction.
std::vector<RowReducer> row_reducers(const Program& program);

/// Mode::columns: reduced rows, with the kept columns side by side inside them.
void run_columns(const RunInputs& inputs);

}  // namespace framejit::eager::cpu
