// A tracer for tests: every trace is empty and ends at once, so that the runner performs every instruction
// itself. Running Python under it and comparing with plain CPython tests the decoder, the frames and the
// executor of single instructions, on every construct of the language.
#pragma once

#include "symbolic/trace.h"

namespace framejit::eval_frame {

std::unique_ptr<symbolic::Trace> trace_nothing(const symbolic::TraceRequest& request);

}  // namespace framejit::eval_frame
