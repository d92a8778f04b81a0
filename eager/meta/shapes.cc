#include "eager/meta/shapes.h"

#include "eager/error.h"
#include "eager/meta/pointwise.h"

namespace framejit::eager {

int wrap_dim(int64_t dim, int rank) {
  const int limit = rank == 0 ? 1 : rank;
  if (dim < -limit || dim >= limit)
    fail(ErrorType::index, "Dimension out of range (expected to be in range of [", -limit, ", ", limit - 1,
         "], but got ", dim, ")");
  return int(dim < 0 ? dim + limit : dim);
}

uint64_t dim_mask(const Value& dims, int rank) {
  const uint64_t all = rank >= 64 ? ~uint64_t(0) : (uint64_t(1) << rank) - 1;
  if (dims.is_none()) return all;
  if (dims.is_number()) return uint64_t(1) << wrap_dim(dims.integer(), rank) & all;
  const Dims list = dims.dims();
  if (list.empty()) return all;
  uint64_t mask = 0;
  for (int64_t entry : list) {
    const int dim = wrap_dim(SymInt::from_bits(entry).expect(), rank);
    FRAMEJIT_CHECK(!(mask >> dim & 1), "dim ", dim, " appears multiple times in the list of dims");
    mask |= uint64_t(1) << dim;
  }
  return mask & all;
}

Dims reduced_sizes(const Dims& sizes, uint64_t mask, bool keepdim) {
  Dims result;
  for (int i = 0; i < sizes.size(); ++i) {
    if (!(mask >> i & 1))
      result.push_back(sizes[i]);
    else if (keepdim)
      result.push_back(int64_t(1));
  }
  return result;
}

Dims infer_size(const Dims& shape, SymInt count) {
  Dims result = shape;
  int unknown = -1;
  SymInt known = 1;
  for (int i = 0; i < shape.size(); ++i) {
    const SymInt size = shape.sym(i);
    if (size == -1) {
      FRAMEJIT_CHECK(unknown < 0, "only one dimension can be inferred");
      unknown = i;
      continue;
    }
    FRAMEJIT_CHECK(size >= 0, "invalid shape dimension ", size.str());
    known = known * size;
  }
  if (unknown >= 0 && !(known == 0)) {
    const SymInt missing = floor_div(count, known);
    if (missing * known == count) {
      result[unknown] = missing.bits();
      return result;
    }
  } else if (known == count) {
    FRAMEJIT_CHECK(unknown < 0, "cannot reshape tensor of 0 elements into shape ", sizes_text(shape),
                   " because the unspecified dimension size -1 can be any value and is ambiguous");
    return result;
  }
  fail(ErrorType::runtime, "shape '", sizes_text(shape), "' is invalid for input of size ", count.str());
}

/// Blocks of dims that lie in memory as one are handed out to the new dims, from the last to the first.
std::optional<Dims> view_strides(const TensorMeta& meta, const Dims& sizes) {
  const Dims& old_sizes = meta.sizes;
  if (is_contiguous(old_sizes, meta.strides)) return contiguous_strides(sizes);
  if (old_sizes == sizes) return meta.strides;
  if (numel(old_sizes) == 0) return contiguous_strides(sizes);

  Dims strides(sizes.size());
  int to = sizes.size() - 1;
  SymInt block = 1, covered = 1, innermost = meta.strides.sym(old_sizes.size() - 1);
  for (int from = old_sizes.size() - 1; from >= 0; --from) {
    block = block * old_sizes.sym(from);
    const bool block_ends =
        from == 0 || (!(old_sizes.sym(from - 1) == 1) && !(meta.strides.sym(from - 1) == block * innermost));
    if (!block_ends) continue;
    while (to >= 0 && (covered < block || sizes.sym(to) == 1)) {
      strides[to] = (covered * innermost).bits();
      covered = covered * sizes.sym(to);
      --to;
    }
    if (!(covered == block)) return std::nullopt;
    if (from > 0) {
      innermost = meta.strides.sym(from - 1);
      block = covered = 1;
    }
  }
  if (to >= 0) return std::nullopt;
  return strides;
}

TensorMeta contiguous_meta(Dims sizes, DType dtype, Device device) {
  TensorMeta meta;
  meta.strides = contiguous_strides(sizes);
  meta.sizes = std::move(sizes);
  meta.dtype = dtype;
  meta.device = device;
  return meta;
}

TensorMeta preserved_meta(const TensorMeta& meta) {
  TensorMeta result = meta;
  const TensorMeta* operands[] = {&meta};
  result.strides = result_strides(meta.sizes, operands);
  return result;
}

DType dtype_or(const Value& dtype, DType otherwise) { return dtype.is_none() ? otherwise : dtype.dtype(); }
Device device_or(const Value& device, Device otherwise) {
  return device.is_none() ? otherwise : device.device();
}

}  // namespace framejit::eager
