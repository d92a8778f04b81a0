// Operators, jumps, loops and functions.
#include "symbolic/executor.h"

namespace framejit::symbolic {

using bytecode::Instruction;
using bytecode::Opcode;

void Executor::do_operator(Frame& frame, const Instruction& in) {
  switch (in.op) {
    case Opcode::ToBool: {
      Var* value = frame.pop();
      frame.push(boolean(truth(value)));
      return;
    }
    case Opcode::UnaryNot: {
      Var* value = frame.pop();
      frame.push(boolean(!truth(value)));
      return;
    }
    case Opcode::UnaryNegative:
    case Opcode::UnaryInvert:
    case Opcode::UnaryPositive: {
      Var* value = frame.pop();
      frame.push(unary(in.op, value));
      return;
    }
    case Opcode::StoreSubscr: {
      Var* key = frame.pop();
      Var* container = frame.pop();
      store_subscript(container, key, frame.pop());
      return;
    }
    case Opcode::DeleteSubscr: {
      Var* key = frame.pop();
      delete_subscript(frame.pop(), key);
      return;
    }
    case Opcode::BinarySlice: {
      Var* stop = frame.pop();
      Var* start = frame.pop();
      Var* container = frame.pop();
      frame.push(subscript(container, make_slice(start, stop, none())));
      return;
    }
    case Opcode::StoreSlice: {
      Var* stop = frame.pop();
      Var* start = frame.pop();
      Var* container = frame.pop();
      store_subscript(container, make_slice(start, stop, none()), frame.pop());
      return;
    }
    default:
      break;
  }
  Var* right = frame.pop();
  Var* left = frame.pop();
  switch (in.op) {
    case Opcode::BinaryOp:
      frame.push(binary(in.arg, left, right));
      return;
    case Opcode::CompareOp:
      frame.push(compare(in.arg, left, right));
      return;
    case Opcode::IsOp:
      frame.push(boolean(same_object(left, right) != bool(in.arg)));
      return;
    case Opcode::ContainsOp:
      frame.push(boolean(contains(right, left) != bool(in.arg)));
      return;
    case Opcode::BinarySubscr:
      frame.push(subscript(left, right));
      return;
    default:
      break_here(BreakId::unsupported_opcode, bytecode::name(in.op));
  }
}

void Executor::do_jump(Frame& frame, const Instruction& in) {
  bool jump = true;
  switch (in.op) {
    case Opcode::Jump:
      break;
    case Opcode::PopJumpIfTrue:
      jump = truth(frame.pop());
      break;
    case Opcode::PopJumpIfFalse:
      jump = !truth(frame.pop());
      break;
    case Opcode::PopJumpIfNone:
      jump = is_none(frame.pop());
      break;
    case Opcode::PopJumpIfNotNone:
      jump = !is_none(frame.pop());
      break;
    case Opcode::JumpIfTrueOrPop:
    case Opcode::JumpIfFalseOrPop:
      jump = truth(frame.peek(1)) == (in.op == Opcode::JumpIfTrueOrPop);
      if (!jump) frame.pop();
      break;
    default:
      break_here(BreakId::unsupported_opcode, bytecode::name(in.op));
  }
  if (jump) take_jump(frame, in.target);
}

/// `var is None`, guarded either way.
bool Executor::is_none(Var* var) { return same_object(var, none()); }

void Executor::take_jump(Frame& frame, int target) {
  bool backward = target <= frame.pc;
  frame.next = target;
  if (!backward || ++frame.back_edges[target] < request_.options.loop_iterations) return;
  if (&frame != root_) break_here(BreakId::long_loop, "a loop of many iterations in an inlined function");
  throw LoopCut{target};
}

void Executor::do_iteration(Frame& frame, const Instruction& in) {
  if (in.op == Opcode::GetIter) {
    Var* iterable = frame.pop();
    frame.push(get_iterator(iterable));
    return;
  }
  Var* item = next(frame.peek(1));
  if (item) {
    frame.push(item);
    return;
  }
  frame.pop();
  frame.next = in.target;
}

void Executor::do_function(Frame& frame, const Instruction& in) {
  if (in.op == Opcode::SetFunctionAttribute) {
    FunctionVar* function = expect<FunctionVar>(frame.pop());
    set_function_part(function, in.arg, frame.pop());
    frame.push(function);
    return;
  }
  FunctionVar* function = make<FunctionVar>();
  function->code = PyRef::borrow(as_constant(frame.pop()));
  function->qualified_name =
      PyRef::borrow(reinterpret_cast<PyCodeObject*>(function->code.get())->co_qualname);
  function->globals = frame.globals;
  for (int flag : {8, 4, 2, 1})
    if (in.arg & flag) set_function_part(function, flag, frame.pop());
  frame.push(function);
}

/// `flag`: 1 defaults, 2 keyword defaults, 4 annotations, 8 closure.
void Executor::set_function_part(FunctionVar* function, int flag, Var* value) {
  switch (flag) {
    case 1:
      function->defaults = iterate_all(value);
      return;
    case 2:
      function->kw_defaults = value;
      return;
    case 4:
      function->annotations = value;
      return;
    case 8:
      function->closure = iterate_all(value);
      return;
    default:
      break_here(BreakId::unsupported_opcode, "a part of a function");
  }
}

}  // namespace framejit::symbolic
