// Reads what print.h writes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace framejit::graph {

/// `constants[i]` is the tensor of `constant i`. Comments (`# ...` to the end of a line) are skipped. The
/// graph gets a new ShapeEnv without hints: run it or print it; to trace it again, bind its symbols first.
/// Opaque calls cannot be read back. Raises Error(value) with the line on a malformed text.
FRAMEJIT_API std::unique_ptr<Graph> parse(const std::string& text,
                                          const std::vector<eager::Tensor>& constants = {});

}  // namespace framejit::graph
