// Whether two loops can be one, and how the dims of each lie in the common space.
#pragma once

#include <optional>

#include "inductor/loop_ir.h"

namespace framejit::inductor {

struct Match {
  Dims sizes;
  uint64_t reduced = 0;
  std::vector<int> first_dims;   ///< dim of the first loop -> dim of the common space
  std::vector<int> second_dims;  ///< the same of the second; some dims of the space may have none
  bool second_is_row = false;    ///< the second works on row values of the common space
  /// The common space has full values that wait for its reductions, although neither loop had.
  bool makes_rows_wait = false;
};

/// `second` reads what `first` writes.
std::optional<Match> match_chain(const LoopProgram& program, const Loop& first, const Loop& second);
/// Both read the same tensor, and neither what the other writes.
std::optional<Match> match_siblings(const Loop& first, const Loop& second);

/// Strides over the dims of the common space.
Dims move_strides(const Dims& strides, const std::vector<int>& dims, int rank);

/// The loop over dims of other `sizes` with as many elements, when it is pointwise and every operand is
/// contiguous or one element, so that only the linear index matters.
std::optional<Loop> reshape_loop(const Loop& loop, const Dims& sizes);

}  // namespace framejit::inductor
