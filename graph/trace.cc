#include "graph/trace.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "eager/error.h"
#include "graph/scalar_op.h"

namespace framejit::graph {

using eager::Op;
using eager::OpKind;
using eager::Tensor;
using eager::Value;

struct Tracer::State {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::shared_ptr<eager::ShapeEnv> shapes;  ///< the graph's; outlives it here, for its guards
  eager::ShapeEnvScope shape_scope;
  eager::Recorder* previous = nullptr;
  std::string location;
  std::unordered_map<const eager::TensorImpl*, Node*> constants;  ///< each concrete tensor is one node
  bool refused_data = false;
  int last_node = 0;  ///< `Node::id` of the newest node

  explicit State(std::shared_ptr<eager::ShapeEnv> env) : shapes(std::move(env)), shape_scope(shapes.get()) {
    graph->shapes = shapes;
    graph->symbol_sources.resize(graph->shapes->hints().size());
  }

  Node* made(Node* node) {
    node->grad_mode = eager::modes().grad_enabled;
    node->stack_trace = location;
    last_node = node->id;
    return node;
  }

  Tensor symbolic(Node* node, int index) {
    auto impl = eager::make_ref<eager::TensorImpl>();
    impl->meta = node->meta[size_t(index)].tensor;
    impl->node = node;
    impl->node_output = index;
    return Tensor(std::move(impl));
  }

  void bind(SymInt symbol, int input, int dim) {
    auto number = size_t(symbol.expr()->value);
    if (graph->symbol_sources.size() <= number) graph->symbol_sources.resize(number + 1);
    if (graph->symbol_sources[number].input < 0) graph->symbol_sources[number] = {input, dim};
  }

  /// The node of a concrete tensor.
  Node* constant(const Tensor& tensor) {
    Node*& node = constants[tensor.impl()];
    if (!node) node = made(graph->constant(tensor));
    return node;
  }

  Argument argument(const Value& value) {
    if (value.tag() == Value::Tag::tensor && value.tensor().defined() && !value.tensor().is_symbolic())
      return {NodeOutput{constant(value.tensor()), 0}};
    if (value.tag() != Value::Tag::tensor_list) return to_argument(value);
    Argument::List list;
    for (const Tensor& tensor : value.tensor_list())
      list.push_back(tensor.defined() ? argument(Value(tensor)) : Argument{});
    return {std::move(list)};
  }
};

namespace {

enum class Operands : uint8_t { none, concrete, symbolic };

/// A traced number, or sizes of which one is: `constant.expand(n, 3)`.
bool is_symbolic_number(const Value& value) {
  if (value.tag() == Value::Tag::scalar_node) return true;
  if (value.tag() == Value::Tag::sym_int) return value.sym_int().is_symbolic();
  if (value.tag() != Value::Tag::int_list) return false;
  const auto& sizes = value.int_list();
  return std::any_of(sizes.begin(), sizes.end(), [](SymInt size) { return size.is_symbolic(); });
}

/// Whether a call has tensor or traced number arguments, and whether one of them is symbolic.
Operands classify(const Op& op, const Value* args) {
  Operands found = Operands::none;
  auto note = [&](const Tensor& tensor) {
    if (tensor.defined())
      found = std::max(found, tensor.is_symbolic() ? Operands::symbolic : Operands::concrete);
  };
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    if (args[i].tag() == Value::Tag::tensor) {
      note(args[i].tensor());
    } else if (args[i].tag() == Value::Tag::tensor_list) {
      for (const Tensor& tensor : args[i].tensor_list()) note(tensor);
    } else if (is_symbolic_number(args[i])) {
      found = Operands::symbolic;
    }
  }
  return found;
}

/// A write that eager would refuse must not be recorded: the op is left to eager, which raises.
void check_writable(const Op& op, const Tensor& written) {
  if (!written.is_symbolic())
    throw Untraceable(op.full_name + " writes into a tensor that is no input of the graph");
  for (int i = 0; i < written.dim(); ++i)
    if (written.strides()[i] == 0 && !(written.size(i) == SymInt(1)))
      throw Untraceable(op.full_name + " writes into an expanded tensor");
}

/// The strides of `example` in terms of the symbolic sizes, where they follow from those: each stride is
/// compared with the sizes below it multiplied up.
eager::Dims symbolic_strides(const Tensor& example, const eager::Dims& sizes) {
  eager::Dims strides = example.strides();
  std::vector<int> order;
  for (int i = 0; i < sizes.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (strides[a] != strides[b]) return strides[a] < strides[b];
    return example.sizes()[a] != example.sizes()[b] ? example.sizes()[a] < example.sizes()[b] : a > b;
  });
  SymInt expected = 1;
  for (int dim : order) {
    if (strides[dim] != expected.hint()) break;
    strides[dim] = expected.bits();
    if (example.sizes()[dim] != 0) expected = expected * sizes.sym(dim);
  }
  return strides;
}

}  // namespace

Tracer::Tracer(std::shared_ptr<eager::ShapeEnv> shapes) : state_(std::make_unique<State>(std::move(shapes))) {
  state_->previous = Recorder::exchange(this);
}

Tracer::~Tracer() {
  if (state_->graph) Recorder::exchange(state_->previous);
}

Tensor Tracer::tensor_input(const std::string& name, const Tensor& example, uint64_t dynamic_dims) {
  ValueMeta meta;
  meta.tensor = example.meta();
  meta.requires_grad = example.requires_grad();
  int input = int(graph().inputs.size());
  for (int i = 0; i < example.dim(); ++i) {
    if (!(dynamic_dims >> i & 1) || example.sizes()[i] < 2) continue;
    SymInt symbol = shapes().new_size(example.sizes()[i]);
    meta.tensor.sizes[i] = symbol.bits();
    state_->bind(symbol, input, i);
  }
  if (dynamic_dims) meta.tensor.strides = symbolic_strides(example, meta.tensor.sizes);
  return tensor_input(name, std::move(meta));
}

Tensor Tracer::tensor_input(const std::string& name, ValueMeta meta) {
  int input = int(graph().inputs.size());
  const eager::Dims& sizes = meta.tensor.sizes;
  for (int i = 0; i < sizes.size(); ++i)
    if (sizes.sym(i).is_symbolic() && sizes.sym(i).expr()->kind == eager::SizeExpr::Kind::symbol)
      state_->bind(sizes.sym(i), input, i);
  bool requires_grad = meta.requires_grad;
  Tensor tensor = state_->symbolic(state_->made(graph().placeholder(name, std::move(meta))), 0);
  tensor->requires_grad = requires_grad;
  return tensor;
}

Value Tracer::scalar_input(const std::string& name, DType type, double hint) {
  if (type == DType::int64) {
    SymInt symbol = shapes().new_integer(int64_t(hint));
    integer_input(name, symbol);
    return symbol;
  }
  FRAMEJIT_INTERNAL(type == DType::float64, "inputs that are numbers are int or float");
  ValueMeta meta;
  meta.is_scalar = true;
  meta.tensor.dtype = type;
  return Value::ScalarNode{state_->made(graph().placeholder(name, std::move(meta))), type};
}

void Tracer::integer_input(const std::string& name, SymInt symbol) {
  ValueMeta meta;
  meta.is_scalar = true;
  meta.tensor.dtype = DType::int64;
  state_->bind(symbol, int(graph().inputs.size()), -1);
  state_->made(graph().placeholder(name, std::move(meta)));
}

Value Tracer::scalar_op(const std::string& target, const Value& left, const Value& right) {
  const ScalarOp* op = find_scalar_op(target);
  if (!op) throw Untraceable("the operator " + target + " on numbers");
  bool unary = op->arity == 1;
  DType left_type = number_type(left), right_type = unary ? left_type : number_type(right);
  DType type = op->result_type(left_type, right_type);
  if (target == "pow" && type == DType::int64 && right.sym_int() < SymInt(0)) type = DType::float64;
  if (type == DType::int64) return op->apply(left, right);
  std::vector<Argument> args{to_argument(left)};
  if (!unary) args.push_back(to_argument(right));
  return Value::ScalarNode{state_->made(graph().scalar_op(target, std::move(args), type)), type};
}

Tensor Tracer::fresh_copy(const Tensor& data) {
  static const Op& clone = eager::get_op("clone");
  Tensor constant = state_->symbolic(state_->constant(data), 0);
  std::vector<Value> args(clone.schema.args.size());
  args[0] = constant;
  Value result;
  record(clone, args.data(), &result);
  return result.tensor();
}

std::vector<Value> Tracer::call_opaque(std::shared_ptr<const OpaqueCall> callee, const std::string& name,
                                       const std::vector<Value>& args, std::vector<ValueMeta> meta) {
  std::vector<Argument> arguments;
  for (const Value& arg : args) arguments.push_back(state_->argument(arg));
  Node* node =
      state_->made(graph().call_opaque(std::move(callee), name, std::move(arguments), std::move(meta)));
  std::vector<Value> results;
  for (size_t i = 0; i < node->meta.size(); ++i) {
    if (node->meta[i].is_scalar)
      results.push_back(Value::ScalarNode{node, node->meta[i].tensor.dtype});
    else
      results.push_back(state_->symbolic(node, int(i)));
  }
  return results;
}

void Tracer::record(const Op& op, const Value* args, Value* results) {
  bool mutates = false;
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    if (!op.schema.args[i].mutated) continue;
    mutates = true;
    check_writable(op, args[i].tensor());
  }
  Operands operands = classify(op, args);
  if (operands == Operands::concrete && op.kind != OpKind::random) return call_kernel(op, args, results);
  if (op.kind == OpKind::data_dependent) {
    state_->refused_data = true;
    throw Untraceable(op.full_name + " depends on data");
  }

  std::vector<TensorMeta> inferred;
  op.meta(op, args, inferred);
  std::vector<ValueMeta> metas(inferred.size());
  for (size_t i = 0; i < metas.size(); ++i) metas[i].tensor = std::move(inferred[i]);
  std::vector<Argument> arguments;
  for (size_t i = 0; i < op.schema.args.size(); ++i) arguments.push_back(state_->argument(args[i]));
  Node* node = state_->made(graph().call_op(op, std::move(arguments), std::move(metas)));
  if (mutates)
    write_mutated_results(op, args, results);
  else
    write_new_results(op, node, results);
}

/// An op that writes into arguments returns these, the same objects.
void Tracer::write_mutated_results(const Op& op, const Value* args, Value* results) {
  int count = 0;
  for (size_t i = 0; i < op.schema.args.size() && count < op.schema.result_count; ++i)
    if (op.schema.args[i].mutated) results[count++] = args[i];
}

void Tracer::write_new_results(const Op& op, Node* node, Value* results) {
  if (op.schema.returns_list) {
    std::vector<Tensor> list;
    for (size_t i = 0; i < node->meta.size(); ++i) list.push_back(state_->symbolic(node, int(i)));
    results[0] = std::move(list);
    return;
  }
  for (int i = 0; i < op.schema.result_count; ++i) results[i] = state_->symbolic(node, i);
}

Tracer::Mark Tracer::mark() const { return {state_->last_node, state_->shapes->mark()}; }

void Tracer::rollback(Mark mark) {
  auto& nodes = graph().nodes;
  for (auto at = nodes.end(); at != nodes.begin();) {
    Node* node = std::prev(at)->get();
    if (node->id > mark.node)
      graph().erase(node);
    else
      --at;
  }
  std::erase_if(state_->constants, [&](const auto& entry) { return entry.second->id > mark.node; });
  for (auto& source : graph().symbol_sources)
    if (source.input >= int(graph().inputs.size())) source = {};
  shapes().rollback(mark.guard);
}

bool Tracer::take_refused_data() { return std::exchange(state_->refused_data, false); }

Graph& Tracer::graph() { return *state_->graph; }
eager::ShapeEnv& Tracer::shapes() { return *state_->shapes; }
void Tracer::set_location(std::string stack_trace) { state_->location = std::move(stack_trace); }

std::unique_ptr<Graph> Tracer::finish(const std::vector<Value>& results) {
  std::vector<Argument> arguments;
  for (const Value& result : results) arguments.push_back(state_->argument(result));
  graph().output(std::move(arguments));
  graph().renumber();
  Recorder::exchange(state_->previous);
  return std::move(state_->graph);
}

Argument to_argument(const Value& value) {
  auto list_of = [](const auto& entries) {
    Argument::List list;
    for (auto entry : entries) list.push_back({entry});
    return Argument{std::move(list)};
  };
  switch (value.tag()) {
    case Value::Tag::none:
      return {};
    case Value::Tag::tensor:
      if (!value.tensor().defined()) return {};
      return {NodeOutput{value.tensor()->node, value.tensor()->node_output}};
    case Value::Tag::scalar_node:
      return {NodeOutput{value.scalar_node().node, 0}};
    case Value::Tag::sym_int:
      return {value.sym_int()};
    case Value::Tag::real:
      return {value.real()};
    case Value::Tag::complex:
      return {value.complex()};
    case Value::Tag::boolean:
      return {value.boolean()};
    case Value::Tag::dtype:
      return {value.dtype()};
    case Value::Tag::device:
      return {value.device()};
    case Value::Tag::string:
      return {value.string()};
    case Value::Tag::int_list:
      return list_of(value.int_list());
    case Value::Tag::real_list:
      return list_of(value.real_list());
    case Value::Tag::bool_list: {
      Argument::List list;
      for (bool entry : value.bool_list()) list.push_back({entry});
      return {std::move(list)};
    }
    case Value::Tag::tensor_list: {
      Argument::List list;
      for (const Tensor& tensor : value.tensor_list()) list.push_back(to_argument(Value(tensor)));
      return {std::move(list)};
    }
    case Value::Tag::generator:
      throw Untraceable("a random number generator given as an argument");
  }
  return {};
}

}  // namespace framejit::graph
