// Sums of rows of a table, bag by bag: for what needs no gradient.
#pragma once

#include <optional>

#include "eager/tensor.h"

namespace framejit::eager::cpu {

/// The sum of each bag's rows of `table`, or their mean. A bag is a row of `indices`; or, where there are `offsets`, reaches
/// from one of them to the next. Rows `padding` do not count. None for what the loops here do not take: tables that are not
/// contiguous float32, and indices or offsets that are wrong.
std::optional<Tensor> sums_of_bags(const Tensor& indices, const Tensor& table, const Tensor& offsets,
                                   bool include_last, bool mean, std::optional<int64_t> padding);

}  // namespace framejit::eager::cpu
