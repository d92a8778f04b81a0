#include "graph/passes/functionalize.h"

#include <algorithm>
#include <unordered_map>

#include "eager/error.h"
#include "generated/ops/copy.h"
#include "graph/interpret.h"
#include "graph/passes/view_inverse.h"

namespace framejit::graph::passes {
namespace {

using eager::OpKind;
using eager::Tensor;
using eager::Value;

struct Base {
  Tensor value;
  Tensor original = value;  ///< before any write
  int version = 0;
  int input = -1;             ///< of a base that is an input
  bool grad_mode = true;      ///< of the last write
  bool hidden_write = false;  ///< written where autograd does not look
};

/// A tensor of the old graph.
struct Alias {
  std::shared_ptr<Base> base;
  std::vector<ViewCall> views;
  Tensor cached;  ///< the value in the new graph as of `cached_version`
  int cached_version = 0;
};

/// The value of `tensor` after `written` has been written into its view by steps[at..].
Tensor write_through(const Tensor& tensor, const std::vector<ViewCall>& steps, size_t at,
                     const Tensor& written) {
  if (at == steps.size()) return written;
  Tensor part = write_through(steps[at].apply(tensor), steps, at + 1, written);
  return put_back(steps[at], tensor, part);
}

bool is_detached(const Alias& alias) {
  return std::any_of(alias.views.begin(), alias.views.end(),
                     [](const ViewCall& step) { return !step.op->differentiable; });
}

class Functionalizer {
 public:
  explicit Functionalizer(const Graph& graph) : graph_(graph), retrace_(graph) {
    for (size_t i = 0; i < graph.symbol_sources.size(); ++i)
      symbols_.push_back(SymInt(eager::SizeExpr::symbol(int64_t(i))));
  }

  Functional run() {
    for (const auto& node : graph_.nodes) run_node(*node);
    for (auto& base : input_bases_)
      if (base->version)
        result_.mutations.push_back({base->input, value_number(base->value), base->grad_mode});
    result_.graph = retrace_.tracer().finish(values_);
    return std::move(result_);
  }

 private:
  void run_node(const Node& node) {
    retrace_.tracer().set_location(node.stack_trace);
    switch (node.kind) {
      case NodeKind::placeholder:
        return run_input(node);
      case NodeKind::constant:
        return define(node, 0, std::make_shared<Base>(Base{node.constant}));
      case NodeKind::scalar_op: {
        Value right = node.args.size() > 1 ? argument(node.args[1], eager::ArgType::scalar) : Value();
        numbers_[&node] =
            retrace_.tracer().scalar_op(node.target, argument(node.args[0], eager::ArgType::scalar), right);
        return;
      }
      case NodeKind::call_op:
        return run_call(node);
      case NodeKind::call_opaque:
        return run_opaque(node);
      case NodeKind::output:
        for_each_node_output(node.args, [&](const NodeOutput& ref) {
          if (aliases_.count(ref.node)) ++results_sharing_[alias_of({ref})->base.get()];
        });
        for (const Argument& arg : node.args) result_.results.push_back(recipe(arg));
    }
  }

  void run_input(const Node& node) {
    auto number =
        size_t(std::find(graph_.inputs.begin(), graph_.inputs.end(), &node) - graph_.inputs.begin());
    const Value& value = retrace_.inputs()[number];
    if (node.meta[0].is_scalar) {
      numbers_[&node] = value;
      return;
    }
    auto base = std::make_shared<Base>(Base{value.tensor()});
    base->input = int(number);
    input_bases_.push_back(base);
    define(node, 0, base);
  }

  void run_call(const Node& node) {
    eager::GradModeScope scope(node.grad_mode);
    std::vector<Value> args;
    for (size_t i = 0; i < node.args.size(); ++i)
      args.push_back(argument(node.args[i], node.op->schema.args[i].type));
    if (node.is_call(OpKind::view)) return run_view(node, std::move(args));
    if (node.op->mutated >= 0) return run_mutation(node, args);
    std::vector<Value> results(size_t(node.op->schema.result_count));
    eager::call(*node.op, args.data(), results.data());
    if (!node.op->schema.returns_list) return define_results(node, results);
    std::vector<Value> entries;
    for (const Tensor& tensor : results[0].tensor_list()) entries.push_back(tensor);
    define_results(node, entries);
  }

  void run_opaque(const Node& node) {
    eager::GradModeScope scope(node.grad_mode);
    std::vector<Value> args;
    for (const Argument& arg : node.args) args.push_back(argument(arg, eager::ArgType::scalar));
    define_results(node, retrace_.tracer().call_opaque(node.opaque, node.target, args, node.meta));
  }

  void define_results(const Node& node, const std::vector<Value>& results) {
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].is_tensor())
        define(node, int(i), std::make_shared<Base>(Base{results[i].tensor()}));
      else
        numbers_[&node] = results[i];
    }
  }

  void run_view(const Node& node, std::vector<Value> args) {
    const Alias& viewed = *alias_of(node.args[0]);
    args.erase(args.begin());
    for (size_t i = 0; i < node.meta.size(); ++i) {
      auto alias = std::make_shared<Alias>(Alias{viewed.base, viewed.views});
      alias->views.push_back({node.op, args, int(i)});
      alias->cached = alias->views.back().apply(viewed.cached);
      alias->cached_version = viewed.base->version;
      aliases_[&node].push_back(std::move(alias));
    }
  }

  /// An op that writes into an argument: its functional form is called, and the result written back.
  void run_mutation(const Node& node, std::vector<Value> args) {
    static const eager::Op& cast = eager::get_op("cast");
    size_t written = size_t(node.op->mutated);
    auto alias = alias_of(node.args[written]);
    if (node.op->kind == OpKind::out) args.erase(args.begin() + long(written));
    Value result;
    eager::call(*node.op->functional, args.data(), &result);
    Tensor before = alias->cached, after = result.tensor();
    if (after.dtype() != before.dtype()) {
      Value cast_args[] = {after, before.dtype()};
      eager::call(cast, cast_args, &result);
      after = result.tensor();
    }
    write(*alias, after, node.grad_mode);
    aliases_[&node] = {alias};
  }

  void write(Alias& alias, const Tensor& value, bool grad_mode) {
    Base& base = *alias.base;
    base.value = write_through(base.value, alias.views, 0, value);
    ++base.version;
    alias.cached = value;
    alias.cached_version = base.version;
    base.grad_mode = grad_mode && !is_detached(alias);
    bool matters = base.input < 0 || graph_.inputs[size_t(base.input)]->meta[0].requires_grad;
    if (matters && !base.grad_mode) base.hidden_write = true;
  }

  // --- values ---
  void define(const Node& node, int index, std::shared_ptr<Base> base) {
    auto& aliases = aliases_[&node];
    aliases.resize(std::max(aliases.size(), size_t(index) + 1));
    Tensor value = base->value;
    aliases[size_t(index)] = std::make_shared<Alias>(Alias{std::move(base), {}, value});
  }

  std::shared_ptr<Alias> alias_of(const Argument& arg) {
    NodeOutput ref = *arg.node_output();
    return aliases_.at(ref.node)[size_t(ref.index)];
  }

  Tensor read(Alias& alias) {
    if (alias.base->hidden_write && eager::modes().grad_enabled) result_.differentiable = false;
    if (alias.cached_version != alias.base->version) {
      alias.cached = alias.base->value;
      for (const ViewCall& step : alias.views) alias.cached = step.apply(alias.cached);
      alias.cached_version = alias.base->version;
    }
    return alias.cached;
  }

  Value argument(const Argument& arg, eager::ArgType type) {
    auto lookup = [&](NodeOutput ref) -> Value {
      auto number = numbers_.find(ref.node);
      if (number != numbers_.end()) return number->second;
      return read(*aliases_.at(ref.node)[size_t(ref.index)]);
    };
    return to_value(arg, type, lookup, symbols_);
  }

  // --- results ---
  /// The number of `value` among the results of the pure graph.
  int value_number(const Value& value) {
    for (size_t i = 0; value.is_tensor() && i < values_.size(); ++i)
      if (values_[i].is_tensor() && values_[i].tensor() == value.tensor()) return int(i);
    values_.push_back(value);
    return int(values_.size()) - 1;
  }

  ResultRecipe recipe(const Argument& arg) {
    const NodeOutput* ref = arg.node_output();
    bool is_tensor = ref && aliases_.count(ref->node);
    if (!is_tensor) return {ResultRecipe::Source::value, value_number(argument(arg, eager::ArgType::scalar))};
    Alias& alias = *alias_of(arg);
    if (alias.base->input >= 0) return {ResultRecipe::Source::input, alias.base->input, alias.views};
    // `return loss.detach()`: without the result that carries a history, there may be nothing to
    // differentiate.
    if (is_detached(alias) && results_sharing_[alias.base.get()] == 1)
      return {ResultRecipe::Source::value, value_number(eager::ops::clone(read(alias))), {}};
    return {ResultRecipe::Source::value, value_number(result_value(*alias.base)), alias.views};
  }

  /// A result of the pure graph lies in memory of its own, as the original did.
  const Tensor& result_value(Base& base) {
    bool same_layout = base.value.strides() == base.original.strides();
    bool is_view = base.value.is_symbolic() && base.value->node->is_call(OpKind::view);
    if (!same_layout)
      base.value = eager::ops::copy(base.original, base.value, false);
    else if (is_view)
      base.value = eager::ops::clone(base.value);
    return base.value;
  }

  const Graph& graph_;
  Retrace retrace_;
  std::vector<SymInt> symbols_;
  std::unordered_map<const Node*, std::vector<std::shared_ptr<Alias>>> aliases_;
  std::unordered_map<const Node*, Value> numbers_;
  std::vector<std::shared_ptr<Base>> input_bases_;
  std::unordered_map<const Base*, int> results_sharing_;  ///< how many results show a base
  std::vector<Value> values_;
  Functional result_;
};

}  // namespace

Tensor ViewCall::apply(const Tensor& tensor) const {
  std::vector<Value> call_args{tensor};
  call_args.insert(call_args.end(), args.begin(), args.end());
  Value made;
  eager::call(*op, call_args.data(), &made);
  return op->schema.returns_list ? made.tensor_list()[size_t(result)] : made.tensor();
}

Functional functionalize(const Graph& graph) { return Functionalizer(graph).run(); }

}  // namespace framejit::graph::passes
