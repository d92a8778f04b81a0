// Where the values between loops live. Temporaries share one workspace per run; a loop may write over an
// operand that dies with it. Results and what external calls make have memory of their own.
#pragma once

#include "inductor/loop_ir.h"

namespace framejit::inductor {

/// When a buffer is needed, as numbers of steps. Independent of sizes.
struct BufferLife {
  bool temporary = false;  ///< made by a loop, not a result: lives in the workspace
  int first = -1;          ///< the step that writes it
  int last = -1;           ///< the last one that reads it
  int may_replace = -1;    ///< a temporary that ends where this one begins, at the same places of the loop
};
std::vector<BufferLife> find_lives(const LoopProgram& program);

struct MemoryPlan {
  std::vector<int64_t> offset;  ///< in bytes, per buffer; -1: not in the workspace
  int64_t total = 0;
};
/// `bytes`: size of each buffer.
FRAMEJIT_API MemoryPlan plan_memory(const std::vector<BufferLife>& lives, const std::vector<int64_t>& bytes);

}  // namespace framejit::inductor
