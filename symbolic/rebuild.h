// The end of a trace: the epilogue that makes live objects again and replays effects, and the finished Trace.
#pragma once

#include <unordered_map>
#include <vector>

#include "symbolic/executor.h"

namespace framejit::symbolic {

class Rebuilder {
 public:
  Rebuilder(Executor& executor, Trace& trace) : executor_(executor), trace_(trace) {}

  void effects();      ///< in program order
  void frame(int pc);  ///< the locals that are live at `pc`, and the stack
  Reg reg(Var* var);   ///< where the epilogue has the object; made once
  void finish();       ///< graph, guards, final register numbers

 private:
  Reg make(Var* var);
  Reg make_object(ObjectVar* object);
  Reg make_number(NumberVar* number);
  Reg make_tensor(TensorVar* tensor);
  Reg make_tuple(TupleVar* tuple);
  Reg make_list(ListVar* list);
  Reg make_dict(DictVar* dict);
  Reg make_function(FunctionVar* function);
  Reg make_cell(CellVar* cell);
  Reg make_method(MethodVar* method);
  Reg make_iterator(IteratorVar* iterator);
  Reg make_partial(PartialVar* partial);
  Reg make_exception(ExceptionVar* exception);

  Reg emit(StepOp op, std::vector<Reg> operands, int32_t aux = 0, bool result = true);
  Reg constant(PyObject* borrowed);
  Reg builtin(const char* name);  ///< of the builtins module
  Reg get_attribute(Reg owner, const char* name);
  Reg graph_result(eager::Value value);
  std::vector<Reg> regs(const std::vector<Var*>& vars);
  void fill_pending();
  void fill(Var* var);
  Reg filled(Var* var);
  void finish_graph();
  void drop_unused_steps();
  void guard_separate();
  void renumber();

  Executor& executor_;
  Trace& trace_;
  std::unordered_map<Var*, Reg> made_;
  std::vector<Var*> pending_;  ///< new containers that exist but are not filled yet
  int depth_ = 0;              ///< of calls of reg()
  std::vector<eager::Value> results_;
};

}  // namespace framejit::symbolic
