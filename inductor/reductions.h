// What the inductor knows of the reductions of the op table.
#pragma once

#include <optional>

#include "inductor/loop_ir.h"

namespace framejit::inductor {

/// How `op` combines elements, if it is one of the reductions that loops have.
std::optional<ReduceKind> reduce_kind_of(const eager::Op& op);

/// The dims that a call of a reduction reduces, as bits; its operand has `rank` dims.
uint64_t reduced_dims(const graph::Node& node, int rank);

}  // namespace framejit::inductor
