// Lowering: a pure graph becomes a loop program, one step per computing node. View ops become ways to look at
// buffers, pointwise ops and reductions loops, everything else external calls.
#pragma once

#include "inductor/loop_ir.h"

namespace framejit::inductor {

/// Takes the graph over. Ops with a decomposition have been decomposed.
LoopProgram lower(std::unique_ptr<graph::Graph> graph);

}  // namespace framejit::inductor
