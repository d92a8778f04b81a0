#include "graph/custom_gradient.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <unordered_set>

#include "eager/autograd/autograd.h"
#include "eager/autograd/saved_tensor.h"
#include "eager/error.h"
#include "generated/ops/creation.h"

namespace framejit::graph {

using eager::Edge;
using eager::Tensor;
using eager::Value;

// --- calls -------------------------------------------------------------------------------------------------

/// The autograd node of one call.
class CustomGradient::Backward final : public eager::GradNode {
 public:
  explicit Backward(std::shared_ptr<const CustomGradient> owner) : owner_(std::move(owner)) {}

  /// `number`: which result of this node it is; -1 for others.
  void save(const Value& value, int number) {
    if (!value.is_tensor()) {
      saved_.push_back({{}, value, -1});
      return;
    }
    const Tensor& tensor = value.tensor();
    const bool inner = number < 0 && tensor.requires_grad() && !eager::is_leaf(tensor);
    const Tensor kept = number < 0 ? tensor : eager::without_history(tensor);
    saved_.push_back({eager::SavedTensor(kept, inner ? eager::gradient_edge(tensor) : Edge()), {}, number});
  }

  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    std::vector<Saved> saved;
    {
      std::lock_guard lock(mutex_);
      FRAMEJIT_CHECK(!released_, eager::kUsedTwice);
      saved = saved_;
    }
    std::vector<Value> inputs, gradients(edges.size());
    for (size_t i = 0; i < grads.size(); ++i)
      inputs.push_back(grads[i].defined()
                           ? grads[i]
                           : eager::ops::zeros(results[i].sizes, results[i].dtype, results[i].device));
    for (const Saved& each : saved) inputs.push_back(each.value(*this));
    owner_->backward_.run(inputs.data(), gradients.data());
    std::vector<Tensor> found;
    for (const Value& gradient : gradients)
      found.push_back(gradient.is_none() ? Tensor() : gradient.tensor());
    return found;
  }

  std::string name() const override { return owner_->rule_.name; }

  void release_saved() override {
    std::vector<Saved> saved;  // dies after the lock has been given back
    std::lock_guard lock(mutex_);
    saved.swap(saved_);
    released_ = true;
  }

 private:
  struct Saved {
    eager::SavedTensor tensor;
    Value number;  ///< when it is not a tensor
    int result;
    Value value(const GradNode& node) const {
      if (!number.is_none()) return number;
      return result < 0 ? tensor.unpack() : tensor.unpack(&node, result);
    }
  };
  std::shared_ptr<const CustomGradient> owner_;
  eager::SpinLock mutex_;  ///< guards what follows
  std::vector<Saved> saved_;
  bool released_ = false;
};

bool CustomGradient::wants_gradient(const std::vector<Value>& args) const {
  auto first = args.begin() + int64_t(rule_.results);
  return eager::modes().grad_enabled &&
         std::any_of(first, first + int64_t(rule_.inputs),
                     [](const Value& input) { return input.tensor().requires_grad(); });
}

std::vector<Value> CustomGradient::call(const std::vector<Value>& args) const {
  std::vector<Value> results(args.begin(), args.begin() + int64_t(rule_.results));
  if (!wants_gradient(args)) return results;
  std::vector<Tensor> linked;
  for (Value& result : results) {
    linked.push_back(eager::without_history(result.tensor()));
    result = linked.back();
  }
  link(linked, args);
  return results;
}

void CustomGradient::link(const std::vector<Tensor>& results, const std::vector<Value>& args) const {
  if (!wants_gradient(args)) return;
  auto node = eager::make_ref<Backward>(std::static_pointer_cast<const CustomGradient>(shared_from_this()));
  for (size_t i = 0; i < rule_.inputs; ++i)
    node->add_edge(eager::gradient_edge(args[rule_.results + i].tensor()));
  size_t next = rule_.results + rule_.inputs;
  for (int result : rule_.saved) {
    if (result >= 0)
      node->save(results[size_t(result)], result);
    else
      node->save(args[next++], -1);
  }
  for (const Tensor& result : results) {
    const int number = node->add_result(result);
    eager::set_history(result, eager::Ref<eager::GradNode>(node.get()), number);
  }
}

// --- cutting the rule out ----------------------------------------------------------------------------------

GradientTangents begin_gradient(Tracer& tracer, const std::vector<Tensor>& results) {
  std::vector<ValueMeta> metas;
  for (const Tensor& result : results) metas.push_back({result.meta()});
  GradientTangents tangents;
  for (const Value& tangent : tracer.call_opaque(nullptr, "tangents", {}, std::move(metas)))
    tangents.tensors.push_back(tangent.tensor());
  tangents.node = tangents.tensors[0]->node;
  return tangents;
}

namespace {

class Cutter {
 public:
  Cutter(Graph& graph, const GradientTangents& tangents, const std::vector<Tensor>& results,
         const std::vector<Tensor>& inputs)
      : graph_(graph), tangents_(tangents), results_(results), inputs_(inputs) {
    rule_.backward = std::make_unique<Graph>();
    rule_.backward->shapes = graph.shapes;
    rule_.results = results.size();
    rule_.inputs = inputs.size();
    for (size_t i = 0; i < results.size(); ++i)
      made_[{tangents.node, int(i)}] = {
          rule_.backward->placeholder("tangent_" + std::to_string(i), tangents.node->meta[i]), 0};
  }

  TracedGradient cut(const std::string& name, const std::vector<Tensor>& gradients) {
    std::vector<Node*> moved;
    for (auto at = std::next(tangents_.node->position); at != graph_.nodes.end(); ++at) {
      if ((*at)->kind == NodeKind::placeholder || (*at)->kind == NodeKind::constant) continue;
      copy(**at);
      moved.push_back(at->get());
    }
    std::vector<Argument> outputs;
    for (const Tensor& gradient : gradients)
      outputs.push_back(gradient.defined() ? Argument{reference({gradient->node, gradient->node_output})}
                                           : Argument{});
    bind_symbols();
    rule_.backward->output(std::move(outputs));
    rule_.name = name;
    while (!moved.empty()) {
      graph_.erase(moved.back());
      moved.pop_back();
    }
    graph_.erase(tangents_.node);
    return {std::make_shared<const CustomGradient>(std::move(rule_)), std::move(captured_)};
  }

 private:
  struct Less {
    bool operator()(const NodeOutput& a, const NodeOutput& b) const {
      return a.node != b.node ? a.node < b.node : a.index < b.index;
    }
  };

  void copy(const Node& node) {
    check_writes(node);
    std::vector<Argument> args = node.args;
    for_each_node_output(args, [&](NodeOutput& ref) { ref = reference(ref); });
    Node* made = rule_.backward->copy(node, std::move(args));
    for (size_t i = 0; i < node.meta.size(); ++i) made_[{const_cast<Node*>(&node), int(i)}] = {made, int(i)};
    const bool views = node.is_call(eager::OpKind::view) || is_mutating(node);
    const Node* of = views ? node.args[0].node_output()->node : nullptr;
    if (!of || own_.count(of)) own_.insert(&node);
  }

  /// Of a tensor that was there before (or a view of one) the forward pass would have to see the write.
  void check_writes(const Node& node) const {
    if (!is_mutating(node)) return;
    for (size_t i = 0; i < node.args.size(); ++i) {
      const NodeOutput* written = node.op->schema.args[i].mutated ? node.args[i].node_output() : nullptr;
      if (written && written->node != tangents_.node && !own_.count(written->node))
        throw Untraceable("backward writes into a tensor that it did not make");
    }
  }

  /// What an output of the traced graph is in the rule: recorded by backward, or captured.
  NodeOutput reference(NodeOutput ref) {
    auto found = made_.find(ref);
    if (found != made_.end()) return found->second;
    const ValueMeta& meta = ref.node->meta[size_t(ref.index)];
    NodeOutput input{rule_.backward->placeholder(ref.node->name, meta), 0};
    made_[ref] = input;
    auto is = [&](const Tensor& tensor) {
      return tensor->node == ref.node && tensor->node_output == ref.index;
    };
    auto result = std::find_if(results_.begin(), results_.end(), is);
    rule_.saved.push_back(result == results_.end() ? -1 : int(result - results_.begin()));
    if (result != results_.end()) return input;
    auto forward_input = std::find_if(inputs_.begin(), inputs_.end(), is);
    if (forward_input != inputs_.end())
      captured_.push_back(*forward_input);
    else if (meta.is_scalar)
      captured_.push_back(Value::ScalarNode{ref.node, meta.tensor.dtype});
    else
      captured_.push_back(symbolic(ref, meta));
    return input;
  }

  static Tensor symbolic(NodeOutput ref, const ValueMeta& meta) {
    auto impl = eager::make_ref<eager::TensorImpl>();
    impl->meta = meta.tensor;
    impl->node = ref.node;
    impl->node_output = ref.index;
    return Tensor(std::move(impl));
  }

  /// Sizes that the rule's ops name are read from its inputs, or are inputs themselves.
  void bind_symbols() {
    Graph& backward = *rule_.backward;
    std::set<int> symbols;
    for (const auto& node : backward.nodes) collect_symbols(node->args, symbols);
    if (symbols.empty()) return;
    backward.symbol_sources.resize(size_t(*symbols.rbegin()) + 1);
    for (size_t i = 0; i < backward.inputs.size(); ++i) {
      const ValueMeta& meta = backward.inputs[i]->meta[0];
      for (int dim = 0; !meta.is_scalar && dim < meta.tensor.sizes.size(); ++dim) {
        const SymInt size = meta.tensor.sizes.sym(dim);
        if (!size.is_symbolic() || size.expr()->kind != eager::SizeExpr::Kind::symbol) continue;
        if (symbols.erase(int(size.expr()->value)))
          backward.symbol_sources[size_t(size.expr()->value)] = {int(i), dim};
      }
    }
    for (int symbol : symbols) {
      ValueMeta meta;
      meta.is_scalar = true;
      meta.tensor.dtype = DType::int64;
      backward.symbol_sources[size_t(symbol)] = {int(backward.inputs.size()), -1};
      backward.placeholder("s" + std::to_string(symbol), std::move(meta));
      rule_.saved.push_back(-1);
      captured_.push_back(SymInt(eager::SizeExpr::symbol(symbol)));
    }
  }

  Graph& graph_;
  const GradientTangents& tangents_;
  const std::vector<Tensor>&results_, &inputs_;
  CustomGradient::Rule rule_;
  std::map<NodeOutput, NodeOutput, Less> made_;
  std::unordered_set<const Node*> own_;  ///< results in memory that backward allocated
  std::vector<Value> captured_;
};

}  // namespace

TracedGradient end_gradient(Tracer& tracer, const std::string& name, const GradientTangents& tangents,
                            const std::vector<Tensor>& results, const std::vector<Tensor>& inputs,
                            const std::vector<Tensor>& gradients) {
  return Cutter(tracer.graph(), tangents, results, inputs).cut(name, gradients);
}

void drop_custom_gradients(Graph& graph) {
  for (auto at = graph.nodes.begin(); at != graph.nodes.end();) {
    Node* node = (at++)->get();
    if (node->kind != NodeKind::call_opaque || !node->opaque->is_traceable()) continue;
    for (size_t i = 0; i < node->meta.size(); ++i)
      graph.replace_all_uses({node, int(i)}, *node->args[i].node_output());
    graph.erase(node);
  }
}

}  // namespace framejit::graph
