#include "eager/op.h"

#include <unordered_map>

#include "eager/error.h"
#include "eager/fixed_ints.h"
#include "eager/meta/derived.h"
#include "eager/row_spec.h"

namespace framejit::eager {

namespace {

bool holds_tensors(ArgType type) {
  return type == ArgType::tensor || type == ArgType::optional_tensor || type == ArgType::tensor_list ||
         type == ArgType::optional_tensor_list;
}

/// All ops of the process, built once from the generated rows.
class Registry {
 public:
  Registry() {
    std::vector<RowSpec> rows = table_rows();
    ops_.reserve(rows.size() * 3);  // addresses of ops are kept: no reallocation
    for (const RowSpec& row : rows) {
      Op& op = add(make(row));
      if (row.derive_inplace) op.inplace = &add(derive_inplace(op, row.inplace_kernel));
      if (row.derive_out) add(derive_out(op));
      fixed_ints_.resize(ops_.size(), row.fixed_ints);  // derived rows add arguments at the end
    }
    for (Op& op : ops_) {
      by_name_[op.full_name] = &op;
      overloads_[op.schema.name].push_back(&op);
      for (const std::string& alias : op.aliases) overloads_[alias].push_back(&op);
    }
    for (const TileEntry* entry : tile_tables())
      for (; entry->op; ++entry) find(entry->op)->tiles[int(entry->dtype)] = &entry->kernel;
    for (Op& op : ops_)
      if (op.functional) op.tiles = op.functional->tiles;
  }

  std::span<const Op> ops() const { return ops_; }
  uint64_t fixed_ints(const Op& op) const { return fixed_ints_[op.id]; }
  Op* find(std::string_view full_name) {
    auto found = by_name_.find(std::string(full_name));
    return found == by_name_.end() ? nullptr : found->second;
  }
  std::span<const Op* const> overloads(std::string_view name) const {
    auto found = overloads_.find(std::string(name));
    if (found == overloads_.end()) return {};
    return found->second;
  }

 private:
  Op& add(Op op) {
    op.id = uint16_t(ops_.size());
    op.full_name = op.schema.name + (op.schema.overload.empty() ? "" : "." + op.schema.overload);
    op.tensor_args = 0;
    for (size_t i = 0; i < op.schema.args.size(); ++i) {
      if (holds_tensors(op.schema.args[i].type)) op.tensor_args |= uint64_t(1) << i;
      if (op.schema.args[i].mutated) op.mutated = int(i);
    }
    ops_.push_back(std::move(op));
    return ops_.back();
  }

  static Op make(const RowSpec& row) {
    Op op;
    op.schema = Schema::parse(row.schema);
    op.kind = row.kind;
    op.dtype_rule = row.dtype_rule;
    op.operand_count = row.operand_count;
    op.unpromoted = row.unpromoted;
    op.params = row.params;
    op.wraps_numbers = row.wraps_numbers;
    op.meta = row.meta;
    op.kernels[int(DeviceType::cpu)] = row.kernel;
    op.composite = row.composite;
    op.decompose = row.decompose;
    op.backward = row.backward;
    op.formulas = row.formulas;
    for (const Formula& formula : row.formulas) op.differentiable |= uint64_t(1) << formula.arg;
    op.doc = row.doc;
    op.is_function = row.is_function;
    op.is_method = row.is_method;
    op.aliases = row.aliases;
    op.python_module = row.python_module;
    return op;
  }

  /// `add_`: the same signature, with `self` written and returned.
  static Op derive_inplace(const Op& functional, KernelFn kernel) {
    Op op = functional;
    op.functional = &functional;
    op.kind = OpKind::inplace;
    op.schema.name += "_";
    op.schema.args[0].mutated = true;
    op.meta = meta_inplace;
    op.composite = op.decompose = nullptr;
    op.kernels[int(DeviceType::cpu)] = kernel ? kernel : functional.composite ? nullptr : inplace_kernel;
    op.doc = "In-place form of `" + functional.schema.name + "`.";
    op.is_function = false;
    op.is_method = true;
    for (std::string& alias : op.aliases) alias += "_";
    return op;
  }

  /// `add.out`: the same signature with a last argument `out`, which is written and returned.
  static Op derive_out(const Op& functional) {
    Op op = functional;
    op.functional = &functional;
    op.inplace = nullptr;
    op.kind = OpKind::out;
    op.schema.overload += op.schema.overload.empty() ? "out" : "_out";
    SchemaArg out;
    out.name = "out";
    out.type = ArgType::tensor;
    out.kw_only = out.mutated = true;
    op.schema.args.push_back(out);
    op.meta = meta_out;
    op.composite = op.decompose = nullptr;
    op.backward = nullptr;
    op.formulas.clear();
    op.differentiable = 0;
    op.kernels[int(DeviceType::cpu)] = out_kernel;
    op.is_method = false;
    return op;
  }

  std::vector<Op> ops_;
  std::vector<uint64_t> fixed_ints_;  ///< by id
  std::unordered_map<std::string, Op*> by_name_;
  std::unordered_map<std::string, std::vector<const Op*>> overloads_;
};

Registry& registry() {
  static Registry& instance = *new Registry;  // never destroyed: ops may be called during program exit
  return instance;
}

}  // namespace

std::span<const Op> all_ops() { return registry().ops(); }
const Op* find_op(std::string_view full_name) { return registry().find(full_name); }
uint64_t fixed_ints(const Op& op) { return registry().fixed_ints(op); }
std::span<const Op* const> find_overloads(std::string_view name) { return registry().overloads(name); }
const Op& get_op(std::string_view full_name) {
  const Op* op = find_op(full_name);
  FRAMEJIT_INTERNAL(op, "no op is called ", full_name);
  return *op;
}

}  // namespace framejit::eager
