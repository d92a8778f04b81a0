#include "eager/op.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "eager/error.h"
#include "eager/extension.h"
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
      for (; entry->op; ++entry) {
        // Kernels of halves are for plain memory alone, see cpu/loops/pointwise.cc.
        if (entry->dtype == DType::float16 || entry->dtype == DType::bfloat16) continue;
        find(entry->op)->tiles[size_t(entry->dtype)] = {&entry->kernel, entry->dtype};
      }
    for (Op& op : ops_) borrow_tiles(op);
    for (Op& op : ops_)
      if (op.functional) op.tiles = op.functional->tiles;
  }

  std::span<const Op> ops() const { return ops_; }
  /// None of an op registered at run time: its meta function is the user's, over symbolic sizes.
  uint64_t fixed_ints(const Op& op) const { return op.id < fixed_ints_.size() ? fixed_ints_[op.id] : 0; }
  Op* find(std::string_view full_name) {
    std::shared_lock lock(mutex_);
    auto found = by_name_.find(std::string(full_name));
    return found == by_name_.end() ? nullptr : found->second;
  }
  std::span<const Op* const> overloads(std::string_view name) const {
    std::shared_lock lock(mutex_);
    auto found = overloads_.find(std::string(name));
    if (found == overloads_.end()) return {};
    return found->second;
  }

  Op& add_at_run_time(Op op) {
    std::unique_lock lock(mutex_);
    complete(op);
    FRAMEJIT_CHECK(!by_name_.contains(op.full_name), "an op called '", op.full_name, "' is there already");
    added_.push_back(std::move(op));
    Op& added = added_.back();
    by_name_[added.full_name] = &added;
    overloads_[added.schema.name].push_back(&added);
    return added;
  }
  void remove(const Op& op) {
    std::unique_lock lock(mutex_);
    FRAMEJIT_INTERNAL(op.extension, op.full_name);
    auto named = by_name_.find(op.full_name);
    if (named != by_name_.end() && named->second == &op) by_name_.erase(named);
    std::erase(overloads_[op.schema.name], &op);
  }

 private:
  static void borrow_tiles(Op& op) {
    for (int i = 0; i < kDTypeCount; ++i)
      if (!op.tiles[size_t(i)]) op.tiles[size_t(i)] = op.tiles[size_t(wider_type(DType(i)))];
  }

  Op& add(Op op) {
    complete(op);
    ops_.push_back(std::move(op));
    return ops_.back();
  }

  /// What follows from the schema.
  void complete(Op& op) const {
    op.id = uint16_t(ops_.size() + added_.size());
    op.full_name = op.schema.name + (op.schema.overload.empty() ? "" : "." + op.schema.overload);
    op.tensor_args = 0;
    for (size_t i = 0; i < op.schema.args.size(); ++i) {
      if (holds_tensors(op.schema.args[i].type)) op.tensor_args |= uint64_t(1) << i;
      if (op.schema.args[i].mutated) op.mutated = int(i);
    }
  }

  static Op make(const RowSpec& row) {
    Op op;
    op.schema = Schema::parse(row.schema);
    op.kind = row.kind;
    op.dtype_rule = row.dtype_rule;
    op.autocast = row.autocast;
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
    op.analytic = row.analytic;
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
    op.autocast = AutocastRule::none;
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
    op.autocast = AutocastRule::none;
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

  mutable std::shared_mutex mutex_;
  std::vector<Op> ops_;
  std::vector<uint64_t> fixed_ints_;  ///< by id
  std::deque<Op> added_;              // at run time; addresses are kept
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
Op& register_op(Op op) { return registry().add_at_run_time(std::move(op)); }
void unregister_op(const Op& op) { registry().remove(op); }
const Op& get_op(std::string_view full_name) {
  const Op* op = find_op(full_name);
  FRAMEJIT_INTERNAL(op, "no op is called ", full_name);
  return *op;
}

}  // namespace framejit::eager
