// Runs one instruction of a live frame exactly as the interpreter would, through the C API: what a trace
// cannot cover.
//
// step.cc dispatches on the instruction's class to one function per class:
//   step_names.cc      stack, locals, cells, names, imports
//   step_operators.cc  operators, subscripts, truth
//   step_build.cc      building, unpacking, formatting
//   step_match.cc      match statements
//   step_calls.cc      calls and function objects
//   step_control.cc    jumps, iteration, return, exceptions, with
#pragma once

#include "eval_frame/live_frame.h"

namespace framejit::eval_frame {

enum class StepResult : uint8_t {
  next,      // done; pc is at the next instruction
  returned,  // a return instruction: LiveFrame::result
  raised,  // a Python exception is set; pc is still at the instruction, its operands are gone from the stack
  unsupported,  // nothing has happened: the interpreter must run it. Never for an instruction with part > 0
};

StepResult step(LiveFrame& live);

// One per class. They leave pc alone unless they jump, in which case they return `next` with jumped() done.
// `next` and a pc that has not changed means: go on behind this instruction.
StepResult step_stack(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_local(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_name(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_operator(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_build(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_match(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_call(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_function(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_jump(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_iteration(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_return(LiveFrame& live, const bytecode::Instruction& in);
StepResult step_exception(LiveFrame& live, const bytecode::Instruction& in);

inline StepResult raised_unless(bool fine) { return fine ? StepResult::next : StepResult::raised; }

}  // namespace framejit::eval_frame
