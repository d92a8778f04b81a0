// The rows of a table that bags name, as the ops of embedding.toml that add them up take them.
#pragma once

#include <optional>

#include "eager/tensor.h"

namespace framejit::eager::cpu {

struct Bags {
  Tensor indices;  ///< rows of the table, bag after bag
  Tensor limits;   ///< where each bag begins in them, and where the last one ends
};

/// A bag is a row of `indices`; or, where there are `offsets`, reaches from one of them to the next. Rows `padding` do not
/// count. None for what bag_sums does not take: tables that are not matrices of float32 or float64, and indices or offsets
/// that are wrong.
std::optional<Bags> find_bags(const Tensor& indices, const Tensor& table, const Tensor& offsets,
                              bool include_last, std::optional<int64_t> padding);

}  // namespace framejit::eager::cpu
