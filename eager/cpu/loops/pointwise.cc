#include "eager/cpu/loops/pointwise.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "eager/cpu/copy_bytes.h"
#include "eager/cpu/loops/nest.h"
#include "eager/cpu/loops/row_calls.h"
#include "eager/cpu/scratch.h"
#include "eager/cpu/thread_pool.h"
#include "eager/cpu/loops/tile_variant.h"
#include "eager/cpu/layout/transpose.h"
#include "eager/error.h"

namespace framejit::eager::cpu {
namespace {

/// Contiguous elements that one thread computes without asking another.
constexpr int64_t kInline = 64 * 1024;
constexpr int64_t kPiece = 32 * 1024;

/// Where fewer elements take long, a sine of each, say, two threads are better too. What they take shows in the
/// first of them: the rest is shared when it would take longer than this.
constexpr int64_t kFirst = 8 * 1024;
constexpr std::chrono::microseconds kWorthSharing(25);

bool contiguous(const Dims& sizes, const Dims& strides) {
  int64_t expected = 1;
  for (int d = sizes.size() - 1; d >= 0; --d) {
    if (sizes[d] != 1 && strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}
int64_t count(const Dims& sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  return n;
}
bool same_sizes(const Dims& a, const Dims& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

std::string supported_dtypes(const Op& op) {
  std::string names;
  for (int i = 0; i < kDTypeCount; ++i)
    if (op.tiles[size_t(i)]) names += concat(names.empty() ? "" : ", ", dtype_name(DType(i)));
  return names;
}

/// For a call on halves: the kernel that reads and writes them, converting on the way, and computes as
/// `call.kernel` does. Of it, single elements are of type `operand`. Null where the row has none.
const TileKernel* direct_kernel(const TileCall& call) {
  const auto is_half = [](DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; };
  if (!is_half(call.compute)) return nullptr;
  using Kernels = std::array<const TileKernel*, 2>;
  static const auto by_wide_kernel = [&] {
    std::unordered_map<const TileKernel*, Kernels> kernels;
    for (const TileEntry* entry : tile_tables())
      for (; entry->op; ++entry)
        if (is_half(entry->dtype))
          kernels[get_op(entry->op).tiles[size_t(entry->dtype)].kernel][entry->dtype == DType::bfloat16] =
              &entry->kernel;
    return kernels;
  }();
  auto found = by_wide_kernel.find(call.kernel);
  return found == by_wide_kernel.end() ? nullptr : found->second[call.compute == DType::bfloat16];
}

/// The kernel that computes `call` straight from memory, into a result of type `stored`.
DirectKernel choose_direct(const TileCall& call, DType stored) {
  if (const TileKernel* kernel = direct_kernel(call)) {
    if (call.rounded == stored) return {kernel, true};
  } else if (call.operand == call.compute && call.result == stored) {
    return {call.kernel, false};
  }
  return {};
}

// --- everything contiguous, or one element
// ----------------------------------------------------------------------------

struct FlatCall {
  TileFn fn;
  const void* in[kMaxOperands];
  int64_t step[kMaxOperands];  ///< bytes from one element to the next
  char* out;
  int64_t out_step;
  int64_t n;
  unsigned repeated = 0;  ///< operands of one element that the kernel has no variant for: written out
};

/// Whether the call is one loop of a tile kernel over plain memory. `cells` takes converted single elements.
bool make_flat(const TileCall& call, const DirectKernel& direct, const Operand* operands,
               const Tensor& result, Cell* cells, FlatCall& flat) {
  if (!direct.kernel) return false;
  if (!contiguous(result.sizes(), result.strides())) return false;
  unsigned mask = 0;
  for (int i = 0; i < call.operand_count; ++i) {
    const Operand& operand = operands[i];
    const DType wanted = call.compute;
    const bool converted = operand.dtype != wanted || direct.halves;
    if (!operand.sizes || (converted && count(*operand.sizes) == 1)) {
      convert_element(operand.data, operand.dtype, cells + i, call.operand);
      flat.in[i] = cells + i;
      flat.step[i] = 0;
      mask |= 1u << i;
      continue;
    }
    if (operand.dtype != wanted) return false;
    flat.in[i] = operand.data;
    flat.step[i] = int64_t(item_size(wanted));
    if (same_sizes(*operand.sizes, result.sizes())) {
      if (!contiguous(*operand.sizes, *operand.strides)) return false;
    } else if (count(*operand.sizes) == 1) {
      flat.step[i] = 0;
      mask |= 1u << i;
    } else {
      return false;
    }
  }
  flat.n = count(result.sizes());
  if (flat.n == 1 && !direct.halves) mask = 0;
  flat.fn = tile_variant(*direct.kernel, call.operand_count, mask);
  if (!flat.fn) {
    if (direct.halves) return false;
    flat.fn = direct.kernel->by_scalar_mask[0];
    flat.repeated = mask;
  }
  flat.out = static_cast<char*>(result.data());
  flat.out_step = int64_t(item_size(result.dtype()));
  return true;
}

/// Elements [first, last).
void run_part(const FlatCall& flat, int64_t first, int64_t last, int operand_count, const double* params) {
  const void* in[kMaxOperands];
  for (int i = 0; i < operand_count; ++i) in[i] = static_cast<const char*>(flat.in[i]) + first * flat.step[i];
  flat.fn(in, flat.out + first * flat.out_step, last - first, params);
}

/// A call of at most kInline elements.
void run_short(const FlatCall& flat, const TileCall& call) {
  if (flat.n <= 2 * kFirst || num_threads() == 1) return flat.fn(flat.in, flat.out, flat.n, call.params);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  run_part(flat, 0, kFirst, call.operand_count, call.params);
  const int64_t rest = (flat.n + kFirst - 1) / kFirst - 1;
  const int64_t grain = (Clock::now() - begin) * rest > kWorthSharing ? 1 : rest;
  parallel_for(rest, grain, [&](int64_t first, int64_t last) {
    run_part(flat, (first + 1) * kFirst, std::min((last + 1) * kFirst, flat.n), call.operand_count,
             call.params);
  });
}

void run_flat(FlatCall& flat, const TileCall& call) {
  const int64_t piece = flat.repeated ? kMaxTile : kPiece;
  if (flat.n <= kInline && !flat.repeated) return run_short(flat, call);
  ScratchScope scope;
  const CastFn repeat = loop_kernels().cast[size_t(call.operand)][size_t(call.operand)];
  for (int i = 0; i < call.operand_count; ++i)
    if (flat.repeated >> i & 1) {
      void* elements = Scratch::of_thread().take(kMaxTile * int64_t(item_size(call.operand)));
      repeat(flat.in[i], 0, elements, std::min(flat.n, kMaxTile));
      flat.in[i] = elements;
    }
  const int64_t grain = flat.n <= kInline ? kInline / piece : kPiece / piece;
  parallel_for((flat.n + piece - 1) / piece, grain, [&](int64_t begin, int64_t end) {
    if (!flat.repeated)
      return run_part(flat, begin * piece, std::min(end * piece, flat.n), call.operand_count, call.params);
    for (int64_t p = begin; p < end; ++p)
      run_part(flat, p * piece, std::min((p + 1) * piece, flat.n), call.operand_count, call.params);
  });
}

// --- everything else: a program of one instruction
// --------------------------------------------------------------------

/// What the program of a call depends on.
struct ProgramKey {
  const TileKernel* kernel = nullptr;  ///< null: a copy
  int operand_count = 0;
  std::array<DType, kMaxOperands> from{};  ///< types in memory
  std::array<DType, kMaxOperands> as{};    ///< types in which the operands are loaded
  DType operand{};                         ///< operand, result and rounded: as in TileCall
  DType result{};
  DType rounded{};
  DType stored{};  ///< type of the result in memory
  int param_count = 0;
  friend bool operator==(const ProgramKey&, const ProgramKey&) = default;
  size_t hash() const {
    size_t h = std::hash<const void*>()(kernel);
    for (int i = 0; i < operand_count; ++i) h = h * 31 + size_t(from[size_t(i)]) * 7 + size_t(as[size_t(i)]);
    return h * 31 + size_t(stored) * 7 + size_t(rounded);
  }
};

std::shared_ptr<const Program> make_program(const ProgramKey& key) {
  auto program = std::make_shared<Program>();
  std::array<int, kMaxOperands> values{};
  for (int i = 0; i < key.operand_count; ++i)
    values[size_t(i)] = program->load(program->input(key.from[size_t(i)]), key.as[size_t(i)]);
  int value = values[0];
  if (key.kernel) {
    TileCall call;
    call.kernel = key.kernel;
    call.operand_count = key.operand_count;
    call.operand = key.operand;
    call.result = key.result;
    call.rounded = key.rounded;
    value = program->apply(call, values, key.param_count);
  }
  program->store(value, program->output(key.stored));
  program->finish();
  return program;
}

/// The last programs of this thread: eager code calls the same few ops again and again.
std::shared_ptr<const Program> find_program(const ProgramKey& key) {
  struct Entry {
    ProgramKey key;
    std::shared_ptr<const Program> program;
  };
  // On the heap: the static TLS block, in which a loaded library's initial-exec variables must fit, is small.
  thread_local auto recent = std::make_unique<std::array<Entry, 64>>();
  Entry& entry = (*recent)[key.hash() % recent->size()];
  if (!entry.program || !(entry.key == key)) entry = {key, make_program(key)};
  return entry.program;
}

void run_nest(const ProgramKey& key, const Operand* operands, const Number* params, const Tensor& result) {
  std::shared_ptr<const Program> program = find_program(key);
  Space space;
  space.sizes = result.sizes();
  void* pointers[kMaxOperands + 1];
  for (int i = 0; i < key.operand_count; ++i) {
    space.strides.push_back(broadcast_strides(operands[i], space.sizes));
    pointers[i] = const_cast<void*>(operands[i].data);
  }
  space.strides.push_back(result.strides());
  pointers[key.operand_count] = result.data();
  run(prepare(*program, space), pointers, params);
}

/// `to = from`, converted: `n` elements side by side, or one for all.
void convert_flat(const void* from, DType from_dtype, bool single, const Tensor& to, int64_t n) {
  if (from == to.data()) return;
  const CastFn cast = loop_kernels().cast[size_t(from_dtype)][size_t(to.dtype())];
  if (single && from_dtype != to.dtype()) {
    Cell cell;
    cast(from, 0, &cell, 1);
    return convert_flat(&cell, to.dtype(), true, to, n);
  }
  const int64_t from_item = single ? 0 : int64_t(item_size(from_dtype)),
                to_item = int64_t(item_size(to.dtype()));
  const auto run = [&](int64_t begin, int64_t end) {
    const char* in = static_cast<const char*>(from) + begin * from_item;
    char* out = static_cast<char*>(to.data()) + begin * to_item;
    if (!single && from_dtype == to.dtype()) return copy_bytes(out, in, size_t((end - begin) * to_item));
    cast(in, single ? 0 : 1, out, end - begin);
  };
  // Long pieces: what would not fit into the cache is copied past it.
  n <= kInline ? run(0, n) : parallel_for(n, std::max(kPiece, n / num_threads()), run);
}

void copy_by_program(const Operand& from, const Tensor& to) {
  ProgramKey key;
  key.operand_count = 1;
  key.from[0] = from.dtype;
  key.as[0] = key.stored = to.dtype();
  run_nest(key, &from, nullptr, to);
}

/// Operands that lie along another dim than the result are first copied into its order, square by square:
/// read as the result is written, each of their cache lines would come up again and again. False, with
/// nothing done, where there are none.
bool run_turned(const TileCall& call, const Operand* operands, const Tensor& result) {
  if (!contiguous(result.sizes(), result.strides())) return false;
  Operand turned[kMaxOperands];
  std::vector<Tensor> copies;
  for (int i = 0; i < call.operand_count; ++i) {
    turned[i] = operands[i];
    if (!operands[i].sizes || !same_sizes(*operands[i].sizes, result.sizes())) continue;
    const Tensor copy = Tensor::empty(result.sizes(), operands[i].dtype);
    if (!copy_transposed(operands[i], copy)) continue;
    copies.push_back(copy);
    turned[i] = Operand(copies.back());
  }
  if (copies.empty()) return false;
  run_pointwise(call, turned, result);
  return true;
}

}  // namespace

TileCall tile_call(const Op& op, DType compute, DType result) {
  const TileChoice& tile = op.tiles[size_t(compute)];
  FRAMEJIT_CHECK_TYPE(tile, not_implemented, "\"", op.schema.name, "\" not implemented for '",
                      dtype_name(compute), "' on cpu; it exists for ", supported_dtypes(op));
  TileCall call;
  call.kernel = tile.kernel;
  call.operand_count = op.operand_count;
  call.compute = compute;
  call.operand = tile.dtype;
  call.rounded = result;
  if (result == compute)
    call.result = tile.dtype;
  else
    call.result = is_complex(compute) && is_floating(result) ? real_type(tile.dtype) : result;
  return call;
}

void run_pointwise(const TileCall& call, const Operand* operands, const Tensor& result) {
  FlatCall flat;
  Cell cells[kMaxOperands];
  const DirectKernel direct = choose_direct(call, result.dtype());
  if (make_flat(call, direct, operands, result, cells, flat)) return run_flat(flat, call);
  if (count(result.sizes()) == 0) return;
  if (run_rows(call, direct, operands, result)) return;
  if (run_turned(call, operands, result)) return;
  ProgramKey key{call.kernel, call.operand_count};
  for (int i = 0; i < call.operand_count; ++i) {
    key.from[size_t(i)] = operands[i].dtype;
    key.as[size_t(i)] = operands[i].sizes ? call.compute : call.operand;
  }
  key.operand = call.operand;
  key.result = call.result;
  key.rounded = call.rounded;
  key.stored = result.dtype();
  key.param_count = call.params ? call.param_count : 0;
  Number params[4];
  for (int i = 0; i < key.param_count; ++i) params[i].real = call.params[i];
  run_nest(key, operands, params, result);
}

/// Whether all elements are one in memory.
static bool is_one_number(const Tensor& tensor) {
  for (int d = 0; d < tensor.dim(); ++d)
    if (tensor.strides()[d] != 0 && tensor.sizes()[d] != 1) return false;
  return true;
}

void copy_elements(const Tensor& from, const Tensor& to) {
  if (same_sizes(from.sizes(), to.sizes()) && contiguous(from.sizes(), from.strides()) &&
      contiguous(to.sizes(), to.strides()))
    return convert_flat(from.data(), from.dtype(), false, to, count(to.sizes()));
  if (is_one_number(from)) return fill_elements(to, from.data(), from.dtype());
  const Operand operand(from);
  if (copy_runs(operand, to) || copy_repeats(operand, to) || copy_transposed(operand, to) ||
      copy_strided(operand, to))
    return;
  copy_by_program(operand, to);
}

void fill_elements(const Tensor& to, const void* value, DType dtype) {
  if (contiguous(to.sizes(), to.strides())) return convert_flat(value, dtype, true, to, count(to.sizes()));
  copy_by_program(Operand(value, dtype), to);
}

}  // namespace framejit::eager::cpu
