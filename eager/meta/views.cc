#include "eager/meta/views.h"

#include "eager/allocate.h"
#include "eager/error.h"
#include "eager/meta/shapes.h"
#include "eager/meta/type_names.h"

namespace framejit::eager {

namespace {

const TensorMeta& base_meta(const Value* args) { return args[0].impl()->meta; }

ViewGeometry same_as(const TensorMeta& meta) { return {meta.sizes, meta.strides, 0}; }

/// A slice's end as Python has it: negative counts from the back, then limited to [low, size].
SymInt limit_index(SymInt index, SymInt low, SymInt size) {
  if (index < 0) index = index + size;
  if (index < low) return low;
  return index > size ? size : index;
}

}  // namespace

ViewGeometry view_geometry(const Value* args) {
  const TensorMeta& meta = base_meta(args);
  Dims sizes = infer_size(args[1].dims(), numel(meta.sizes));
  std::optional<Dims> strides = view_strides(meta, sizes);
  FRAMEJIT_CHECK(
      strides,
      "view size is not compatible with input tensor's size and stride (at least one dimension spans "
      "across two contiguous subspaces). Use .reshape(...) instead.");
  return {std::move(sizes), std::move(*strides), 0};
}

ViewGeometry expand_geometry(const Value* args) {
  const TensorMeta& meta = base_meta(args);
  const Dims target = args[1].dims();
  const int added = target.size() - meta.sizes.size();
  FRAMEJIT_CHECK(added >= 0, "expand(", dtype_name(meta.dtype), "{", sizes_text(meta.sizes),
                 "}, size=", sizes_text(target), "): the number of sizes provided (", target.size(),
                 ") must be greater or equal to the number of dimensions in the tensor (", meta.sizes.size(),
                 ")");
  ViewGeometry result{target, Dims(target.size()), 0};
  for (int i = 0; i < target.size(); ++i) {
    const SymInt wanted = target.sym(i);
    const SymInt size = i < added ? SymInt(1) : meta.sizes.sym(i - added);
    const bool keep = wanted == -1;
    FRAMEJIT_CHECK(!keep || i >= added, "expand: the expanded size of the tensor (", wanted.str(),
                   ") isn't allowed in a leading, non-existing dimension ", i);
    FRAMEJIT_CHECK(keep || wanted == size || size == 1, "The expanded size of the tensor (", wanted.str(),
                   ") must match the existing size (", size.str(), ") at non-singleton dimension ", i,
                   ".  Target sizes: ", sizes_text(target), ".  Tensor sizes: ", sizes_text(meta.sizes));
    result.sizes[i] = (keep ? size : wanted).bits();
    const bool repeated = i < added || (size == 1 && !keep && !(wanted == 1));
    result.strides[i] = repeated ? 0 : meta.strides[i - added];
  }
  return result;
}

ViewGeometry permute_geometry(const Value* args) {
  const TensorMeta& meta = base_meta(args);
  const Dims dims = args[1].dims();
  const int rank = meta.sizes.size();
  FRAMEJIT_CHECK(
      dims.size() == rank,
      "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
      "desired ordering of dimensions i.e. input.dim() = ",
      rank, " is not equal to len(dims) = ", dims.size());
  ViewGeometry result{Dims(rank), Dims(rank), 0};
  uint64_t seen = 0;
  for (int i = 0; i < rank; ++i) {
    const int from = wrap_dim(dims[i], rank);
    FRAMEJIT_CHECK(!(seen >> from & 1), "permute(): duplicate dims are not allowed.");
    seen |= uint64_t(1) << from;
    result.sizes[i] = meta.sizes[from];
    result.strides[i] = meta.strides[from];
  }
  return result;
}

ViewGeometry transpose_geometry(const Value* args) {
  ViewGeometry result = same_as(base_meta(args));
  const int rank = result.sizes.size();
  const int a = wrap_dim(args[1].integer(), rank), b = wrap_dim(args[2].integer(), rank);
  if (rank == 0) return result;
  std::swap(result.sizes[a], result.sizes[b]);
  std::swap(result.strides[a], result.strides[b]);
  return result;
}

ViewGeometry unsqueeze_geometry(const Value* args) {
  ViewGeometry result = same_as(base_meta(args));
  const int rank = result.sizes.size();
  const int dim = wrap_dim(args[1].integer(), rank + 1);
  const SymInt stride = dim < rank ? result.sizes.sym(dim) * result.strides.sym(dim) : SymInt(1);
  result.sizes.insert(dim, 1);
  result.strides.insert(dim, stride.bits());
  return result;
}

ViewGeometry squeeze_geometry(const Value* args) {
  const TensorMeta& meta = base_meta(args);
  const int rank = meta.sizes.size();
  const bool none_named = !args[1].is_none() && !args[1].is_number() && args[1].dims().empty();
  const uint64_t candidates = none_named ? 0 : dim_mask(args[1], rank);
  ViewGeometry result;
  for (int i = 0; i < rank; ++i) {
    if ((candidates >> i & 1) && meta.sizes.sym(i) == 1) continue;
    result.sizes.push_back(meta.sizes[i]);
    result.strides.push_back(meta.strides[i]);
  }
  return result;
}

ViewGeometry slice_geometry(const Value* args) {
  ViewGeometry result = same_as(base_meta(args));
  const int rank = result.sizes.size();
  FRAMEJIT_CHECK(rank > 0, "slice() cannot be applied to a 0-dim tensor.");
  const int dim = wrap_dim(args[1].integer(), rank);
  const int64_t step = args[4].integer();
  FRAMEJIT_CHECK(step > 0, "slice step must be positive");
  const SymInt size = result.sizes.sym(dim);
  const SymInt start = args[2].is_none() ? SymInt(0) : limit_index(args[2].sym_int(), 0, size);
  const SymInt end = args[3].is_none() ? size : limit_index(args[3].sym_int(), start, size);
  result.offset = start * result.strides.sym(dim);
  result.sizes[dim] = (step == 1 ? end - start : floor_div(end - start + (step - 1), step)).bits();
  result.strides[dim] = (result.strides.sym(dim) * step).bits();
  return result;
}

ViewGeometry select_geometry(const Value* args) {
  ViewGeometry result = same_as(base_meta(args));
  const int rank = result.sizes.size();
  FRAMEJIT_CHECK_TYPE(rank > 0, index, "select() cannot be applied to a 0-dim tensor.");
  const int dim = wrap_dim(args[1].integer(), rank);
  const SymInt size = result.sizes.sym(dim);
  SymInt index = args[2].sym_int();
  FRAMEJIT_CHECK_TYPE(index < size && index + size >= 0, index, "select(): index ", index.str(),
                      " out of range for tensor of size ", sizes_text(result.sizes), " at dimension ", dim);
  if (index < 0) index = index + size;
  result.offset = index * result.strides.sym(dim);
  result.sizes.erase(dim);
  result.strides.erase(dim);
  return result;
}

ViewGeometry diagonal_geometry(const Value* args) {
  const TensorMeta& meta = base_meta(args);
  const int rank = meta.sizes.size();
  const int64_t offset = args[1].integer();
  const int first = wrap_dim(args[2].integer(), rank), second = wrap_dim(args[3].integer(), rank);
  FRAMEJIT_CHECK(first != second, "diagonal dimensions cannot be identical ", args[2].integer(), ", ",
                 args[3].integer());
  const SymInt rows = meta.sizes.sym(first), columns = meta.sizes.sym(second);
  SymInt length = offset >= 0 ? sym_min(rows, columns - offset) : sym_min(rows + offset, columns);
  if (length < 0) length = 0;
  ViewGeometry result;
  for (int i = 0; i < rank; ++i) {
    if (i == first || i == second) continue;
    result.sizes.push_back(meta.sizes[i]);
    result.strides.push_back(meta.strides[i]);
  }
  result.sizes.push_back(length);
  result.strides.push_back(meta.strides.sym(first) + meta.strides.sym(second));
  if (length > 0)
    result.offset = offset >= 0 ? meta.strides.sym(second) * offset : meta.strides.sym(first) * -offset;
  return result;
}

ViewGeometry unfold_geometry(const Value* args) {
  ViewGeometry result = same_as(base_meta(args));
  const int rank = result.sizes.size();
  const int dim = wrap_dim(args[1].integer(), rank);
  const int64_t length = args[2].integer(), step = args[3].integer();
  const SymInt size = rank == 0 ? SymInt(1) : result.sizes.sym(dim);
  FRAMEJIT_CHECK(length >= 0, "size is ", length, " but must be >= 0");
  FRAMEJIT_CHECK(step > 0, "step is ", step, " but must be > 0");
  FRAMEJIT_CHECK(size >= length, "maximum size for tensor at dimension ", dim, " is ", size.str(),
                 " but size is ", length);
  const SymInt stride = rank == 0 ? SymInt(1) : result.strides.sym(dim);
  if (rank > 0) {
    result.sizes[dim] = (floor_div(size - length, step) + 1).bits();
    result.strides[dim] = (stride * step).bits();
  }
  result.sizes.push_back(length);
  result.strides.push_back(stride);
  return result;
}

ViewGeometry as_strided_geometry(const Value* args) {
  const TensorImpl& base = *args[0].impl();
  ViewGeometry result{args[1].dims(), args[2].dims(), 0};
  FRAMEJIT_CHECK(result.sizes.size() == result.strides.size(), "mismatch in length of strides and shape");
  const SymInt start = args[3].is_none() ? SymInt(base.offset) : args[3].sym_int();
  result.offset = start - base.offset;
  for (int i = 0; i < result.sizes.size(); ++i) {
    FRAMEJIT_CHECK(result.strides.sym(i) >= 0,
                   "as_strided: Negative strides are not supported at the moment, got "
                   "strides: ",
                   sizes_text(result.strides));
  }
  if (!base.storage) return result;  // symbolic: there is no storage whose size could be checked
  const int64_t available = int64_t(base.storage->nbytes() / item_size(base.meta.dtype));
  int64_t last = start.expect(), way;
  bool inside = last >= 0;
  for (int i = 0; i < result.sizes.size(); ++i) {
    const int64_t size = result.sizes.sym(i).expect();
    FRAMEJIT_CHECK(size >= 0, "as_strided: got a negative size: ", sizes_text(result.sizes));
    inside = inside &&
             !__builtin_mul_overflow(std::max<int64_t>(size - 1, 0), result.strides.sym(i).expect(), &way) &&
             !__builtin_add_overflow(last, way, &last);
  }
  FRAMEJIT_CHECK(inside && (numel(result.sizes) == 0 || last < available), "setStorage: sizes ",
                 sizes_text(result.sizes), ", strides ", sizes_text(result.strides), ", storage offset ",
                 args[3].is_none() ? base.offset : args[3].integer(),
                 " are out of bounds for storage of size ", available);
  return result;
}

ViewGeometry alias_geometry(const Value* args) { return same_as(base_meta(args)); }

ViewGeometry view_as_real_geometry(const Value* args) {
  const TensorMeta& meta = base_meta(args);
  FRAMEJIT_CHECK(is_complex(meta.dtype), "view_as_real is only supported for complex tensors");
  ViewGeometry result = same_as(meta);
  for (int i = 0; i < result.strides.size(); ++i)
    result.strides[i] = (result.strides.sym(i) * SymInt(2)).bits();
  result.sizes.push_back(int64_t(2));
  result.strides.push_back(int64_t(1));
  result.dtype = real_type(meta.dtype);
  return result;
}

ViewGeometry view_as_complex_geometry(const Value* args) {
  const TensorMeta& meta = base_meta(args);
  const int rank = meta.sizes.size();
  FRAMEJIT_CHECK(meta.dtype == DType::float32 || meta.dtype == DType::float64,
                 "view_as_complex is only supported for float and double tensors, but got a tensor of scalar "
                 "type: ",
                 scalar_type_name(meta.dtype));
  FRAMEJIT_CHECK(rank > 0, "Input tensor must have one or more dimensions");
  FRAMEJIT_CHECK(meta.sizes.sym(rank - 1) == 2, "Tensor must have a last dimension of size 2");
  FRAMEJIT_CHECK(meta.strides.sym(rank - 1) == 1, "Tensor must have a last dimension with stride 1");
  ViewGeometry result;
  for (int i = 0; i + 1 < rank; ++i) {
    const SymInt half = floor_div(meta.strides.sym(i), SymInt(2));
    FRAMEJIT_CHECK(half * SymInt(2) == meta.strides.sym(i),
                   "Tensor must have a stride divisible by 2 for all but last dimension");
    result.sizes.push_back(meta.sizes[i]);
    result.strides.push_back(half.bits());
  }
  FRAMEJIT_CHECK(args[0].impl()->offset % 2 == 0, "Tensor must have a storage_offset divisible by 2");
  result.dtype = complex_type(meta.dtype);
  return result;
}

Tensor make_view(const Tensor& base, const ViewGeometry& geometry) {
  check_rank(geometry.sizes.size());
  TensorMeta meta = base.meta();
  meta.sizes = geometry.sizes;
  meta.strides = geometry.strides;
  int64_t offset = base.offset() + geometry.offset.expect();
  if (geometry.dtype) {
    offset = offset * int64_t(item_size(meta.dtype)) / int64_t(item_size(*geometry.dtype));
    meta.dtype = *geometry.dtype;
  }
  return Tensor::from_storage(base->storage, offset, std::move(meta));
}

// Each view op's meta rule and kernel, by the names that eager/ops/view.toml gives them.
#define FRAMEJIT_VIEW_OP(name)                                                       \
  void meta_##name(const Op&, const Value* args, std::vector<TensorMeta>& results) { \
    const ViewGeometry geometry = name##_geometry(args);                             \
    const TensorMeta& base = base_meta(args);                                        \
    const DType dtype = geometry.dtype.value_or(base.dtype);                         \
    results.push_back({geometry.sizes, geometry.strides, dtype, base.device});       \
  }                                                                                  \
  void name##_kernel(const Op&, const Value* args, Value* results) {                 \
    results[0] = make_view(args[0].tensor(), name##_geometry(args));                 \
  }
FRAMEJIT_VIEW_OP(view)
FRAMEJIT_VIEW_OP(expand)
FRAMEJIT_VIEW_OP(permute)
FRAMEJIT_VIEW_OP(transpose)
FRAMEJIT_VIEW_OP(unsqueeze)
FRAMEJIT_VIEW_OP(squeeze)
FRAMEJIT_VIEW_OP(slice)
FRAMEJIT_VIEW_OP(select)
FRAMEJIT_VIEW_OP(diagonal)
FRAMEJIT_VIEW_OP(unfold)
FRAMEJIT_VIEW_OP(as_strided)
FRAMEJIT_VIEW_OP(alias)
FRAMEJIT_VIEW_OP(view_as_real)
FRAMEJIT_VIEW_OP(view_as_complex)
#undef FRAMEJIT_VIEW_OP

namespace {

/// Of `view.dtype`: elements of a smaller type are more along the last dim, of a larger type fewer.
TensorMeta other_dtype_meta(const TensorMeta& base, DType dtype, SymInt* offset) {
  TensorMeta meta = base;
  meta.dtype = dtype;
  const int64_t from = int64_t(item_size(base.dtype)), to = int64_t(item_size(dtype));
  if (from == to) return meta;
  const int rank = meta.sizes.size(), last = rank - 1;
  FRAMEJIT_CHECK(rank > 0, "self.dim() cannot be 0 to view ", dtype_name(base.dtype), " as ",
                 dtype_name(dtype), " (different element sizes)");
  FRAMEJIT_CHECK(meta.strides.sym(last) == 1, "self.stride(-1) must be 1 to view ", dtype_name(base.dtype),
                 " as ", dtype_name(dtype), " (different element sizes), but got ",
                 meta.strides.sym(last).str());
  auto convert = [&](SymInt count, const char* what) {
    if (from > to) return count * (from / to);
    FRAMEJIT_CHECK(floor_mod(count, to / from) == 0, what, " must be divisible by ", to / from, " to view ",
                   dtype_name(base.dtype), " as ", dtype_name(dtype), " (different element sizes), but got ",
                   count.str());
    return floor_div(count, to / from);
  };
  meta.sizes[last] = convert(meta.sizes.sym(last), "self.size(-1)").bits();
  for (int d = 0; d < last; ++d) meta.strides[d] = convert(meta.strides.sym(d), "self.stride(d)").bits();
  *offset = convert(*offset, "self.storage_offset()");
  return meta;
}

}  // namespace

void meta_view_dtype(const Op&, const Value* args, std::vector<TensorMeta>& results) {
  SymInt offset = args[0].impl()->offset;
  results.push_back(other_dtype_meta(base_meta(args), args[1].dtype(), &offset));
}
void view_dtype_kernel(const Op&, const Value* args, Value* results) {
  SymInt offset = args[0].impl()->offset;
  TensorMeta meta = other_dtype_meta(base_meta(args), args[1].dtype(), &offset);
  results[0] = Tensor::from_storage(args[0].impl()->storage, offset.expect(), std::move(meta));
}

}  // namespace framejit::eager
