#include "graph/aot/partition.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "graph/aot/min_cut.h"

namespace framejit::graph::aot {
namespace {

using eager::OpKind;
using NodeSet = std::unordered_set<const Node*>;
using NodeMap = std::unordered_map<const Node*, Node*>;

/// What of the nodes belongs where.
struct Sides {
  NodeSet tangent_dependent;  ///< can only run in the backward
  NodeSet forward_needed;     ///< what the user's results and effects need
  NodeSet backward_needed;    ///< what the gradients need, wherever it is computed
};

/// Adds `node` and everything it is computed from, but goes no further than nodes that `stop` names.
void add_with_sources(const Node* node, NodeSet& set, const NodeSet& stop = {}) {
  std::vector<const Node*> waiting{node};
  while (!waiting.empty()) {
    const Node* next = waiting.back();
    waiting.pop_back();
    if (!set.insert(next).second || stop.count(next)) continue;
    for_each_node_output(next->args, [&](const NodeOutput& ref) { waiting.push_back(ref.node); });
  }
}

void for_each_result(const Joint& joint, bool gradients,
                     const std::function<void(const NodeOutput&)>& visit) {
  const auto& args = joint.graph->result->args;
  std::vector<Argument> part(args.begin() + (gradients ? joint.result_count : 0),
                             gradients ? args.end() : args.begin() + joint.result_count);
  for_each_node_output(part, visit);
}

Sides find_sides(const Joint& joint) {
  Sides sides;
  const auto& inputs = joint.graph->inputs;
  sides.tangent_dependent.insert(inputs.begin() + joint.input_count, inputs.end());
  for (const auto& node : joint.graph->nodes) {
    if (node->kind == NodeKind::output) continue;
    for_each_node_output(node->args, [&](const NodeOutput& ref) {
      if (sides.tangent_dependent.count(ref.node)) sides.tangent_dependent.insert(node.get());
    });
    if (has_effect(*node) && !sides.tangent_dependent.count(node.get()))
      add_with_sources(node.get(), sides.forward_needed);
  }
  for_each_result(joint, false,
                  [&](const NodeOutput& ref) { add_with_sources(ref.node, sides.forward_needed); });
  for_each_result(joint, true,
                  [&](const NodeOutput& ref) { add_with_sources(ref.node, sides.backward_needed); });
  return sides;
}

// --- what to save ------------------------------------------------------------------------------------------

int64_t elements(const ValueMeta& meta) {
  int64_t count = 1;
  for (int i = 0; i < meta.tensor.sizes.size(); ++i) count *= meta.tensor.sizes.sym(i).hint();
  return count;
}

int64_t bytes(const Node& node) {
  int64_t total = 1;
  for (const ValueMeta& meta : node.meta)
    if (!meta.is_scalar) total += elements(meta) * int64_t(eager::item_size(meta.tensor.dtype));
  return total;
}

bool is_mutated_input(const Joint& joint, const Node& node) {
  auto is_node = [&](int input) { return joint.graph->inputs[size_t(input)] == &node; };
  return std::any_of(joint.mutated_inputs.begin(), joint.mutated_inputs.end(), is_node);
}

/// Cost of keeping the node's results until the backward. Inputs are mostly alive anyway, but must be copied
/// if the caller is about to write into them; a view that is no smaller than what it is a view of is made
/// again from that.
int64_t saving_cost(const Joint& joint, const Node& node) {
  if (node.kind == NodeKind::placeholder) return is_mutated_input(joint, node) ? bytes(node) : 1;
  if (node.is_call(OpKind::view)) {
    const Node& viewed = *node.args[0].node_output()->node;
    if (viewed.meta.size() == 1 && bytes(node) >= bytes(viewed)) return FlowNetwork::kInfinite;
  }
  return bytes(node);
}

/// tanh, exp, sigmoid, ...: eager keeps the result for backward too, and making it again costs more than
/// reading it.
bool derivative_reads_result(const eager::Op& op) {
  return std::any_of(op.formulas.begin(), op.formulas.end(),
                     [](const eager::Formula& formula) { return formula.saved_results != 0; });
}

bool is_cheap(const Node& node) {
  if (node.is_call(OpKind::pointwise)) return !derivative_reads_result(*node.op);
  return node.kind == NodeKind::scalar_op || node.is_call(OpKind::view) || node.is_call(OpKind::creation);
}

/// The nodes whose results are saved: a minimum cut between what only the forward can make and what only the
/// backward can use. Each node is an edge from its entry to its exit, with the cost of saving it.
NodeSet choose_saved(const Joint& joint, const Sides& sides) {
  std::vector<const Node*> nodes;
  std::unordered_map<const Node*, int> number;
  for (const auto& node : joint.graph->nodes) {
    bool crosses = sides.backward_needed.count(node.get()) && !sides.tangent_dependent.count(node.get());
    if (!crosses || node->kind == NodeKind::constant) continue;  // both graphs hold the constants
    number[node.get()] = int(nodes.size());
    nodes.push_back(node.get());
  }
  int source = int(nodes.size()) * 2, sink = source + 1;
  FlowNetwork network(sink + 1);
  auto entry = [&](const Node* node) { return number.at(node) * 2; };
  auto exit = [&](const Node* node) { return number.at(node) * 2 + 1; };
  for (const Node* node : nodes) {
    network.add_edge(entry(node), exit(node), saving_cost(joint, *node));
    bool only_forward =
        node->kind == NodeKind::placeholder || (sides.forward_needed.count(node) && !is_cheap(*node));
    if (only_forward) network.add_edge(source, entry(node), FlowNetwork::kInfinite);
    for (const Node* user : node->users) {
      if (number.count(user))
        network.add_edge(exit(node), entry(user), FlowNetwork::kInfinite);
      else if (sides.tangent_dependent.count(user))
        network.add_edge(exit(node), sink, FlowNetwork::kInfinite);
    }
  }
  for_each_result(joint, true, [&](const NodeOutput& ref) {
    if (number.count(ref.node)) network.add_edge(exit(ref.node), sink, FlowNetwork::kInfinite);
  });

  std::vector<bool> side = network.source_side(source, sink);
  NodeSet saved;
  for (const Node* node : nodes)
    if (side[size_t(entry(node))] && !side[size_t(exit(node))]) saved.insert(node);
  return saved;
}

// --- making the two graphs ---------------------------------------------------------------------------------

void collect_node_symbols(const Node& node, std::set<int>& symbols) {
  collect_symbols(node.args, symbols);
  for (const ValueMeta& meta : node.meta) {
    for (int i = 0; i < meta.tensor.sizes.size(); ++i) {
      collect_symbols(meta.tensor.sizes.sym(i), symbols);
      collect_symbols(meta.tensor.strides.sym(i), symbols);
    }
  }
}

class Splitter {
 public:
  Splitter(const Joint& joint, const Sides& sides, const NodeSet& saved_nodes)
      : joint_(joint), saved_nodes_(saved_nodes) {
    for_each_result(joint, true,
                    [&](const NodeOutput& ref) { add_with_sources(ref.node, in_backward_, saved_nodes); });
    in_forward_ = sides.forward_needed;
    for (const Node* node : saved_nodes) add_with_sources(node, in_forward_);
  }

  Partition run() {
    collect_saved();
    make_forward();
    make_backward();
    return std::move(partition_);
  }

 private:
  bool computed_in_backward(const Node& node) const {
    return in_backward_.count(&node) && !saved_nodes_.count(&node) && node.kind != NodeKind::placeholder;
  }

  /// The results of saved nodes that the backward reads, in the order of the graph.
  void collect_saved() {
    auto note = [&](const NodeOutput& ref) {
      if (saved_nodes_.count(ref.node) && std::find(saved_.begin(), saved_.end(), ref) == saved_.end())
        saved_.push_back(ref);
    };
    for (const auto& node : joint_.graph->nodes)
      if (computed_in_backward(*node)) for_each_node_output(node->args, note);
    for_each_result(joint_, true, note);
  }

  void make_forward() {
    auto graph = std::make_unique<Graph>();
    NodeMap copies;
    for (int i = 0; i < joint_.input_count; ++i) {
      const Node* input = joint_.graph->inputs[size_t(i)];
      copies[input] = graph->placeholder(input->name, input->meta[0]);
    }
    graph->symbol_sources = joint_.graph->symbol_sources;
    for (auto& source : graph->symbol_sources)
      if (source.input >= joint_.input_count) source = {};
    graph->shapes = joint_.graph->shapes;
    for (const auto& node : joint_.graph->nodes)
      if (in_forward_.count(node.get())) copy(*node, *graph, copies);

    const auto& args = joint_.graph->result->args;
    std::vector<Argument> results(args.begin(), args.begin() + joint_.result_count);
    for (const NodeOutput& ref : saved_) partition_.saved.push_back(save(ref, results));
    size_t own_results = size_t(joint_.result_count);
    auto is_exposed = [&](const Argument& arg) { return views_mutated_input(*arg.node_output()->node); };
    std::vector<bool> exposed;
    for (size_t i = own_results; i < results.size(); ++i) exposed.push_back(is_exposed(results[i]));
    map_args(results, copies);
    for (size_t i = own_results; i < results.size(); ++i)
      if (exposed[i - own_results]) results[i] = {clone(*graph, *results[i].node_output())};
    graph->output(std::move(results));
    graph->renumber();
    partition_.forward = std::move(graph);
  }

  SavedValue save(NodeOutput ref, std::vector<Argument>& results) const {
    const auto& inputs = joint_.graph->inputs;
    auto input = std::find(inputs.begin(), inputs.end(), ref.node);
    if (input != inputs.end()) return {SavedValue::Source::input, int(input - inputs.begin())};
    auto result = std::find_if(results.begin(), results.end(),
                               [&](const Argument& arg) { return same(arg, Argument{ref}); });
    int index = int(result - results.begin());
    if (result == results.end()) results.push_back({ref});
    return {SavedValue::Source::result, index};
  }

  /// A saved view of an input that is about to be written must be a copy.
  bool views_mutated_input(const Node& node) const {
    const Node* base = &node;
    while (base->is_call(OpKind::view)) base = base->args[0].node_output()->node;
    return is_mutated_input(joint_, *base);
  }
  static NodeOutput clone(Graph& graph, NodeOutput ref) {
    static const eager::Op& op = eager::get_op("clone");
    return {graph.call_op(op, {{ref}}, {ref.node->meta[size_t(ref.index)]}), 0};
  }

  void make_backward() {
    auto graph = std::make_unique<Graph>();
    graph->shapes = joint_.graph->shapes;
    std::unordered_map<const Node*, std::vector<NodeOutput>> inputs;  // of saved nodes, by result
    for (const NodeOutput& ref : saved_) {
      auto& by_result = inputs[ref.node];
      by_result.resize(ref.node->meta.size());
      ValueMeta meta = ref.node->meta[size_t(ref.index)];
      meta.requires_grad = false;
      by_result[size_t(ref.index)] = {graph->placeholder(ref.node->name, std::move(meta)), 0};
    }
    bind_symbols(*graph);
    NodeMap copies;
    for (size_t i = size_t(joint_.input_count); i < joint_.graph->inputs.size(); ++i) {
      const Node* tangent = joint_.graph->inputs[i];
      copies[tangent] = graph->placeholder(tangent->name, tangent->meta[0]);
    }
    auto map = [&](std::vector<Argument> args) {
      for_each_node_output(args, [&](NodeOutput& ref) {
        auto saved = inputs.find(ref.node);
        if (saved != inputs.end())
          ref = saved->second[size_t(ref.index)];
        else
          ref.node = copies.at(ref.node);
      });
      return args;
    };
    for (const auto& node : joint_.graph->nodes)
      if (computed_in_backward(*node)) copies[node.get()] = graph->copy(*node, map(node->args));
    const auto& args = joint_.graph->result->args;
    graph->output(map({args.begin() + joint_.result_count, args.end()}));
    graph->renumber();
    partition_.backward = std::move(graph);
  }

  /// The backward takes each symbol it uses as an int.
  void bind_symbols(Graph& graph) {
    std::set<int> symbols;
    for (const auto& node : joint_.graph->nodes)
      if (in_backward_.count(node.get())) collect_node_symbols(*node, symbols);
    partition_.symbols.assign(symbols.begin(), symbols.end());
    graph.symbol_sources.resize(joint_.graph->symbol_sources.size());
    ValueMeta meta;
    meta.is_scalar = true;
    meta.tensor.dtype = DType::int64;
    for (int symbol : symbols) {
      graph.symbol_sources[size_t(symbol)] = {int(graph.inputs.size()), -1};
      graph.placeholder("s" + std::to_string(symbol), meta);
    }
  }

  static void map_args(std::vector<Argument>& args, const NodeMap& copies) {
    for_each_node_output(args, [&](NodeOutput& ref) { ref.node = copies.at(ref.node); });
  }
  static void copy(const Node& node, Graph& graph, NodeMap& copies) {
    if (node.kind == NodeKind::placeholder || node.kind == NodeKind::output) return;
    std::vector<Argument> args = node.args;
    map_args(args, copies);
    copies[&node] = graph.copy(node, std::move(args));
  }

  const Joint& joint_;
  const NodeSet& saved_nodes_;
  NodeSet in_forward_, in_backward_;
  std::vector<NodeOutput> saved_;
  Partition partition_;
};

}  // namespace

Partition partition(const Joint& joint) {
  eager::ShapeEnvScope scope(joint.graph->shapes.get());
  Sides sides = find_sides(joint);
  NodeSet saved = choose_saved(joint, sides);
  return Splitter(joint, sides, saved).run();
}

}  // namespace framejit::graph::aot
