#include "graph/interpret.h"

#include "eager/error.h"
#include "graph/scalar_op.h"

namespace framejit::graph {

using eager::ArgType;
using eager::Tensor;
using eager::Value;

namespace {

bool is_traced(const Value& number) {
  return number.tag() == Value::Tag::scalar_node ||
         (number.tag() == Value::Tag::sym_int && number.sym_int().is_symbolic());
}

}  // namespace

struct Interpreter::Frame {
  const Value* inputs;
  Value* results;
  size_t next_input = 0;
  std::vector<Value> slots;
  std::vector<SymInt> symbols;
  Tracer* tracer;
  bool grad_mode = eager::modes().grad_enabled;
};

Interpreter::Interpreter(const Graph& graph, Call call) : graph_(graph), call_(std::move(call)) {
  std::unordered_map<size_t, const Node*> last_reader;
  for (const auto& node : graph.nodes) {
    first_slot_[node.get()] = slot_count_;
    for (size_t i = 0; i < node->meta.size(); ++i) last_reader[slot_count_ + i] = node.get();
    slot_count_ += node->meta.size();
    for_each_node_output(node->args, [&](const NodeOutput& ref) { last_reader[slot(ref)] = node.get(); });
  }
  for (auto [slot, node] : last_reader) dead_after_[node].push_back(slot);
}

void Interpreter::run(const Value* inputs, Value* results) const {
  Frame frame{inputs, results};
  frame.slots.resize(slot_count_);
  frame.symbols = bind_symbols(graph_, inputs);
  frame.tracer = dynamic_cast<Tracer*>(eager::Recorder::current());
  for (const auto& node : graph_.nodes) {
    run_node(*node, frame);
    auto dead = dead_after_.find(node.get());
    if (dead == dead_after_.end()) continue;
    for (size_t slot : dead->second) frame.slots[slot] = Value();
  }
}

void Interpreter::run_node(const Node& node, Frame& frame) const {
  auto lookup = [&](NodeOutput ref) -> Value { return frame.slots[slot(ref)]; };
  auto number = [&](const Argument& arg) { return to_value(arg, ArgType::scalar, lookup, frame.symbols); };
  Value* results = frame.slots.data() + first_slot_.at(&node);
  switch (node.kind) {
    case NodeKind::placeholder:
      *results = frame.inputs[frame.next_input++];
      break;
    case NodeKind::constant:
      *results = node.constant;
      break;
    case NodeKind::call_op:
      call_op(node, frame);
      break;
    case NodeKind::scalar_op: {
      Value left = number(node.args[0]), right = node.args.size() > 1 ? number(node.args[1]) : Value();
      bool symbolic = is_traced(left) || is_traced(right);
      *results = symbolic ? frame.tracer->scalar_op(node.target, left, right)
                          : find_scalar_op(node.target)->apply(left, right);
      break;
    }
    case NodeKind::call_opaque: {
      std::vector<Value> args;
      for (const Argument& arg : node.args) args.push_back(number(arg));
      eager::GradModeScope scope(frame.grad_mode && node.grad_mode);
      const bool recorded = frame.tracer && !node.opaque->is_traceable();
      std::vector<Value> made = recorded
                                    ? frame.tracer->call_opaque(node.opaque, node.target, args, node.meta)
                                    : node.opaque->call(args);
      std::move(made.begin(), made.end(), results);
      break;
    }
    case NodeKind::output:
      for (size_t i = 0; i < node.args.size(); ++i) frame.results[i] = number(node.args[i]);
      break;
  }
}

void Interpreter::call_op(const Node& node, Frame& frame) const {
  auto lookup = [&](NodeOutput ref) -> Value { return frame.slots[slot(ref)]; };
  const auto& schema = node.op->schema;
  std::vector<Value> args;
  for (size_t i = 0; i < node.args.size(); ++i)
    args.push_back(to_value(node.args[i], schema.args[i].type, lookup, frame.symbols));
  if (frame.tracer) frame.tracer->set_location(node.stack_trace);

  eager::GradModeScope scope(frame.grad_mode && node.grad_mode);
  Value* results = frame.slots.data() + first_slot_.at(&node);
  auto call = [&](Value* made) {
    call_ ? call_(node, args.data(), made) : eager::call(*node.op, args.data(), made);
  };
  if (!schema.returns_list) return call(results);
  Value list;
  call(&list);
  for (const Tensor& tensor : list.tensor_list()) *results++ = tensor;
}

// --- arguments ---------------------------------------------------------------------------------------------

namespace {

using Lookup = std::function<Value(NodeOutput)>;

Value to_list_value(const Argument::List& list, ArgType type, const Lookup& lookup,
                    const std::vector<SymInt>& symbols) {
  auto entry = [&](const Argument& arg) { return to_value(arg, ArgType::scalar, lookup, symbols); };
  switch (type) {
    case ArgType::integer_list: {
      std::vector<SymInt> sizes;
      for (const Argument& arg : list) sizes.push_back(entry(arg).sym_int());
      return sizes;
    }
    case ArgType::real_list: {
      std::vector<double> reals;
      for (const Argument& arg : list) reals.push_back(entry(arg).real());
      return reals;
    }
    case ArgType::bool_list: {
      std::vector<bool> flags;
      for (const Argument& arg : list) flags.push_back(entry(arg).boolean());
      return flags;
    }
    default: {
      std::vector<Tensor> tensors;
      for (const Argument& arg : list) tensors.push_back(arg.is_none() ? Tensor() : entry(arg).tensor());
      return tensors;
    }
  }
}

}  // namespace

Value to_value(const Argument& argument, ArgType type, const Lookup& lookup,
               const std::vector<SymInt>& symbols) {
  struct Visitor {
    ArgType type;
    const Lookup& lookup;
    const std::vector<SymInt>& symbols;
    Value operator()(std::monostate) const { return {}; }
    Value operator()(NodeOutput ref) const { return lookup(ref); }
    Value operator()(SymInt size) const { return substitute(size, symbols); }
    Value operator()(double value) const { return value; }
    Value operator()(std::complex<double> value) const { return value; }
    Value operator()(bool value) const { return value; }
    Value operator()(DType dtype) const { return dtype; }
    Value operator()(eager::Device device) const { return device; }
    Value operator()(const std::string& text) const { return text; }
    Value operator()(const Argument::List& list) const { return to_list_value(list, type, lookup, symbols); }
  };
  return std::visit(Visitor{type, lookup, symbols}, argument.value);
}

Retrace::Retrace(const Graph& graph, bool differentiate) : tracer_(graph.shapes) {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Node& input = *graph.inputs[i];
    if (!input.meta[0].is_scalar) {
      Tensor tensor = tracer_.tensor_input(input.name, input.meta[0]);
      tensor->requires_grad = differentiate && input.meta[0].requires_grad;
      inputs_.push_back(std::move(tensor));
      continue;
    }
    if (input.meta[0].tensor.dtype != DType::int64) {
      inputs_.push_back(tracer_.scalar_input(input.name, input.meta[0].tensor.dtype, 0));
      continue;
    }
    // An int input: the symbol it binds; one that is not used gets a symbol nobody names.
    SymInt symbol = int64_t(0);
    for (size_t s = 0; s < graph.symbol_sources.size(); ++s)
      if (graph.symbol_sources[s].input == int(i)) symbol = SymInt(eager::SizeExpr::symbol(int64_t(s)));
    if (!symbol.is_symbolic()) symbol = tracer_.shapes().new_integer(0);
    tracer_.integer_input(input.name, symbol);
    inputs_.push_back(symbol);
  }
}

}  // namespace framejit::graph
