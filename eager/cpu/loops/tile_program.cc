#include "eager/cpu/loops/tile_program.h"

#include <algorithm>
#include <numeric>

#include "eager/cpu/loops/loop_kernels.h"

namespace framejit::eager::cpu {

using Kind = Instruction::Kind;

namespace {

std::vector<int> count_uses(const std::vector<Instruction>& code) {
  std::vector<int> uses(code.size());
  for (const Instruction& instruction : code)
    for (int k = 0; k < instruction.in_count; ++k) ++uses[size_t(instruction.in[size_t(k)])];
  return uses;
}

// A product that is only added to something is one pass over the tile together with the sum: `addcmul` rounds
// it as `mul` does. Pointwise programs are left alone: on a few elements they run faster without
// (run_small.cc).
void join_multiply_adds(std::vector<Instruction>& code) {
  static const Op &mul = get_op("mul"), &add = get_op("add"), &addcmul = get_op("addcmul");
  const std::vector<int> uses = count_uses(code);
  for (Instruction& sum : code) {
    if (sum.kind != Kind::apply || sum.extent != Extent::full || !is_floating(sum.dtype)) continue;
    const size_t dtype = size_t(sum.dtype);
    bool plain = sum.params[0] == 1 && sum.param_slots[0] < 0;
    if (sum.kernel != add.tiles[dtype].kernel || !plain) continue;
    for (size_t side : {0, 1}) {
      Instruction& product = code[size_t(sum.in[side])];
      bool joins = product.kind == Kind::apply && product.kernel == mul.tiles[dtype].kernel &&
                   uses[size_t(sum.in[side])] == 1;
      const int other = sum.in[1 - side];
      for (int value : {product.in[0], product.in[1], other})
        joins = joins && code[size_t(value)].extent == Extent::full;
      if (!joins) continue;
      sum.kernel = addcmul.tiles[dtype].kernel;
      sum.in = {other, product.in[0], product.in[1]};
      sum.in_count = 3;
      product.kind = Kind::none;
      product.in_count = 0;
      break;
    }
  }
}

}  // namespace

Number to_number(const Value& value) {
  Number number;
  switch (value.tag()) {
    case Value::Tag::complex:
      number.dtype = DType::complex128;
      number.parts[0] = value.complex().real();
      number.parts[1] = value.complex().imag();
      break;
    case Value::Tag::real:
      number.dtype = DType::float64;
      number.real = value.real();
      break;
    case Value::Tag::boolean:
      number.dtype = DType::bool_;
      number.boolean = value.boolean();
      break;
    default:
      number.dtype = DType::int64;
      number.integer = value.integer();
  }
  return number;
}

int Program::input(DType dtype, Extent extent) {
  operands_.push_back({dtype, false, extent});
  return int(operands_.size()) - 1;
}

int Program::output(DType dtype, Extent extent) {
  operands_.push_back({dtype, true, extent});
  return int(operands_.size()) - 1;
}

int Program::add(Instruction instruction) {
  code_.push_back(instruction);
  return int(code_.size()) - 1;
}

int Program::load(int slot, DType as) {
  return add({.kind = Kind::load, .dtype = as, .extent = operands_[size_t(slot)].extent, .slot = slot});
}

int Program::number(int slot, DType as) {
  return add({.kind = Kind::number, .dtype = as, .extent = Extent::uniform, .slot = slot});
}

int Program::cast(int value, DType to) {
  const Instruction& from = code_[size_t(value)];
  if (from.dtype == to) return value;
  // What lies in memory as it is loaded can be loaded as the other type at once.
  if (from.kind == Kind::load && operands_[size_t(from.slot)].dtype == from.dtype) return load(from.slot, to);
  return add({.kind = Kind::cast, .dtype = to, .extent = from.extent, .in_count = 1, .in = {value}});
}

int Program::apply(const TileCall& call, const std::array<int, kMaxOperands>& in, int param_numbers) {
  Instruction instruction{.kind = Kind::apply, .dtype = call.result, .extent = Extent::uniform};
  instruction.kernel = call.kernel;
  instruction.in_count = call.operand_count;
  for (int i = 0; i < call.operand_count; ++i) {
    instruction.in[size_t(i)] = cast(in[size_t(i)], call.operand);
    instruction.extent = std::max(instruction.extent, code_[size_t(instruction.in[size_t(i)])].extent);
  }
  if (call.params) std::copy_n(call.params, call.param_count, instruction.params.begin());
  std::iota(instruction.param_slots.begin(), instruction.param_slots.begin() + param_numbers, 0);
  return cast(add(instruction), call.rounded);
}

int Program::reduce(ReduceKind kind, int value) {
  // What does not vary along the row is still taken once for each of its elements.
  if (code_[size_t(value)].extent != Extent::full)
    value = add({.kind = Kind::cast,
                 .dtype = code_[size_t(value)].dtype,
                 .extent = Extent::full,
                 .in_count = 1,
                 .in = {value}});
  ++reductions_;
  Instruction instruction{.kind = Kind::reduce,
                          .dtype = reduce_result_dtype(kind, code_[size_t(value)].dtype),
                          .extent = Extent::row,
                          .in_count = 1,
                          .in = {value}};
  instruction.reduce = kind;
  instruction.slot = reductions_ - 1;
  return add(instruction);
}

void Program::store(int value, int slot) {
  add({.kind = Kind::store,
       .dtype = operands_[size_t(slot)].dtype,
       .extent = operands_[size_t(slot)].extent,
       .slot = slot,
       .in_count = 1,
       .in = {value}});
}

void Program::set_param_slot(int value, int param, int number_slot) {
  Instruction* instruction = &code_[size_t(value)];
  if (instruction->kind == Kind::cast) instruction = &code_[size_t(instruction->in[0])];
  instruction->param_slots[size_t(param)] = number_slot;
}

void Program::finish() {
  if (reductions_ > 0) {
    take_products();
    join_multiply_adds(code_);
  }
  find_phases();
  list_phases();
  find_uses();
  assign_buffers();
}

// The sum of a product needs no tile for the product.
void Program::take_products() {
  static const Op &mul = get_op("mul"), &square = get_op("square");
  const std::vector<int> uses = count_uses(code_);
  for (Instruction& sum : code_) {
    if (sum.kind != Kind::reduce || (sum.reduce != ReduceKind::sum && sum.reduce != ReduceKind::mean))
      continue;
    Instruction& product = code_[size_t(sum.in[0])];
    size_t dtype = size_t(product.dtype);
    bool multiplies = product.kernel && (product.kernel == mul.tiles[dtype].kernel ||
                                         product.kernel == square.tiles[dtype].kernel);
    bool full = code_[size_t(product.in[0])].extent == Extent::full &&
                code_[size_t(product.in[size_t(std::max(0, product.in_count - 1))])].extent == Extent::full;
    if (!multiplies || !full || !is_floating(product.dtype) || uses[size_t(sum.in[0])] != 1) continue;
    sum.in = {product.in[0], product.in[size_t(product.in_count - 1)]};
    sum.in_count = 2;
    product.kind = Kind::none;
    product.in_count = 0;
  }
}

// Phase of a full value: the pass that computes it. Phase of a row value: the pass after which it is there,
// -1 when it needs none.
void Program::find_phases() {
  phases_.resize(1);
  for (Instruction& instruction : code_) {
    bool in_pass = instruction.extent == Extent::full || instruction.kind == Kind::reduce;
    instruction.phase = in_pass ? 0 : -1;
    for (int i = 0; i < instruction.in_count; ++i) {
      const Instruction& in = code_[size_t(instruction.in[size_t(i)])];
      bool waits = instruction.extent == Extent::full && in.extent == Extent::row;
      instruction.phase = std::max(instruction.phase, in.phase + (waits ? 1 : 0));
    }
    if (in_pass && size_t(instruction.phase) >= phases_.size()) phases_.resize(size_t(instruction.phase) + 1);
  }
}

void Program::list_phases() {
  for (size_t phase = 0; phase < phases_.size(); ++phase) {
    std::vector<bool> wanted(code_.size());
    for (size_t i = code_.size(); i-- > 0;) {
      const Instruction& instruction = code_[i];
      bool here = instruction.phase == int(phase) && instruction.kind != Kind::none &&
                  (instruction.extent == Extent::full || instruction.kind == Kind::reduce);
      if (!here) continue;
      if (instruction.kind != Kind::load) wanted[i] = true;
      for (int k = 0; k < instruction.in_count; ++k) {
        size_t in = size_t(instruction.in[size_t(k)]);
        if (code_[in].kind == Kind::load && code_[in].extent == Extent::full) wanted[in] = true;
      }
    }
    auto append = [&](bool stores) {
      for (size_t i = 0; i < code_.size(); ++i)
        if (wanted[i] && (code_[i].kind == Kind::store) == stores) phases_[phase].push_back(int(i));
    };
    append(false);
    append(true);
  }
  row_code_.resize(phases_.size() + 1);
  for (size_t i = 0; i < code_.size(); ++i)
    if (code_[i].extent == Extent::row) row_code_[size_t(code_[i].phase + 1)].push_back(int(i));
}

void Program::find_uses() {
  for (size_t i = 0; i < code_.size(); ++i) {
    const Instruction& user = code_[i];
    for (int k = 0; k < user.in_count; ++k) {
      Instruction& value = code_[size_t(user.in[size_t(k)])];
      value.last_use = int(i);
      if (user.extent == Extent::full && value.extent == Extent::row) needs_rows_ = true;
      bool full = value.extent == Extent::full;
      if (full && user.phase > value.phase && value.kind != Kind::load) value.row_lived = true;
      bool plain_store = user.kind == Kind::store && user.extent == Extent::full && user.dtype == value.dtype;
      if (full && plain_store && value.kind == Kind::apply && value.stored_to < 0)
        value.stored_to = user.slot;
    }
  }
}

// A linear scan in order of execution. A kernel may write over an operand that it reads for the last time
// when both have elements of one size.
void Program::assign_buffers() {
  std::vector<int> free_buffers;
  std::vector<int> remaining(code_.size());
  for (const auto& phase : phases_)
    for (int i : phase)
      for (int k = 0; k < code_[size_t(i)].in_count; ++k) ++remaining[size_t(code_[size_t(i)].in[size_t(k)])];

  for (const auto& phase : phases_) {
    for (int i : phase) {
      Instruction& instruction = code_[size_t(i)];
      bool makes =
          instruction.kind == Kind::load || instruction.kind == Kind::apply || instruction.kind == Kind::cast;
      if (makes) widest_item_ = std::max(widest_item_, int64_t(item_size(instruction.dtype)));
      std::vector<int> dying;
      for (int k = 0; k < instruction.in_count; ++k) {
        size_t in = size_t(instruction.in[size_t(k)]);
        const Instruction& value = code_[in];
        if (--remaining[in] > 0 || value.buffer < 0 || value.row_lived) continue;
        bool in_place =
            instruction.kind == Kind::apply && item_size(value.dtype) == item_size(instruction.dtype);
        (in_place ? free_buffers : dying).push_back(value.buffer);
      }
      if (makes && instruction.buffer < 0) {
        if (instruction.row_lived) {
          instruction.buffer = row_buffers_++;
        } else if (free_buffers.empty()) {
          instruction.buffer = tile_buffers_++;
        } else {
          instruction.buffer = free_buffers.back();
          free_buffers.pop_back();
        }
      }
      free_buffers.insert(free_buffers.end(), dying.begin(), dying.end());
    }
  }
}

std::string Program::str() const {
  static constexpr const char* kKinds[] = {"load", "number", "apply", "cast", "reduce", "store", "none"};
  static constexpr const char* kExtents[] = {"uniform", "row", "full"};
  std::string text;
  for (size_t i = 0; i < code_.size(); ++i) {
    const Instruction& instruction = code_[i];
    text += concat("%", i, " = ", kKinds[int(instruction.kind)], ".", dtype_name(instruction.dtype));
    if (instruction.slot >= 0) text += concat(" #", instruction.slot);
    for (int k = 0; k < instruction.in_count; ++k) text += concat(" %", instruction.in[size_t(k)]);
    text += concat("  (", kExtents[int(instruction.extent)], ", phase ", instruction.phase);
    if (instruction.buffer >= 0)
      text += concat(instruction.row_lived ? ", row buffer " : ", buffer ", instruction.buffer);
    text += ")\n";
  }
  return text;
}

}  // namespace framejit::eager::cpu
