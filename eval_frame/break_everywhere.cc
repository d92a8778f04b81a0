#include "eval_frame/break_everywhere.h"

#include "guards/guard.h"

namespace framejit::eval_frame {

std::unique_ptr<symbolic::Trace> trace_nothing(const symbolic::TraceRequest& request) {
  auto trace = std::make_unique<symbolic::Trace>();
  guards::ProgramBuilder builder;
  PyObject* const* stack = request.localsplus + request.code->co_nlocalsplus;
  for (int i = 0; i < request.stack_depth; ++i) {
    const guards::Source* source = builder.sources().stack(i);
    if (!stack[i]) builder.absent(source);
    trace->stack.push_back(stack[i] ? builder.slot(source) : symbolic::kNoReg);
  }
  trace->guards = builder.finish();
  trace->slot_count = trace->register_count = trace->guards->slot_count();
  trace->end.kind = symbolic::EndKind::graph_break;
  trace->end.pc = request.entry_pc;
  trace->end.record.reported = false;
  return trace;
}

}  // namespace framejit::eval_frame
