// Making one trace for a live frame and putting it into its entry point.
#pragma once

#include "eval_frame/cache.h"
#include "eval_frame/live_frame.h"

namespace framejit::eval_frame {

guards::FrameValues values_of(LiveFrame& live);

/// The new trace, already in the cache; or null: with a Python exception set (fullgraph, or a backend raised), or
/// without one (the entry point is closed: run eager). `missed`: the guards of the traces that were there did not hold.
std::shared_ptr<const CachedTrace> make_trace(LiveFrame& live, CodeCache& cache, EntryPoint& entry,
                                              Compilation& compilation);

}  // namespace framejit::eval_frame
