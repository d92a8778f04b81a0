// A loop as a program of tile kernels.
#pragma once

#include "eager/cpu/loops/tile_program.h"
#include "inductor/loop_ir.h"

namespace framejit::inductor::cpu {

/// Operands keep their order; number slots are those of the loop program.
eager::cpu::Program make_tile_program(const LoopProgram& program, const Loop& loop);

}  // namespace framejit::inductor::cpu
