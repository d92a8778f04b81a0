// Replaces ops by what their rows' `decompose` functions call, until none is left that has one.
#pragma once

#include <functional>
#include <memory>

#include "graph/graph.h"

namespace framejit::graph::passes {

/// `select` chooses among the ops that can be decomposed. Traces the graph again, so nodes are new ones.
FRAMEJIT_API std::unique_ptr<Graph> decompose(
    const Graph& graph,
    const std::function<bool(const eager::Op&)>& select = [](const eager::Op&) { return true; });

}  // namespace framejit::graph::passes
