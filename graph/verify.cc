#include "graph/verify.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "eager/error.h"
#include "graph/print.h"
#include "graph/scalar_op.h"

namespace framejit::graph {
namespace {

using eager::ArgType;
using eager::SizeExpr;

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

  void run() {
    for (const auto& node : graph_.nodes) check(*node);
    require(graph_.result && graph_.nodes.back().get() == graph_.result, "the output node comes last");
    for (const auto& node : graph_.nodes) check_users(*node);
    check_symbol_sources();
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... rule) const {
    throw eager::InternalError(
        eager::concat("internal error: malformed graph: ", rule..., "\n", print(graph_)));
  }
  template <class... Parts>
  void require(bool condition, const Parts&... rule) const {
    if (!condition) fail(rule...);
  }

  void check(const Node& node) {
    require(names_.insert(node.name).second, "the name ", node.name, " is used twice");
    for_each_node_output(node.args, [&](const NodeOutput& ref) {
      require(seen_.count(ref.node), node.name, " uses a node that does not come before it");
      require(ref.index >= 0 && size_t(ref.index) < ref.node->meta.size(), node.name, " uses a result of ",
              ref.node->name, " that it does not have");
      auto& users = users_[ref.node];
      if (users.empty() || users.back() != &node) users.push_back(&node);
    });
    check_symbols(node, node.args);
    switch (node.kind) {
      case NodeKind::placeholder:
        require(seen_.size() < graph_.inputs.size() && graph_.inputs[seen_.size()] == &node,
                "inputs come first, in the order of `inputs`");
        break;
      case NodeKind::call_op:
        check_call(node);
        break;
      case NodeKind::scalar_op:
        check_scalar_op(node);
        break;
      case NodeKind::output:
        require(&node == graph_.result, "there is one output node");
        break;
      default:
        break;
    }
    seen_.insert(&node);
  }

  void check_call(const Node& node) const {
    const eager::Schema& schema = node.op->schema;
    require(node.args.size() == schema.args.size(), node.name, " has ", node.args.size(), " arguments, ",
            node.op->full_name, " takes ", schema.args.size());
    for (size_t i = 0; i < node.args.size(); ++i)
      if (!fits(node.args[i], schema.args[i], *node.op))
        fail(node.name, ": argument ", schema.args[i].name, " cannot be ", print(node.args[i]));
    require(schema.returns_list || int(node.meta.size()) == schema.result_count, node.name, " has meta for ",
            node.meta.size(), " results");
  }

  void check_scalar_op(const Node& node) const {
    const ScalarOp* op = find_scalar_op(node.target);
    require(op && node.args.size() == size_t(op->arity), node.name, " is no scalar op of the table");
    for (const Argument& arg : node.args)
      require(is_number(arg), node.name, " has an argument that is no number");
  }

  static bool is_number(const Argument& arg) {
    if (const NodeOutput* ref = arg.node_output()) return ref->node->meta[size_t(ref->index)].is_scalar;
    return arg.sym_int() || std::holds_alternative<double>(arg.value) ||
           std::holds_alternative<bool>(arg.value) || std::holds_alternative<std::complex<double>>(arg.value);
  }
  static bool is_tensor(const Argument& arg) {
    const NodeOutput* ref = arg.node_output();
    return ref && !ref->node->meta[size_t(ref->index)].is_scalar;
  }
  template <class Predicate>
  static bool all(const Argument& arg, Predicate fits_entry) {
    return arg.list() && std::all_of(arg.list()->begin(), arg.list()->end(), fits_entry);
  }
  static bool fits(const Argument& arg, const eager::SchemaArg& schema, const eager::Op& op) {
    if (arg.is_none()) return schema.optional || schema.type == ArgType::optional_tensor;
    switch (schema.type) {
      case ArgType::tensor:
      case ArgType::optional_tensor:
        return is_tensor(arg) || (op.wraps_numbers && is_number(arg));
      case ArgType::tensor_list:
        return all(arg, is_tensor);
      case ArgType::optional_tensor_list:
        return all(arg, [](const Argument& entry) { return entry.is_none() || is_tensor(entry); });
      case ArgType::integer:
      case ArgType::real:
      case ArgType::boolean:
      case ArgType::scalar:
        return is_number(arg);
      case ArgType::integer_list:
      case ArgType::real_list:
      case ArgType::bool_list:
        return all(arg, is_number);
      case ArgType::string:
        return std::holds_alternative<std::string>(arg.value);
      case ArgType::dtype:
        return std::holds_alternative<DType>(arg.value);
      case ArgType::device:
        return std::holds_alternative<eager::Device>(arg.value);
      case ArgType::generator:
        return false;  // graphs draw from the default generator
    }
    return false;
  }

  void check_users(const Node& node) {
    std::vector<const Node*> kept(node.users.begin(), node.users.end()), found = users_[&node];
    std::sort(kept.begin(), kept.end());
    std::sort(found.begin(), found.end());
    require(kept == found, "the users of ", node.name, " are not those that name it");
  }

  // --- symbols ---
  void check_symbols(const Node& node, const std::vector<Argument>& args) const {
    for (const Argument& arg : args) {
      if (arg.list()) check_symbols(node, *arg.list());
      if (arg.sym_int() && arg.sym_int()->is_symbolic()) check_bound(node, *arg.sym_int()->expr());
    }
  }
  void check_bound(const Node& node, const SizeExpr& expr) const {
    if (expr.kind == SizeExpr::Kind::symbol)
      require(size_t(expr.value) < graph_.symbol_sources.size() &&
                  graph_.symbol_sources[size_t(expr.value)].input >= 0,
              node.name, " uses s", expr.value, ", which no input binds");
    for (const SizeExpr* operand : expr.operands) check_bound(node, *operand);
  }
  void check_symbol_sources() const {
    for (auto [input, dim] : graph_.symbol_sources) {
      if (input < 0) continue;
      require(size_t(input) < graph_.inputs.size(), "a symbol is bound to input ", input);
      const ValueMeta& meta = graph_.inputs[size_t(input)]->meta[0];
      require(dim < 0 ? meta.is_scalar : dim < meta.tensor.sizes.size(), "a symbol is bound to dim ", dim,
              " of input ", input);
    }
  }

  const Graph& graph_;
  std::unordered_set<std::string_view> names_;
  std::unordered_set<const Node*> seen_;
  std::unordered_map<const Node*, std::vector<const Node*>> users_;  ///< each user once
};

}  // namespace

void verify(const Graph& graph) { Verifier(graph).run(); }

}  // namespace framejit::graph
