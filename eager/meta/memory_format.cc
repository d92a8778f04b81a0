#include "eager/meta/memory_format.h"

#include "eager/error.h"
#include "eager/meta/shapes.h"

namespace framejit::eager {

namespace {

/// Rank of the tensors that a format with channels last is for; 0 for row-major order.
int format_rank(const std::string& format) {
  if (format == "contiguous_format") return 0;
  if (format == "channels_last") return 4;
  if (format == "channels_last_3d") return 5;
  fail(ErrorType::runtime, "memory_format: got ", format,
       ", expected contiguous_format, channels_last or channels_last_3d");
}

}  // namespace

Dims format_strides(const Dims& sizes, const std::string& format) {
  const int rank = format_rank(format);
  if (rank == 0) return contiguous_strides(sizes);
  FRAMEJIT_CHECK(sizes.size() == rank, "required rank ", rank, " tensor to use ", format, " format");
  Dims strides(rank);
  strides[1] = 1;
  SymInt next = sizes.sym(1);
  for (int d = rank - 1; d != 1; d = d == 2 ? 0 : d - 1) {
    strides[d] = next.bits();
    if (d == 0) break;
    next = next * sizes.sym(d);
  }
  return strides;
}

bool is_in_format(const TensorMeta& meta, const std::string& format) {
  const int rank = format_rank(format);
  if (rank != 0 && meta.sizes.size() != rank) return false;
  if (numel(meta.sizes) == 0) return true;
  const Dims expected = format_strides(meta.sizes, format);
  for (int d = 0; d < meta.sizes.size(); ++d)
    if (!(meta.sizes.sym(d) == 1) && !(meta.strides.sym(d) == expected.sym(d))) return false;
  return true;
}

/// The format with channels last of tensors of this rank; null where there is none.
static const char* channels_last_of(int rank) {
  return rank == 4 ? "channels_last" : rank == 5 ? "channels_last_3d" : nullptr;
}

bool has_channels_last(const TensorMeta& meta) {
  const char* format = channels_last_of(meta.sizes.size());
  return format && !is_contiguous(meta.sizes, meta.strides) && is_in_format(meta, format);
}

TensorMeta meta_in_format_of(const TensorMeta& like, Dims sizes) {
  TensorMeta meta = contiguous_meta(std::move(sizes), like.dtype, like.device);
  if (has_channels_last(like)) meta.strides = format_strides(meta.sizes, channels_last_of(meta.sizes.size()));
  return meta;
}

}  // namespace framejit::eager
