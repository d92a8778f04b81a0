#include "eager/cpu/loops/nest.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "eager/cpu/loops/run_modes.h"

namespace framejit::eager::cpu {
namespace {

/// Rows up to this length share a tile with their neighbours. A row is then one chunk of a reduction.
constexpr int64_t kShortRow = kReduceChunk;
/// A row of this length is worth a tile of its own when some operand jumps between rows.
constexpr int64_t kLongRow = 256;
/// Elements per tile of many rows, where no tile is kept in the L1 cache.
constexpr int64_t kStreamTile = 8 * kReduceChunk;
/// Rows that take turns.
constexpr int64_t kRowsByTurns = 16;
/// Tile buffers should leave room in a 32 KiB L1 cache for the operands.
constexpr int64_t kTileBytes = 24 * 1024;

/// The operand whose memory order the loops follow: of those that match the one that varies along most dims;
/// -1: none.
int find_reference(const Program& program, const Space& space, bool written, Extent extent) {
  const auto& operands = program.operands();
  int best = -1;
  int64_t best_count = -1;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].written != written || operands[i].extent != extent) continue;
    const Dims& strides = space.strides[i];
    int64_t count = strides.size() - std::count(strides.begin(), strides.end(), 0);
    if (count > best_count) {
      best = int(i);
      best_count = count;
    }
  }
  return best;
}

/// The dims of `space` that are (not) reduced, larger than 1, outermost first by the strides of `operand`.
std::vector<int> sorted_dims(const Space& space, bool reduced, int operand, bool keep_order) {
  std::vector<int> dims;
  for (int d = 0; d < space.sizes.size(); ++d)
    if (((space.reduced >> d) & 1) == uint64_t(reduced) && space.sizes[d] != 1) dims.push_back(d);
  if (operand < 0 || keep_order) return dims;
  const Dims& strides = space.strides[size_t(operand)];
  // Insertion sort that leaves dims of stride 0 where they are.
  for (size_t i = 1; i < dims.size(); ++i)
    for (size_t j = i; j > 0; --j) {
      int64_t before = std::abs(strides[dims[j - 1]]), here = std::abs(strides[dims[j]]);
      if (before == 0 || here == 0 || before >= here) break;
      std::swap(dims[j - 1], dims[j]);
    }
  return dims;
}

bool has_index_reduction(const Program& program) {
  return std::any_of(program.code().begin(), program.code().end(), [](const Instruction& i) {
    return i.kind == Instruction::Kind::reduce &&
           (i.reduce == ReduceKind::argmax || i.reduce == ReduceKind::argmin);
  });
}

int64_t product(const Space& space, const std::vector<int>& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                         [&](int64_t n, int d) { return n * space.sizes[d]; });
}

Access access_over(const Space& space, int operand, const std::vector<int>& dims) {
  Dims sizes, strides;
  for (int d : dims) {
    sizes.push_back(space.sizes[d]);
    strides.push_back(space.strides[size_t(operand)][d]);
  }
  return merge_dims(sizes, strides);
}

int64_t choose_tile(const Program& program) {
  int64_t buffers = std::max(1, program.tile_buffers());
  int64_t least = program.reductions() ? kReduceChunk : 512;
  int64_t tile = kMaxTile;
  while (tile > least && tile * buffers * program.widest_item() > kTileBytes) tile /= 2;
  return tile;
}

/// Whether all reductions can read operands of this type without a conversion.
bool reduces_stored(const Program& program, DType stored) {
  return std::all_of(program.code().begin(), program.code().end(), [&](const Instruction& i) {
    return i.kind != Instruction::Kind::reduce ||
           (i.in_count == 1 && loop_kernels().row[size_t(i.reduce)][size_t(stored)].chunk);
  });
}

/// Whether every full value is an operand that lies in memory as it is reduced.
bool only_reduces_memory(const Program& program, const Nest& nest) {
  return std::all_of(program.code().begin(), program.code().end(), [&](const Instruction& i) {
    if (i.extent != Extent::full || i.kind == Instruction::Kind::none) return true;
    if (i.kind != Instruction::Kind::load) return false;
    const Access& access = nest.full[size_t(i.slot)];
    const DType stored = program.operands()[size_t(i.slot)].dtype;
    const bool is_half = stored == DType::float16 || stored == DType::bfloat16;
    return access.sizes.size() == 1 && access.strides[0] == 1 &&
           (stored == i.dtype || (is_half && i.dtype == DType::float32 && reduces_stored(program, stored)));
  });
}

/// Where tiles must end so that operands which jump between long rows are still read in place.
int64_t choose_boundary(const Nest& nest) {
  int64_t boundary = 0;
  for (const Access& access : nest.full) {
    if (access.sizes.size() < 2) continue;
    int64_t inner = access.sizes.back();
    boundary = boundary == 0 ? inner : std::min(boundary, inner);
  }
  return boundary >= kLongRow ? boundary : 0;
}

/// Rows whose parts lie apart, but next to the same parts of other rows, are read in the order of memory. Chunks
/// stay what they are.
void choose_turns(Nest& nest) {
  const int64_t boundary = choose_boundary(nest);
  if (boundary == 0 || boundary % kReduceChunk != 0 || nest.columns % boundary != 0) return;
  nest.boundary = boundary;
  const Program& program = *nest.program;
  nest.by_turns = boundary < nest.columns && program.phases().size() == 1 && !program.needs_rows() &&
                  program.row_code(-1).empty() &&
                  std::none_of(program.code().begin(), program.code().end(), [](const Instruction& i) {
                    return i.kind == Instruction::Kind::reduce && i.in_count > 1;
                  });
  if (nest.by_turns) nest.rows_per_block = std::clamp<int64_t>(nest.rows, 1, kRowsByTurns);
}

/// Splits kept dims into those outside and those inside of the reduced ones.
std::vector<int> take_inner(const Space& space, int reference, std::vector<int>& kept,
                            const std::vector<int>& reduced) {
  const Dims& strides = space.strides[size_t(reference)];
  int64_t least = INT64_MAX;
  for (int d : reduced)
    if (strides[d] != 0) least = std::min(least, std::abs(strides[d]));
  std::vector<int> inner;
  while (!kept.empty() && std::abs(strides[kept.back()]) < least) {
    inner.insert(inner.begin(), kept.back());
    kept.pop_back();
  }
  return inner;
}

}  // namespace

Nest prepare(const Program& program, const Space& space) {
  Nest nest;
  nest.program = &program;
  bool reduces = program.reductions() > 0;
  int read = find_reference(program, space, false, Extent::full);
  int kept_reference = find_reference(program, space, true, Extent::full);
  if (kept_reference < 0) kept_reference = reduces ? read : find_reference(program, space, true, Extent::row);
  std::vector<int> kept = sorted_dims(space, false, kept_reference, false);
  std::vector<int> reduced = sorted_dims(space, true, read, has_index_reduction(program));

  std::vector<int> inner;
  if (reduces && !program.needs_rows() && read >= 0 && !reduced.empty())
    inner = take_inner(space, read, kept, reduced);
  if (!inner.empty()) nest.mode = Nest::Mode::columns;

  std::vector<int> order = kept;
  order.insert(order.end(), reduced.begin(), reduced.end());
  order.insert(order.end(), inner.begin(), inner.end());
  std::vector<int> kept_order = kept;
  kept_order.insert(kept_order.end(), inner.begin(), inner.end());
  int count = int(program.operands().size());
  for (int i = 0; i < count; ++i) {
    bool full = program.operands()[size_t(i)].extent == Extent::full;
    nest.full.push_back(full ? access_over(space, i, order) : Access{});
    nest.kept.push_back(full ? Access{} : access_over(space, i, kept_order));
  }

  nest.tile = choose_tile(program);
  nest.in_memory = reduces && only_reduces_memory(program, nest);
  if (nest.mode == Nest::Mode::columns) {
    nest.outer = product(space, kept);
    nest.rows = product(space, reduced);
    nest.columns = product(space, inner);
  } else if (reduces) {
    nest.rows = product(space, kept);
    nest.columns = product(space, reduced);
    if (nest.in_memory) nest.tile = nest.columns <= kShortRow ? kStreamTile : kReduceBlock;
    if (nest.columns > 0 && nest.columns <= kShortRow)
      nest.rows_per_block = std::clamp<int64_t>(nest.tile / nest.columns, 1, std::max<int64_t>(nest.rows, 1));
    else
      choose_turns(nest);
  } else {
    nest.columns = product(space, order);
    nest.boundary = choose_boundary(nest);
    nest.small = is_small(nest);
  }
  return nest;
}

}  // namespace framejit::eager::cpu
