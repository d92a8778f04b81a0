// Reductions of consecutive elements of a dim, segment by segment.
#include <limits>

#include "eager/composite/support.h"
#include "eager/error.h"
#include "generated/ops/arithmetic.h"
#include "generated/ops/comparison.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "generated/ops/padding.h"
#include "generated/ops/reduction.h"
#include "generated/ops/scatter.h"
#include "generated/ops/sorting.h"
#include "generated/ops/statistics.h"
#include "generated/ops/view.h"

namespace framejit::eager {

namespace {

/// Where segments begin, and where the last one ends, from their lengths.
Tensor offsets_of(const Tensor& lengths, const Tensor& data, bool unsafe) {
  const int axis = lengths.dim() - 1;
  if (!unsafe && !lengths.is_symbolic()) {
    FRAMEJIT_CHECK(!*any(lt(lengths, 0)).data_as<bool>(),
                   "segment_reduce(): lengths contains a negative value");
    FRAMEJIT_CHECK(*all(eq(sum(lengths, one_dim(-1)), Value(data.size(axis)))).data_as<bool>(),
                   "segment_reduce(): Expected all rows of lengths to sum to data.size(", axis,
                   "), which is ", data.size(axis).str(),
                   ". Use offsets for segments that leave elements out.");
  }
  return cumsum(constant_pad_nd(lengths, {1, 0}), -1);
}

/// For each element along the last dim of `offsets` the number of its segment; that of no segment where it is
/// in none.
Tensor segment_numbers(const Tensor& offsets, const Tensor& data) {
  const int axis = offsets.dim() - 1;
  const SymInt segments = offsets.size(axis) - 1;
  Dims sizes = offsets.sizes();
  sizes[axis] = data.size(axis).bits();
  const Tensor places =
      expand(arange(Value(0), Value(data.size(axis)), Value(1), offsets.dtype(), data.device()), sizes);
  const Tensor numbers = sub(searchsorted(contiguous(offsets), contiguous(places), false, /*right=*/true), 1);
  return where(lt(numbers, 0), Value(segments), numbers);
}

/// What an empty segment is reduced to.
Value neutral(const std::string& reduce) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (reduce == "prod") return Value(1);
  if (reduce == "amax") return Value(-infinity);
  return reduce == "amin" ? Value(infinity) : Value(0);
}

/// `tensor`, of the leading dims, with dims of size 1 behind them.
Tensor with_trailing_dims(Tensor tensor, int dim) {
  while (tensor.dim() < dim) tensor = unsqueeze(tensor, -1);
  return tensor;
}

}  // namespace

/// args: data, reduce, lengths, indices, offsets, axis, unsafe, initial.
void segment_reduce_composite(const Value* args, Value* results) {
  const Tensor data = args[0].tensor();
  std::string reduce = args[1].string();
  FRAMEJIT_CHECK(args[3].is_none(), "segment_reduce(): indices are not supported. Use lengths or offsets.");
  FRAMEJIT_CHECK(!args[2].is_none() || !args[4].is_none(),
                 "segment_reduce(): Either lengths or offsets must be defined.");
  FRAMEJIT_CHECK_TYPE(is_floating(data.dtype()), not_implemented,
                      "segment_reduce(): expected data to be floating point, got ", dtype_name(data.dtype()),
                      ". Try data.float().");
  const bool mean = reduce == "mean";
  if (mean) reduce = "sum";
  if (reduce == "max" || reduce == "min") reduce = "a" + reduce;
  FRAMEJIT_CHECK(reduce == "sum" || reduce == "prod" || reduce == "amax" || reduce == "amin",
                 "segment_reduce(): reduce must be one of sum, mean, max, min or prod, got '",
                 args[1].string(), "'.");
  const Tensor given = args[args[4].is_none() ? 2 : 4].tensor();
  const int axis = wrap_dim(args[5].integer(), data.dim());
  FRAMEJIT_CHECK(axis == given.dim() - 1, "segment_reduce(): Expected axis to be the last dimension of ",
                 args[4].is_none() ? "lengths" : "offsets", ", which has ", given.dim(), " dims, but got ",
                 axis, ".");
  FRAMEJIT_CHECK_TYPE(is_integral(given.dtype(), /*include_bool=*/false), not_implemented,
                      "segment_reduce(): expected lengths and offsets to be integers, got ",
                      dtype_name(given.dtype()), ".");
  const Tensor offsets = args[4].is_none() ? offsets_of(given, data, args[6].boolean()) : given;
  const SymInt segments = offsets.size(axis) - 1;

  Dims sizes = data.sizes();
  sizes[axis] = (segments + 1).bits();  // one for elements of no segment
  const Value& initial = args[7];
  const Tensor start =
      full(sizes, initial.is_none() ? neutral(reduce) : initial, data.dtype(), data.device());
  const Tensor index = expand(with_trailing_dims(segment_numbers(offsets, data), data.dim()), data.sizes());
  Tensor result = narrow(scatter_reduce(start, axis, index, data, reduce), axis, 0, segments);
  if (mean) {
    const Tensor counts = with_trailing_dims(diff(offsets), data.dim());
    const Tensor means = div(result, to(counts, data.dtype()));
    // 0 / 0 is NaN.
    result = initial.is_none() ? means : where(eq(counts, 0), result, means);
  }
  results[0] = contiguous(result);
}

}  // namespace framejit::eager
