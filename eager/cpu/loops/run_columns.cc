// Reductions over outer dims. Rows are taken in one after the other, each column has a running result of its
// own. The rows are cut into blocks (by shape alone) that run in parallel and are merged in order.
//
// Short rows are laid side by side, several to a tile: a *stripe*. Its running results are folded at the end.
#include <algorithm>
#include <numeric>

#include "eager/cpu/loops/run_modes.h"
#include "eager/cpu/thread_pool.h"

namespace framejit::eager::cpu {
namespace {

/// About how many elements a block of rows has.
constexpr int64_t kBlockElements = 128 * 1024;

/// As many stripes at least, where there are the rows: what is done once for each place of a stripe costs something
/// too.
constexpr int64_t kStripes = 16;
/// Elements whose running results stay in registers: preferred for stripes, and possible for rows.
constexpr int64_t kShortStripe = 128, kShortRow = 256;
/// Elements that every tile of a program with reductions has room for.
constexpr int64_t kLongStripe = kReduceChunk;
/// Stripes had best be whole vectors of floats.
constexpr int64_t kWhole = 16;

/// Rows of a stripe. The order of additions is that of the shape alone, hence the same in every program.
int64_t rows_of_stripe(int64_t rows, int64_t columns) {
  if (columns == 0 || columns > kLongStripe || (columns > kShortStripe && columns <= kShortRow)) return 1;
  const int64_t unit = kWhole / std::gcd(columns, kWhole);  // as many make whole vectors
  const int64_t short_rows = kShortStripe / columns;
  const int64_t most = short_rows >= unit ? short_rows : kLongStripe / columns;
  const int64_t fold = std::max<int64_t>(1, std::min(most, rows / kStripes));
  return fold < unit ? fold : fold / unit * unit;
}

bool finds_index(ReduceKind kind) { return kind == ReduceKind::argmax || kind == ReduceKind::argmin; }

class ColumnPlan {
 public:
  explicit ColumnPlan(const Nest& nest)
      : nest(nest),
        fold(rows_of_stripe(nest.rows, nest.columns)),
        stripes_per_tile(std::max<int64_t>(1, nest.tile / std::max<int64_t>(1, fold * nest.columns))),
        column_tiles((nest.columns + nest.tile - 1) / nest.tile),
        reducers(row_reducers(nest)) {
    int64_t stripes =
        std::max<int64_t>(kColumnFlush, kBlockElements / std::max<int64_t>(nest.columns * fold, 1));
    rows_per_block = (stripes + kColumnFlush - 1) / kColumnFlush * kColumnFlush * fold;
    row_blocks = std::max<int64_t>(1, (nest.rows + rows_per_block - 1) / rows_per_block);
    for (const Instruction& instruction : nest.program->code())
      if (instruction.kind == Instruction::Kind::reduce) indexed.push_back(finds_index(instruction.reduce));
  }
  const Nest& nest;
  int64_t fold;              ///< rows per stripe
  int64_t stripes_per_tile;  ///< of a program
  int64_t column_tiles;
  int64_t rows_per_block;
  int64_t row_blocks;
  std::vector<RowReducer> reducers;
  std::vector<bool> indexed;  ///< per reduction: argmax or argmin
  ReduceState* states = nullptr;

  /// States of reduction `k` for column 0 of a block of rows.
  ReduceState* state(int64_t k, int64_t outer, int64_t block) const {
    return states + ((k * nest.outer + outer) * row_blocks + block) * nest.columns;
  }
};

/// The running results of one thread.
struct Running {
  const ColumnReducer* reducer;
  char* accumulators;
  ReduceState* states;  ///< one per place in a stripe, or per column
  int64_t item;         ///< bytes of an element
  /// What is reduced, where it lies in memory: one operand, or two that are multiplied.
  const char* operands[2] = {};

  /// Moves the running results of a stripe into states: one per column where they can be folded at once, else
  /// one per place. Says how many. `begin`: the stripe with which they began.
  int64_t flush(int64_t places, int64_t columns, int64_t begin) const {
    if (!reducer->fold || places == columns) {
      reducer->flush(accumulators, states, places, begin);
      return places;
    }
    reducer->fold(accumulators, places / columns, columns);
    reducer->flush(accumulators, states, columns, begin);
    reducer->start(accumulators, places);
    return columns;
  }
  void take(const char* left, const char* right, int64_t stride, int64_t stripes, int64_t n,
            int64_t first) const {
    if (!right) return reducer->rows(accumulators, left, stride, stripes, n, first);
    for (int64_t s = 0; s < stripes; ++s)
      reducer->product(accumulators, left + s * stride * item, right + s * stride * item, n);
  }
};

std::vector<Running> make_running(const ColumnPlan& plan, void* const* pointers) {
  std::vector<Running> all;
  const auto& code = plan.nest.program->code();
  for (const Instruction& instruction : code) {
    if (instruction.kind != Instruction::Kind::reduce) continue;
    const DType dtype = plan.nest.reduced_dtype(instruction);
    const ColumnReducer& reducer = loop_kernels().column[size_t(instruction.reduce)][size_t(dtype)];
    all.push_back({&reducer, Scratch::of_thread().take(plan.nest.tile * reducer.accumulator_size),
                   Scratch::of_thread().take_array<ReduceState>(plan.nest.tile), int64_t(item_size(dtype))});
    for (int i = 0; plan.nest.in_memory && i < instruction.in_count; ++i)
      all.back().operands[i] =
          static_cast<const char*>(pointers[code[size_t(instruction.in[size_t(i)])].slot]);
  }
  return all;
}

/// Folds the places of a stripe onto its columns. `index` of a place counts stripes, of a column rows.
void fold_stripe(const ColumnPlan& plan, size_t k, ReduceState* places, int64_t columns, int64_t places_used,
                 ReduceState* into) {
  for (int64_t place = 0; plan.indexed[k] && place < places_used; ++place)
    if (places[place].index >= 0) places[place].index = places[place].index * plan.fold + place / columns;
  for (int64_t at = 0; at < places_used; at += columns) plan.reducers[k].merge(into, places + at, columns);
}

/// One tile of columns over one block of rows.
void run_block(const ColumnPlan& plan, TileRunner& runner, std::vector<Running>& running, int64_t outer,
               int64_t tile, int64_t block) {
  const Nest& nest = plan.nest;
  int64_t first_column = tile * nest.tile;
  int64_t columns = std::min(nest.tile, nest.columns - first_column);
  int64_t first_row = block * plan.rows_per_block;
  int64_t last_row = std::min(first_row + plan.rows_per_block, nest.rows);
  int64_t places = plan.fold > 1 ? plan.fold * nest.columns : columns;
  for (size_t k = 0; k < running.size(); ++k) {
    running[k].reducer->start(running[k].accumulators, places);
    const int64_t states = running[k].reducer->fold ? columns : places;
    std::fill_n(running[k].states, states, plan.reducers[k].start());
  }
  const int64_t stride = plan.fold * nest.columns;
  int64_t since_flush = 0, begin = first_row / plan.fold;
  for (int64_t row = first_row; row < last_row;) {
    const int64_t whole = (last_row - row) / plan.fold;
    const int64_t most = nest.in_memory ? kColumnFlush : plan.stripes_per_tile;
    const int64_t stripes = std::clamp<int64_t>(std::min(whole, most), 1, kColumnFlush - since_flush);
    const int64_t n = plan.fold > 1 ? std::min(plan.fold, last_row - row) * nest.columns : columns;
    const int64_t start = (outer * nest.rows + row) * nest.columns + first_column;
    if (nest.in_memory) {
      for (const Running& r : running)
        r.take(r.operands[0] + start * r.item, r.operands[1] ? r.operands[1] + start * r.item : nullptr,
               stride, stripes, n, since_flush);
    } else {
      runner.run_tile(0, start, 0, (stripes - 1) * stride + n,
                      [&](const Instruction& instruction, const void* const* operands) {
                        running[size_t(instruction.slot)].take(static_cast<const char*>(operands[0]),
                                                               static_cast<const char*>(operands[1]), stride,
                                                               stripes, n, since_flush);
                      });
    }
    row += stripes * plan.fold;
    since_flush += stripes;
    if (since_flush == kColumnFlush) {
      for (const Running& r : running) r.flush(places, columns, begin);
      begin += since_flush;
      since_flush = 0;
    }
  }
  for (size_t k = 0; k < running.size(); ++k) {
    const int64_t states = running[k].flush(places, columns, begin);
    ReduceState* into = plan.state(int64_t(k), outer, block) + first_column;
    std::fill_n(into, columns, plan.reducers[k].start());
    fold_stripe(plan, k, running[k].states, columns, states, into);
  }
}

/// Merges the blocks of rows of `columns` kept places from `first` on and runs what follows the reductions.
void finish_columns(const ColumnPlan& plan, TileRunner& runner, int64_t first, int64_t columns) {
  const Nest& nest = plan.nest;
  const int64_t outer = first / nest.columns, column = first % nest.columns;
  runner.begin_rows(first, columns, 1);
  runner.run_rows(-1);
  const auto& code = nest.program->code();
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].kind != Instruction::Kind::reduce) continue;
    size_t k = size_t(code[i].slot);
    ReduceState* total = plan.state(int64_t(k), outer, 0) + column;
    for (int64_t block = 1; block < plan.row_blocks; ++block)
      plan.reducers[k].merge(total, plan.state(int64_t(k), outer, block) + column, columns);
    plan.reducers[k].finish(total, columns, nest.rows, runner.row_memory(int(i)));
  }
  runner.run_rows(0);
}

/// Where there is one block of rows, the columns of all outer dims lie side by side, as do their states.
void finish(const ColumnPlan& plan, const RunInputs& inputs) {
  const Nest& nest = plan.nest;
  const bool joined = plan.row_blocks == 1;
  const int64_t parts = joined ? 1 : nest.outer, length = joined ? nest.outer * nest.columns : nest.columns;
  const int64_t tiles = (length + nest.tile - 1) / nest.tile;
  parallel_for(parts * tiles, units_per_piece(parts * tiles, plan.row_blocks * std::min(length, nest.tile)),
               [&](int64_t begin, int64_t end) {
                 ScratchScope scope;
                 TileRunner runner(inputs);
                 for (int64_t t = begin; t < end; ++t) {
                   const int64_t at = t % tiles * nest.tile;
                   finish_columns(plan, runner, t / tiles * length + at, std::min(nest.tile, length - at));
                 }
               });
}

}  // namespace

void run_columns(const RunInputs& inputs) {
  const Nest& nest = inputs.nest;
  ColumnPlan plan(nest);
  int64_t per_outer = plan.column_tiles * plan.row_blocks;
  int64_t reductions = nest.program->reductions();
  plan.states =
      Scratch::of_thread().take_array<ReduceState>(reductions * nest.outer * plan.row_blocks * nest.columns);
  int64_t unit_elements = std::min(plan.rows_per_block, nest.rows) * std::min(nest.columns, nest.tile);
  parallel_for(nest.outer * per_outer, units_per_piece(nest.outer * per_outer, unit_elements),
               [&](int64_t begin, int64_t end) {
                 ScratchScope scope;
                 TileRunner runner(inputs);
                 std::vector<Running> running = make_running(plan, inputs.pointers);
                 for (int64_t unit = begin; unit < end; ++unit)
                   run_block(plan, runner, running, unit / per_outer,
                             unit / plan.row_blocks % plan.column_tiles, unit % plan.row_blocks);
               });
  finish(plan, inputs);
}

}  // namespace framejit::eager::cpu
