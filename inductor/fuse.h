// Fusion: loops that share data become one loop.
//
//   chains     a loop and one that reads its result: pointwise into pointwise, pointwise into reduction,
//              reduction into what is computed from row values, and into pointwise code over the same rows
//              (softmax)
//   siblings   loops over the same data, neither of which needs the other
// A loop never computes a full value twice. The value that passes from one loop to the next goes through the
// dtype of the tensor between them, so that fused code gives the same bits.
#pragma once

#include "inductor/loop_ir.h"

namespace framejit::inductor {

/// Sizes are judged by their hints: the graph's ShapeEnv must be current.
void fuse(LoopProgram& program);

}  // namespace framejit::inductor
