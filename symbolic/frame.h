// One frame of the traced program: the root, or an inlined call.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "symbolic/bytecode/instruction.h"
#include "symbolic/value.h"

namespace framejit::symbolic {

struct Frame {
  std::shared_ptr<const bytecode::Program> program;
  FunctionVar* function = nullptr;
  DictVar* globals = nullptr;
  std::vector<Var*> locals;  ///< localsplus without the stack; NullVar: unbound
  std::vector<Var*> stack;
  std::vector<ExceptionVar*> handled;  ///< exceptions whose handlers are running, innermost last
  int pc = 0;                          ///< of the instruction that runs
  int next = 0;                        ///< of the one after it
  Frame* caller = nullptr;
  int depth = 0;                            ///< 0: the root
  std::unordered_map<int, int> back_edges;  ///< target pc -> times taken
  // Of generators.
  bool finished = false;  ///< returned or raised
  bool running = false;
  Var* yielded = nullptr;  ///< by the last run; null when it returned

  const bytecode::Instruction& instruction() const { return (*program)[pc]; }
  Var* pop() {
    Var* top = stack.back();
    stack.pop_back();
    return top;
  }
  void push(Var* var) { stack.push_back(var); }
  Var*& peek(int from_top) { return stack[stack.size() - size_t(from_top)]; }  ///< counted from 1
};

}  // namespace framejit::symbolic
