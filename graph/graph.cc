#include "graph/graph.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include "eager/error.h"

namespace framejit::graph {
namespace {

void add_user(Node* used, Node* user) {
  if (std::find(used->users.begin(), used->users.end(), user) == used->users.end())
    used->users.push_back(user);
}

std::string identifier(const std::string& wish) {
  std::string name;
  for (char c : wish) name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "_" + name;
  return name;
}

}  // namespace

bool same(const Argument& a, const Argument& b) {
  if (a.value.index() != b.value.index()) return false;
  if (auto* size = a.sym_int()) return size->bits() == b.sym_int()->bits();
  if (auto* real = std::get_if<double>(&a.value))
    return std::bit_cast<uint64_t>(*real) == std::bit_cast<uint64_t>(std::get<double>(b.value));
  if (auto* number = std::get_if<std::complex<double>>(&a.value)) {
    const auto& other = std::get<std::complex<double>>(b.value);
    return same(Argument{number->real()}, Argument{other.real()}) &&
           same(Argument{number->imag()}, Argument{other.imag()});
  }
  if (auto* list = a.list()) return same(*list, *b.list());
  if (auto* ref = a.node_output()) return *ref == *b.node_output();
  if (auto* flag = std::get_if<bool>(&a.value)) return *flag == std::get<bool>(b.value);
  if (auto* dtype = std::get_if<DType>(&a.value)) return *dtype == std::get<DType>(b.value);
  if (auto* device = std::get_if<eager::Device>(&a.value)) return *device == std::get<eager::Device>(b.value);
  if (auto* text = std::get_if<std::string>(&a.value)) return *text == std::get<std::string>(b.value);
  return true;
}

bool same(const std::vector<Argument>& a, const std::vector<Argument>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Argument& x, const Argument& y) { return same(x, y); });
}

bool is_mutating(const Node& node) {
  if (node.kind != NodeKind::call_op) return false;
  const auto& args = node.op->schema.args;
  return std::any_of(args.begin(), args.end(), [](const eager::SchemaArg& arg) { return arg.mutated; });
}

bool has_effect(const Node& node) {
  if (node.kind == NodeKind::call_op && node.op->schema.result_count == 0) return true;  // or why call it
  return node.kind == NodeKind::output || node.kind == NodeKind::placeholder ||
         node.kind == NodeKind::call_opaque || node.is_call(eager::OpKind::random) || is_mutating(node);
}

Graph::Graph() : insertion_point(nodes.end()), shapes(std::make_shared<eager::ShapeEnv>()) {}
Graph::~Graph() = default;

std::string Graph::unique_name(const std::string& wish) {
  std::string base = identifier(wish), name = base;
  while (next_suffix_.count(name)) name = base + "_" + std::to_string(next_suffix_[base]++);
  next_suffix_.emplace(name, 1);
  return name;
}

Node* Graph::insert(NodeKind kind, const std::string& name, std::vector<Argument> args,
                    std::vector<ValueMeta> meta) {
  auto owned = std::make_unique<Node>();
  Node* node = owned.get();
  node->kind = kind;
  node->name = unique_name(name);
  node->meta = std::move(meta);
  node->id = next_id_++;
  node->position = nodes.insert(insertion_point, std::move(owned));
  set_args(node, std::move(args));
  return node;
}

Node* Graph::placeholder(const std::string& name, ValueMeta meta) {
  auto saved = insertion_point;
  insertion_point = inputs.empty() ? nodes.begin() : std::next(inputs.back()->position);
  Node* node = insert(NodeKind::placeholder, name, {}, {std::move(meta)});
  insertion_point = saved;
  inputs.push_back(node);
  return node;
}

Node* Graph::constant(eager::Tensor tensor) {
  Node* node = insert(NodeKind::constant, "constant", {}, {{tensor.meta()}});
  node->constant = std::move(tensor);
  return node;
}

Node* Graph::call_op(const eager::Op& op, std::vector<Argument> args, std::vector<ValueMeta> meta) {
  Node* node = insert(NodeKind::call_op, op.schema.name, std::move(args), std::move(meta));
  node->op = &op;
  return node;
}

Node* Graph::scalar_op(const std::string& target, std::vector<Argument> args, DType type) {
  ValueMeta meta;
  meta.tensor.dtype = type;
  meta.is_scalar = true;
  Node* node = insert(NodeKind::scalar_op, target, std::move(args), {std::move(meta)});
  node->target = target;
  return node;
}

Node* Graph::call_opaque(std::shared_ptr<const OpaqueCall> callee, const std::string& name,
                         std::vector<Argument> args, std::vector<ValueMeta> meta) {
  Node* node = insert(NodeKind::call_opaque, name, std::move(args), std::move(meta));
  node->target = name;
  node->opaque = std::move(callee);
  return node;
}

Node* Graph::output(std::vector<Argument> results) {
  if (result) {
    set_args(result, std::move(results));
    return result;
  }
  auto saved = insertion_point;
  insertion_point = nodes.end();
  result = insert(NodeKind::output, "output", std::move(results), {});
  insertion_point = saved == nodes.end() ? result->position : saved;  // calls go on being made before it
  return result;
}

void Graph::erase(Node* node) {
  FRAMEJIT_INTERNAL(node->users.empty(), "erasing ", node->name, ", which is used");
  set_args(node, {});
  if (insertion_point == node->position) ++insertion_point;
  if (node == result) result = nullptr;
  std::erase(inputs, node);
  nodes.erase(node->position);
}

void Graph::set_args(Node* node, std::vector<Argument> args) {
  for_each_node_output(node->args, [&](const NodeOutput& ref) { std::erase(ref.node->users, node); });
  node->args = std::move(args);
  for_each_node_output(node->args, [&](const NodeOutput& ref) { add_user(ref.node, node); });
}

void Graph::replace_all_uses(NodeOutput from, NodeOutput to) {
  for (Node* user : std::vector<Node*>(from.node->users)) {
    std::vector<Argument> args = user->args;
    for_each_node_output(args, [&](NodeOutput& ref) {
      if (ref == from) ref = to;
    });
    set_args(user, std::move(args));
  }
}

void Graph::move_before(Node* node, Node* place) { nodes.splice(place->position, nodes, node->position); }

void Graph::renumber() {
  next_id_ = 0;
  for (auto& node : nodes) node->id = next_id_++;
}

Node* Graph::copy(const Node& node, std::vector<Argument> args) {
  Node* made = insert(node.kind, node.name, std::move(args), node.meta);
  made->op = node.op;
  made->target = node.target;
  made->constant = node.constant;
  made->opaque = node.opaque;
  made->grad_mode = node.grad_mode;
  made->stack_trace = node.stack_trace;
  return made;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto result_graph = std::make_unique<Graph>();
  std::map<const Node*, Node*> copies;
  for (const auto& node : nodes) {
    std::vector<Argument> args = node->args;
    for_each_node_output(args, [&](NodeOutput& ref) { ref.node = copies.at(ref.node); });
    copies[node.get()] = result_graph->copy(*node, std::move(args));
  }
  for (const Node* input : inputs) result_graph->inputs.push_back(copies.at(input));
  if (result) {
    result_graph->result = copies.at(result);
    result_graph->insertion_point = result_graph->result->position;
  }
  result_graph->symbol_sources = symbol_sources;
  result_graph->shapes = shapes;
  return result_graph;
}

// --- symbols -----------------------------------------------------------------------------------------------

std::vector<SymInt> bind_symbols(const Graph& graph, const eager::Value* inputs) {
  std::vector<SymInt> values(graph.symbol_sources.size());
  for (size_t i = 0; i < values.size(); ++i) {
    auto [input, dim] = graph.symbol_sources[i];
    if (input < 0) continue;
    values[i] = dim < 0 ? inputs[input].sym_int() : inputs[input].tensor().size(dim);
  }
  return values;
}

void collect_symbols(SymInt size, std::set<int>& symbols) {
  if (!size.is_symbolic()) return;
  const eager::SizeExpr& expr = *size.expr();
  if (expr.kind == eager::SizeExpr::Kind::symbol) symbols.insert(int(expr.value));
  for (const eager::SizeExpr* operand : expr.operands) collect_symbols(SymInt(operand), symbols);
}

void collect_symbols(const std::vector<Argument>& args, std::set<int>& symbols) {
  for (const Argument& arg : args) {
    if (arg.list()) collect_symbols(*arg.list(), symbols);
    if (arg.sym_int()) collect_symbols(*arg.sym_int(), symbols);
  }
}

SymInt substitute(SymInt size, const std::vector<SymInt>& symbols) {
  using Kind = eager::SizeExpr::Kind;
  if (!size.is_symbolic()) return size;
  const eager::SizeExpr& expr = *size.expr();
  if (expr.kind == Kind::symbol) {
    FRAMEJIT_INTERNAL(size_t(expr.value) < symbols.size(), "the graph does not bind s", expr.value);
    return symbols[size_t(expr.value)];
  }
  SymInt value = substitute(SymInt(expr.operands[0]), symbols);
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    SymInt next = substitute(SymInt(expr.operands[i]), symbols);
    switch (expr.kind) {
      case Kind::add:
        value = value + next;
        break;
      case Kind::mul:
        value = value * next;
        break;
      case Kind::floor_div:
        value = floor_div(value, next);
        break;
      case Kind::floor_mod:
        value = floor_mod(value, next);
        break;
      case Kind::max:
        value = sym_max(value, next);
        break;
      default:
        value = sym_min(value, next);
    }
  }
  return value;
}

}  // namespace framejit::graph
