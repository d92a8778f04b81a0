// Cuts a joint graph into a forward and a backward graph. What crosses the cut is saved by the forward for
// the backward; a minimum cut chooses it, so that as few bytes as possible are kept. What is cheap (pointwise
// ops, views, creation) may be computed a second time in the backward instead; matmuls, reductions, random
// and structural ops, and pointwise ops whose derivative reads their result, are not.
#pragma once

#include <memory>
#include <vector>

#include "graph/aot/joint.h"

namespace framejit::graph::aot {

/// Where the runtime finds a saved value after the forward graph has run.
struct SavedValue {
  enum class Source : uint8_t { input, result };
  Source source;
  int index;  ///< of the forward graph
};

struct Partition {
  std::unique_ptr<Graph> forward;   ///< results: those of the joint's forward part, then further saved values
  std::unique_ptr<Graph> backward;  ///< inputs: saved values, size symbols, tangents; results: the gradients
  std::vector<SavedValue> saved;
  std::vector<int> symbols;  ///< numbers of the size symbols that the backward graph takes as ints
};

FRAMEJIT_API Partition partition(const Joint& joint);

}  // namespace framejit::graph::aot
