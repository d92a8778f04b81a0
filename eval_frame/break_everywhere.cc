#include "eval_frame/break_everywhere.h"

#include "guards/guard.h"

namespace framejit::eval_frame {

std::unique_ptr<symbolic::Trace> trace_nothing(const symbolic::TraceRequest& request) {
  auto trace = std::make_unique<symbolic::Trace>();
  trace->guards = guards::ProgramBuilder().finish();
  trace->untouched = true;
  trace->end.kind = symbolic::EndKind::graph_break;
  trace->end.pc = request.entry_pc;
  trace->end.record.reported = false;
  return trace;
}

}  // namespace framejit::eval_frame
