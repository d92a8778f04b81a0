// The parts of one instruction set's `LoopKernels`.
#pragma once

#include "eager/cpu/loops/loop_kernels.h"

namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE {

void add_casts(cpu::LoopKernels& table);
void add_row_reductions(cpu::LoopKernels& table);
void add_column_reductions(cpu::LoopKernels& table);

}  // namespace framejit::eager::FRAMEJIT_ISA_NAMESPACE
