// Contract: from a graph to something that runs.
//
// Tour of inductor/
//   compile.h       the pipeline, straight-line: decompose, CSE, dead code (graph/passes), then
//   loop_ir.h       the loop IR: loops over buffers and external calls; prints deterministically
//   lower.h         graph -> loop IR, one step per computing node; reductions.h: which ops are reductions
//   fuse.h          loops that share data become one; match.h says which can, simplify.h cleans bodies
//   memory_plan.h   workspace offsets of temporaries
//   cpu/            the CPU back end: tile_code.h (loop -> program of tile kernels), instance.h (a program
//                   laid out for certain sizes), executable.h and run_frame.h (one call)
// A further back end (machine code, CUDA) reads the fused loop IR and takes the place of cpu/. The loops
// themselves run in eager/cpu (tile_program.h, nest.h), where eager ops run too, so that both give the same
// bits. FRAMEJIT_LOGS=loops,kernels prints every stage.
#pragma once

#include <memory>

#include "graph/executable.h"

namespace framejit::inductor {

using graph::Executable;

/// Lowers, fuses, plans memory. The graph needs no gradients (graph/aot has taken them out) and is functional
/// except for in-place copies into inputs at its end. Results may be inputs, constants, or one value twice
/// (then one tensor). Throws InternalError for our own bugs; never for user code. Registered as "inductor"
/// with graph::aot::register_compiler.
FRAMEJIT_API std::unique_ptr<Executable> compile(const graph::Graph& graph);

}  // namespace framejit::inductor
