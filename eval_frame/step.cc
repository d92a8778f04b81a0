#include "eval_frame/step.h"

namespace framejit::eval_frame {

using bytecode::Instruction;
using bytecode::OpClass;

namespace {

StepResult dispatch(LiveFrame& live, const Instruction& in) {
  switch (bytecode::op_class(in.op)) {
    case OpClass::Stack:
      return step_stack(live, in);
    case OpClass::Local:
      return step_local(live, in);
    case OpClass::Name:
      return step_name(live, in);
    case OpClass::Operator:
      return step_operator(live, in);
    case OpClass::Build:
      return step_build(live, in);
    case OpClass::Match:
      return step_match(live, in);
    case OpClass::Call:
      return step_call(live, in);
    case OpClass::Function:
      return step_function(live, in);
    case OpClass::Jump:
      return step_jump(live, in);
    case OpClass::Iteration:
      return step_iteration(live, in);
    case OpClass::Return:
      return step_return(live, in);
    case OpClass::Exception:
      return step_exception(live, in);
    case OpClass::Generator:
    case OpClass::Unsupported:
      break;
  }
  return StepResult::unsupported;
}

}  // namespace

StepResult step(LiveFrame& live) {
  const Instruction& in = live.instruction();
  set_running(live.frame, in.unit);
  StepResult result = dispatch(live, in);
  // A jump has stored its target; everything else falls through.
  if (result == StepResult::next && &in == &live.instruction()) ++live.pc;
  return result;
}

}  // namespace framejit::eval_frame
