// The symbolic executor: from a place in a running Python function to a Trace, and running a Trace again.
//
// Tour of symbolic/
//   symbolic.h        trace_frame() and replay(), the two entries (this file)
//   trace.h           the contract with the runner: TraceRequest, Trace, its end
//   front_end.h       what is a tensor, which callable is which op (framejit/bindings implements it)
//   breaks.def        every reason for which a trace ends early; breaks.h reads it
//   steps.def         the instructions of a trace's prelude and epilogue; replay.cc runs them
//   backends.h        from the name of a backend to something that compiles graphs
//   bytecode/         CPython's bytecode as one instruction set
//
//   value.h           Var, the abstract values: one class per kind of Python object
//   frame.h           one frame: the root, or an inlined call
//   executor.h        Executor: all that the handlers share
//   executor.cc       the loop; how a trace ends; tracing again with a cut (Restart)
//   do_*.cc           one function per class of instructions
//   make.cc           Vars of constants, new and existing objects
//   inspect.cc        type, constant value, identity, hash key of a Var: each guards what it answers
//   attribute*.cc     lookup as CPython does it: MRO, descriptors, instance dict, super, functions, methods
//   call.cc bind.cc construct.cc      calls, arguments, instances
//   builtin*.cc       models of builtins, tables of (name, function); builtins.h says how to add one;
//                     framejit/compiler/in_python.py has those that are traced as Python
//   generators.cc     suspended frames
//   containers.cc subscript.cc iterate.cc operator.cc format.cc      what operators do to each kind
//   number.cc         ints and floats that are inputs; sizes
//   tensor.cc         graph inputs, calling ops
//   custom_gradient.cc      autograd.Function
//   exceptions.cc     raise and handlers inside the trace
//   rebuild*.cc liveness.cc           the epilogue: live objects again, effects in order; then graph, guards
//
// One call, followed. trace_frame() makes an Executor, which wraps the frame's objects as Vars when they are
// first used and runs instructions over them. Whatever a handler relies on becomes a guard at that moment, by
// the source of the Var. Ops run on symbolic tensors and so record themselves into the graph. Reads of
// existing objects are remembered in their Vars, writes go to the Vars and to a log of effects. When an
// instruction cannot be traced, the trace ends before it; when that is found out too late (something has
// changed already, or an inlined callee broke), the trace is made again from the start and cut before the
// root instruction in question. At the end the Rebuilder turns live Vars and effects into steps.
//
// To add an instruction: a row in bytecode/instructions.def and a case in the do_*.cc of its class. A kind of
// value: a class in value.h, a case in Executor::type_of, and one in Rebuilder::make. A builtin: a row in one
// of the tables of builtin*.cc.
#pragma once

#include "symbolic/trace.h"

namespace framejit::symbolic {

/// Traces. Never fails for the user's code: what cannot be traced is the trace's end. Null with a Python
/// exception set only when a user's backend raised; null without one after an internal error, which has been
/// logged: run eager.
std::unique_ptr<Trace> trace_frame(const TraceRequest& request);

enum class ReplayStatus : uint8_t {
  done,
  mismatch,  ///< a check of the prelude failed; nothing has happened: treat as a guard miss
  rerun,  ///< the graph failed at run time before any effect: the interpreter runs the frame from the entry
          ///< point
  error,  ///< a Python exception is set (a user's backend raised, or an effect, such as MemoryError)
};

/// Runs a trace whose guards hold. `slots` are the guard slots. `localsplus` is the frame's array, null when
/// the trace runs without a frame (then its end is `returns`). Writes the number of stack entries, or the
/// result (new reference).
ReplayStatus replay(const Trace& trace, PyObject* const* slots, PyObject** localsplus, int* stack_depth,
                    PyObject** result);

}  // namespace framejit::symbolic
