// Which local variables may still be read: a backward dataflow over one decoded code object.
#pragma once

#include <vector>

#include "symbolic/bytecode/instruction.h"

namespace framejit::symbolic {

/// For each local, whether it may be read from `pc` on. Cells and free variables count as live, and so does
/// everything in code that can look at its own locals by name.
std::vector<bool> live_locals(const bytecode::Program& program, int pc);

}  // namespace framejit::symbolic
