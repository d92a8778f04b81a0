// Views in autograd. A view knows its base and the ops that lead to it. An in-place write through a view
// changes the base, so the base gets a new history (`CopySlices`), and every view of it makes its own history
// anew, by replaying its ops on the base, when next asked.
#pragma once

#include "eager/autograd/autograd_meta.h"
#include "eager/autograd/op_node.h"

namespace framejit::eager {

/// Links the results of view op `op` to their base.
void track_views(const Op& op, const Value* args, const Value* results);
/// Makes grad_fn of a view fit the current version of its base.
void refresh_view_history(const Tensor& view);
/// Raises for an in-place write, with a history, to `self` that PyTorch forbids.
void check_inplace(const Op& op, const Tensor& self);
/// After an in-place op ran on `self` (version bumped): gives it, or its base, the history `node`.
void rebase_history(const Tensor& self, const Ref<OpNode>& node);

}  // namespace framejit::eager
