#include "inductor/lower.h"

#include <bit>

#include "eager/meta/pointwise.h"
#include "inductor/reductions.h"

namespace framejit::inductor {
namespace {

using eager::OpKind;
using eager::TensorMeta;
using eager::Value;
using graph::Argument;
using graph::Node;
using graph::NodeKind;
using graph::NodeOutput;
using Kind = LoopInstr::Kind;

/// A tensor of which only the meta data is asked.
Value meta_value(const TensorMeta& meta) {
  auto impl = eager::make_ref<eager::TensorImpl>();
  impl->meta = meta;
  return eager::Tensor(std::move(impl));
}

/// Dims that loops run over: those whose size is not 1.
std::vector<int> loop_dims(const Dims& sizes) {
  std::vector<int> dims;
  for (int d = 0; d < sizes.size(); ++d)
    if (sizes[d] != 1) dims.push_back(d);
  return dims;
}
Dims pick(const Dims& all, const std::vector<int>& dims) {
  Dims picked;
  for (int d : dims) picked.push_back(all[d]);
  return picked;
}

bool same_number(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (a.tag() == Value::Tag::real)
    return std::bit_cast<int64_t>(a.real()) == std::bit_cast<int64_t>(b.real());
  if (a.tag() == Value::Tag::complex) return same(Argument{a.complex()}, Argument{b.complex()});
  return a.sym_int().bits() == b.sym_int().bits();
}

class Lowering {
 public:
  explicit Lowering(std::unique_ptr<graph::Graph> graph) {
    graph->renumber();
    program_.graph = std::move(graph);
  }

  LoopProgram run() {
    for (const auto& node : program_.graph->nodes) lower_node(*node);
    return std::move(program_);
  }

 private:
  void lower_node(const Node& node) {
    switch (node.kind) {
      case NodeKind::placeholder:
        if (!node.meta[0].is_scalar) add_buffer(Buffer::Kind::input, node, 0);
        break;
      case NodeKind::constant:
        add_buffer(Buffer::Kind::constant, node, 0);
        break;
      case NodeKind::scalar_op:
        break;
      case NodeKind::call_op:
        lower_call(node);
        break;
      case NodeKind::call_opaque:
        lower_external(node);
        break;
      case NodeKind::output:
        for (const Argument& result : node.args) program_.results.push_back(lower_result(result));
        break;
    }
  }

  void lower_call(const Node& node) {
    if (node.op->kind == OpKind::view && !reads_whole_storage(node)) return lower_view(node);
    if (node.op->kind == OpKind::pointwise && lower_pointwise(node)) return;
    if (auto kind = reduce_kind_of(*node.op)) return lower_reduction(node, *kind);
    static const eager::Op& full = eager::get_op("full");
    if (node.op == &full) return lower_fill(node);
    lower_external(node);
  }

  // --- tensors and numbers ---

  int add_tensor(const Node& node, int output, TensorDef def) {
    const TensorMeta& meta = node.meta[size_t(output)].tensor;
    def.dtype = meta.dtype;
    def.sizes = meta.sizes;
    def.strides = meta.strides;
    program_.tensors.push_back(def);
    int tensor = int(program_.tensors.size()) - 1;
    program_.tensor_of[{node.id, output}] = tensor;
    return tensor;
  }
  int add_buffer(Buffer::Kind kind, const Node& node, int output) {
    Buffer buffer{kind, node.name, &node, output};
    if (node.meta.size() > 1) buffer.name += eager::concat(".", output);
    program_.buffers.push_back(buffer);
    TensorDef def;
    def.buffer = int(program_.buffers.size()) - 1;
    return add_tensor(node, output, def);
  }
  int number(NumberDef def) {
    for (size_t i = 0; i < program_.numbers.size(); ++i) {
      const NumberDef& other = program_.numbers[i];
      bool same = other.source == def.source && other.node == def.node &&
                  other.size.bits() == def.size.bits() &&
                  (def.source != NumberDef::Source::constant || same_number(other.constant, def.constant));
      if (same) return int(i);
    }
    program_.numbers.push_back(std::move(def));
    return int(program_.numbers.size()) - 1;
  }
  /// The number that an argument is.
  int number(const Argument& argument) {
    if (const NodeOutput* ref = argument.node_output())
      return number(
          {NumberDef::Source::node, {}, *ref, {}, ref->node->meta[size_t(ref->index)].tensor.dtype});
    if (const SymInt* size = argument.sym_int()) {
      if (size->is_symbolic()) return number({NumberDef::Source::size, {}, {}, *size, DType::int64});
      return number({NumberDef::Source::constant, Value(*size), {}, {}, DType::int64});
    }
    if (const bool* flag = std::get_if<bool>(&argument.value))
      return number({NumberDef::Source::constant, Value(*flag), {}, {}, DType::bool_});
    if (const auto* complex = std::get_if<std::complex<double>>(&argument.value))
      return number({NumberDef::Source::constant, Value(*complex), {}, {}, DType::complex128});
    return number(
        {NumberDef::Source::constant, Value(std::get<double>(argument.value)), {}, {}, DType::float64});
  }
  static bool is_tensor(const Argument& argument) {
    const NodeOutput* ref = argument.node_output();
    return ref && !ref->node->meta[size_t(ref->index)].is_scalar;
  }
  /// What the dispatcher's type rules see of an argument.
  Value rule_value(const Argument& argument) {
    if (const NodeOutput* ref = argument.node_output()) {
      const graph::ValueMeta& meta = ref->node->meta[size_t(ref->index)];
      if (!meta.is_scalar) return meta_value(meta.tensor);
      return Value(Value::ScalarNode{ref->node, meta.tensor.dtype});
    }
    if (const SymInt* size = argument.sym_int()) return Value(*size);
    if (const double* real = std::get_if<double>(&argument.value)) return Value(*real);
    if (const bool* flag = std::get_if<bool>(&argument.value)) return Value(*flag);
    if (const auto* complex = std::get_if<std::complex<double>>(&argument.value)) return Value(*complex);
    if (const DType* dtype = std::get_if<DType>(&argument.value)) return Value(*dtype);
    return {};
  }
  ResultDef lower_result(const Argument& argument) {
    if (argument.is_none()) return {};
    if (!is_tensor(argument)) return {-1, number(argument)};
    int tensor = program_.tensor_at(*argument.node_output());
    program_.buffers[size_t(program_.tensors[size_t(tensor)].buffer)].is_result = true;
    return {tensor, -1};
  }

  // --- ops ---

  /// as_strided may read all of a storage, of which only that of a loop's result is known here.
  bool reads_whole_storage(const Node& node) const {
    static const eager::Op& as_strided = eager::get_op("as_strided");
    if (node.op != &as_strided) return false;
    const TensorDef& base = program_.tensors[size_t(program_.tensor_at(*node.args[0].node_output()))];
    return program_.buffers[size_t(base.buffer)].kind != Buffer::Kind::loop;
  }

  void lower_view(const Node& node) {
    int base = program_.tensor_at(*node.args[0].node_output());
    for (int i = 0; i < int(node.meta.size()); ++i) {
      TensorDef def;
      def.buffer = program_.tensors[size_t(base)].buffer;
      def.base = base;
      def.view = &node;
      def.view_output = i;
      add_tensor(node, i, def);
    }
  }

  void lower_external(const Node& node) {
    External external{&node, {}};
    for (int i = 0; i < int(node.meta.size()); ++i)
      external.results.push_back(
          node.meta[size_t(i)].is_scalar ? -1 : add_buffer(Buffer::Kind::external, node, i));
    program_.steps.push_back({std::move(external)});
  }

  int add_load(Loop& loop, LoopOperand operand, DType as) {
    loop.operands.push_back(std::move(operand));
    loop.code.push_back({.kind = Kind::load, .dtype = as, .slot = int(loop.operands.size()) - 1});
    return int(loop.code.size()) - 1;
  }
  void add_store(Loop& loop, int value, int tensor, Dims strides, bool row) {
    loop.operands.push_back({tensor, std::move(strides), true, row});
    loop.code.push_back({.kind = Kind::store,
                         .dtype = program_.tensors[size_t(tensor)].dtype,
                         .slot = int(loop.operands.size()) - 1,
                         .in = {value}});
  }

  /// False when no tile kernel computes in the dtype: the external call then raises what eager raises.
  bool lower_pointwise(const Node& node) {
    const eager::Op& op = *node.op;
    std::vector<Value> rule_args;
    for (const Argument& argument : node.args) rule_args.push_back(rule_value(argument));
    eager::PointwiseTypes types = eager::pointwise_types(op, rule_args.data());
    const TensorMeta& meta = node.meta[0].tensor;
    if (!op.tiles[size_t(types.compute)] || meta.device.type != eager::DeviceType::cpu) return false;

    std::vector<int> dims = loop_dims(meta.sizes);
    Loop loop;
    loop.sizes = pick(meta.sizes, dims);
    LoopInstr apply{.kind = Kind::apply, .dtype = types.result, .op = &op, .compute = types.compute};
    for (int i = 0; i < op.operand_count; ++i) {
      const Argument& argument = node.args[size_t(i)];
      if (is_tensor(argument)) {
        int tensor = program_.tensor_at(*argument.node_output());
        apply.in.push_back(
            add_load(loop, {tensor, broadcast_strides(tensor, meta.sizes, dims)}, types.compute));
      } else {
        const DType dtype =
            op.tiles[size_t(types.compute)].dtype;  // not rounded to `compute`, as in eager code
        loop.code.push_back({.kind = Kind::number, .dtype = dtype, .slot = number(argument)});
        apply.in.push_back(int(loop.code.size()) - 1);
      }
    }
    for (uint8_t param : op.params) apply.params.push_back(number(node.args[param]));
    loop.code.push_back(std::move(apply));
    int result = add_buffer(Buffer::Kind::loop, node, 0);
    add_store(loop, int(loop.code.size()) - 1, result, pick(meta.strides, dims), false);
    program_.steps.push_back({std::move(loop)});
    return true;
  }

  /// A tensor that repeats one number is a loop too, so that it fuses into whatever reads it.
  void lower_fill(const Node& node) {
    const TensorMeta& meta = node.meta[0].tensor;
    std::vector<int> dims = loop_dims(meta.sizes);
    Loop loop;
    loop.sizes = pick(meta.sizes, dims);
    int value = number(node.args[size_t(node.op->schema.find("fill_value"))]);
    loop.code.push_back({.kind = Kind::number, .dtype = meta.dtype, .slot = value});
    add_store(loop, 0, add_buffer(Buffer::Kind::loop, node, 0), pick(meta.strides, dims), false);
    program_.steps.push_back({std::move(loop)});
  }

  /// A size that differs from that of the loop is 1, be it by a guard: a number of the program may be a size.
  Dims broadcast_strides(int tensor, const Dims& sizes, const std::vector<int>& dims) {
    const TensorDef& def = program_.tensors[size_t(tensor)];
    int lead = sizes.size() - def.sizes.size();
    auto spread = [&](int d) {
      return d < lead || (def.sizes[d - lead] != sizes[d] && def.sizes.sym(d - lead) == 1);
    };
    Dims strides;
    for (int d : dims) strides.push_back(spread(d) ? 0 : def.strides[d - lead]);
    return strides;
  }

  void lower_reduction(const Node& node, ReduceKind kind) {
    int input = program_.tensor_at(*node.args[0].node_output());
    const TensorDef from = program_.tensors[size_t(input)];
    const TensorMeta& meta = node.meta[0].tensor;
    uint64_t reduced = reduced_dims(node, from.sizes.size());
    std::vector<int> dims = loop_dims(from.sizes);
    Loop loop;
    loop.sizes = pick(from.sizes, dims);
    Dims result_strides;
    bool keeps_dims = meta.sizes.size() == from.sizes.size();
    std::vector<int> place;  // dim of the result that an input dim becomes
    for (int d = 0, at = 0; d < from.sizes.size(); ++d) {
      place.push_back(at);
      if (keeps_dims || !((reduced >> d) & 1)) ++at;
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      bool is_reduced = (reduced >> dims[i]) & 1;
      if (is_reduced) loop.reduced |= uint64_t(1) << i;
      result_strides.push_back(is_reduced ? 0 : meta.strides[place[size_t(dims[i])]]);
    }
    DType compute = eager::cpu::reduce_compute_dtype(kind, from.dtype, meta.dtype);
    int value = add_load(loop, {input, pick(from.strides, dims)}, compute);
    loop.code.push_back({.kind = Kind::reduce,
                         .dtype = eager::cpu::reduce_result_dtype(kind, compute),
                         .in = {value},
                         .reduce = kind});
    int reduce = int(loop.code.size()) - 1;
    add_store(loop, reduce, add_buffer(Buffer::Kind::loop, node, 0), result_strides, true);
    program_.steps.push_back({std::move(loop)});
  }

  LoopProgram program_;
};

}  // namespace

LoopProgram lower(std::unique_ptr<graph::Graph> graph) { return Lowering(std::move(graph)).run(); }

}  // namespace framejit::inductor
