// Putting a part of a tensor back: the inverse of a view op, in terms of pure ops.
#pragma once

#include "graph/passes/functionalize.h"

namespace framejit::graph::passes {

/// `whole` with the part that `view` shows replaced by `part`. A view that leaves elements out has a
/// counterpart of its name in the op table (`slice` has `slice_scatter`); of one that shows all elements,
/// once each, the derivative is the inverse. Raises Untraceable for others.
eager::Tensor put_back(const ViewCall& view, const eager::Tensor& whole, const eager::Tensor& part);

}  // namespace framejit::graph::passes
