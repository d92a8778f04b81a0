// Making one trace and putting it into its entry point.
#pragma once

#include "eval_frame/cache.h"
#include "eval_frame/live_frame.h"

namespace framejit::eval_frame {

/// Where a trace starts: the state of a live frame, or of the one that a call would have. All borrowed.
struct Place {
  PyCodeObject* code;
  std::shared_ptr<const bytecode::Program> program;
  guards::FrameValues values;
  int pc = 0;
};

guards::FrameValues values_of(LiveFrame& live);
Place place_of(LiveFrame& live);

/// Only traces; nothing is cached or counted. Null as for symbolic::trace_frame; an internal error is reported.
std::unique_ptr<symbolic::Trace> trace_at(const Place& place, const Settings& settings,
                                          const std::vector<symbolic::Varied>& varied);

/// The new trace, already in the cache; or null: with a Python exception set (fullgraph, or a backend
/// raised), or without one (the entry point is closed: run eager). Traces that are there did not fit.
std::shared_ptr<const CachedTrace> make_trace(const Place& place, CodeCache& cache, EntryPoint& entry,
                                              Compilation& compilation);

}  // namespace framejit::eval_frame
