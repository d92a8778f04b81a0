// Contract between the symbolic executor and the runner (eval_frame/).
//
// A trace covers the instructions from one entry point of a code object to one end. Running it means:
//   1. check `guards`; its loads fill the slots (borrowed Python objects);
//   2. `replay(trace, slots, ...)`: computes Python numbers (`prelude`), calls the graph, then makes the live
//   values and
//      replays side effects in program order (`epilogue`), and stores locals, cells and the stack into the
//      frame;
//   3. do what `end` says.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eager/value.h"
#include "graph/executable.h"
#include "symbolic/breaks.h"
#include "symbolic/front_end.h"

namespace framejit::bytecode {
class Program;
}
namespace framejit::guards {
class Program;
}

namespace framejit::symbolic {

/// Makes graphs executable: the backend, called at the end of tracing.
class GraphCompiler {
 public:
  virtual ~GraphCompiler() = default;
  /// May graphs hold rules of autograd.Functions (graph/custom_gradient.h)?
  virtual bool takes_custom_gradients() const { return true; }
  /// Null with a Python exception set when a user's backend raised.
  virtual std::shared_ptr<const graph::Executable> compile(std::unique_ptr<graph::Graph> graph) = 0;
};

struct TraceOptions {
  bool fullgraph = false;
  /// Sizes of inputs: fixed; symbolic where the request says that they varied; all symbolic.
  enum class Dynamic : uint8_t { never, automatic, always } dynamic = Dynamic::automatic;
  int inline_depth = 64;          ///< nested inlined calls
  int loop_iterations = 64;       ///< of one loop in a trace before it is cut at its back edge
  int max_instructions = 60'000;  ///< of one trace
};

/// A fact that earlier traces of this entry point relied on and that turned out to vary: do not rely on it
/// again where there is a choice. `source` is the printed form of the guards::Source.
struct Varied {
  std::string source;
  int dim = -1;  ///< of a tensor; -1: the value of a number
};

/// Everything tracing starts from. All objects are borrowed from the live frame and stay alive meanwhile.
struct TraceRequest {
  PyCodeObject* code = nullptr;
  PyFunctionObject* function = nullptr;
  PyObject* globals = nullptr;
  PyObject* builtins = nullptr;
  std::shared_ptr<const bytecode::Program> program;  ///< of `code`, decoded
  int entry_pc = 0;  ///< into `program`; 0 means function entry: before MakeCell and CopyFreeVars
  PyObject* const* localsplus =
      nullptr;  ///< locals, cells, then `stack_depth` stack entries; null entries: unbound / NULL
  int stack_depth = 0;
  TraceOptions options;
  std::vector<Varied> varied;
  const FrontEnd* front_end = nullptr;
  GraphCompiler* compiler = nullptr;
  bool (*is_disabled)(PyObject* function) = nullptr;  ///< is it marked with compiler.disable? null: none is
  /// What `callable` compiles when it is called (borrowed); null where it is no compiled function.
  PyObject* (*compiled_target)(PyObject* callable) = nullptr;
  std::string* failure = nullptr;  ///< set to the compiler's own error where that is why there is no trace
};

using Reg = uint32_t;
inline constexpr Reg kNoReg = ~Reg(0);  ///< a NULL: an unbound local, or the NULL of the call protocol

enum class StepOp : uint8_t {
#define FRAMEJIT_STEP(name, meaning) name,
#include "symbolic/steps.def"
#undef FRAMEJIT_STEP
};

/// Added to the operator of StepOp::binary: the type that the trace relied on.
inline constexpr int32_t kOperatorMask = 0xFF, kIntResult = 0x100, kFloatResult = 0x200;

/// One instruction of a prelude or epilogue. Operands are `Trace::operands[first .. first + count)`.
struct Step {
  StepOp op;
  Reg dst;  ///< kNoReg: no result
  int32_t aux;
  uint32_t first;
  uint32_t count;
};

enum class EndKind : uint8_t {
  returns,      ///< `result` is the return value
  graph_break,  ///< run the one instruction at `pc` as the interpreter, go on at the one after it
  branch,     ///< the same; `pc` asks for the truth of a tensor (ToBool, JumpIf*OrPop): both sides are entry
              ///< points
  loop_step,  ///< the same; `pc` is ForIter over a real iterator: not reported as a break
  loop_cut,   ///< nothing to run: go on at `pc`, the target of a back edge; not reported
  fallback,   ///< the interpreter runs the rest of the frame from `pc`
};

struct TraceEnd {
  EndKind kind = EndKind::fallback;
  int pc = 0;
  BreakRecord record;  ///< why; unused for `returns`
};

struct Trace {
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  std::shared_ptr<const guards::Program> guards;
  /// Registers 0 .. slot_count-1 are the guard slots; the others are made by steps and graph results.
  uint32_t slot_count = 0;
  uint32_t register_count = 0;

  std::vector<Step>
      prelude;  ///< before the graph: Python numbers and checks on them (a failing one is a guard miss)
  std::vector<Step> epilogue;  ///< after the graph: rebuild, effects
  std::vector<Reg> operands;
  std::vector<PyObject*> constants;  ///< owned

  std::shared_ptr<const graph::Executable> graph;  ///< null: no op was traced
  bool draws_random = false;                       ///< the graph takes numbers from the process's generator
  std::vector<Reg> graph_inputs;
  std::vector<Reg> graph_results;  ///< wrapped as Python objects into these registers

  struct Store {
    int index;  ///< into localsplus (locals and cells)
    Reg reg;    ///< kNoReg: unbind
  };
  std::vector<Store> stores;  ///< only what changed and is live
  uint32_t entry_depth = 0;   ///< stack entries at the entry point
  int stack_base = 0;         ///< index into localsplus of the bottom of the stack
  std::vector<Reg> stack;     ///< the whole stack after the trace, bottom first
  bool untouched = false;  ///< the trace does nothing: locals and stack stay as they are (`stack` is unused)
  Reg result = kNoReg;     ///< of `returns`
  TraceEnd end;

  int op_count = 0;        ///< nodes of the graph as traced
  std::string graph_text;  ///< as traced, for logs and reports
  const FrontEnd* front_end = nullptr;

  std::string str() const;  ///< prelude, graph, epilogue, stores and end; deterministic
};

}  // namespace framejit::symbolic
