#include "inductor/cpu/run_frame.h"

#include <algorithm>

#include "eager/dispatch.h"
#include "generated/ops/copy.h"
#include "generated/ops/creation.h"
#include "graph/interpret.h"
#include "graph/scalar_op.h"

namespace framejit::inductor::cpu {

using eager::Tensor;
using eager::Value;

namespace {

/// Where a tensor's elements begin. A loop reads operands that do not move before it finds that it has no
/// elements: of an empty tensor, which need not have memory, it gets zeros.
char* first_byte(const eager::TensorImpl& tensor) {
  alignas(16) static char zeros[16];
  if (eager::numel(tensor.meta.sizes) == 0) return zeros;
  return static_cast<char*>(tensor.storage->data()) +
         tensor.offset * int64_t(eager::item_size(tensor.meta.dtype));
}

}  // namespace

RunFrame::RunFrame(const Plan& plan, const Instance& instance, const Value* inputs)
    : plan_(plan),
      program_(plan.program),
      instance_(instance),
      inputs_(inputs),
      memory_(plan.program.buffers.size()),
      owned_(plan.program.buffers.size()),
      numbers_(instance.numbers.data()),
      scalars_(plan.scalars.size()) {
  allocate();
  if (!plan_.scalars.empty()) find_numbers();
}

void RunFrame::allocate() {
  if (instance_.memory.total > 0) workspace_ = eager::Storage::allocate(size_t(instance_.memory.total));
  for (size_t b = 0; b < program_.buffers.size(); ++b) {
    const Buffer& buffer = program_.buffers[b];
    switch (buffer.kind) {
      case Buffer::Kind::input:
        memory_[b] = first_byte(*inputs_[plan_.input_of[b]].impl());
        break;
      case Buffer::Kind::constant:
        memory_[b] = first_byte(*buffer.node->constant.impl());
        break;
      case Buffer::Kind::loop:
        if (instance_.memory.offset[b] >= 0) {
          memory_[b] = static_cast<char*>(workspace_->data()) + instance_.memory.offset[b];
        } else if (buffer.is_result) {
          owned_[b] = Tensor::empty(instance_.tensors[size_t(instance_.base_tensor[b])].meta);
          memory_[b] = first_byte(*owned_[b].impl());
        }
        break;
      case Buffer::Kind::external:
        break;
    }
  }
}

void RunFrame::find_numbers() {
  for (size_t i = 0; i < plan_.scalars.size(); ++i) {
    const graph::Node& node = *plan_.scalars[i].node;
    if (node.kind == graph::NodeKind::placeholder)
      scalars_[i] = inputs_[plan_.scalar_input[i]];
    else if (node.kind == graph::NodeKind::scalar_op)
      scalars_[i] = apply_scalar_op(node);
  }
  own_numbers_ = instance_.numbers;
  for (size_t i = 0; i < own_numbers_.size(); ++i) {
    if (program_.numbers[i].source != NumberDef::Source::node) continue;
    const Value& scalar = scalar_of(program_.numbers[i].node);
    if (!scalar.is_none()) own_numbers_[i] = eager::cpu::to_number(scalar);
  }
  numbers_ = own_numbers_.data();
}

/// None when an operand is a result of an external call that has not run yet.
Value RunFrame::apply_scalar_op(const graph::Node& node) {
  std::vector<SymInt> symbols(instance_.symbols.begin(), instance_.symbols.end());
  auto lookup = [&](graph::NodeOutput ref) -> Value { return scalar_of(ref); };
  Value operands[2];
  for (size_t i = 0; i < node.args.size(); ++i) {
    operands[i] = graph::to_value(node.args[i], eager::ArgType::scalar, lookup, symbols);
    if (operands[i].is_none()) return {};
  }
  return graph::find_scalar_op(node.target)->apply(operands[0], operands[1]);
}

void RunFrame::run_step(size_t step) {
  if (const External* external = program_.steps[step].external()) return run_external(*external);
  const LoopInstance& loop = instance_.loops[step];
  SmallArray<void*, 12> pointers(loop.operands.size());
  for (size_t i = 0; i < loop.operands.size(); ++i)
    pointers[i] = memory_[size_t(loop.operands[i].buffer)] + loop.operands[i].offset;
  eager::cpu::run(loop.nest, pointers.data(), numbers_);
}

namespace {

/// An op that is no row of the table may make something else than it promised while tracing; what reads it
/// was compiled for the promise.
Tensor as_promised(const graph::Node& node, const Tensor& made, const eager::TensorMeta& promised) {
  if (!node.op || !node.op->extension) return made;
  FRAMEJIT_CHECK(made.sizes() == promised.sizes && made.dtype() == promised.dtype, node.op->full_name,
                 ": the kernel returned a ", eager::dtype_name(made.dtype()), " tensor of shape ",
                 eager::sizes_text(made.sizes()), ", the fake implementation one of ",
                 eager::dtype_name(promised.dtype), " and ", eager::sizes_text(promised.sizes));
  if (made.strides() == promised.strides) return made;
  Tensor copy = eager::ops::empty_strided(promised.sizes, promised.strides, promised.dtype, promised.device);
  return eager::ops::copy_(copy, made);
}

}  // namespace

void RunFrame::run_external(const External& external) {
  const graph::Node& node = *external.node;
  std::vector<SymInt> symbols(instance_.symbols.begin(), instance_.symbols.end());
  auto lookup = [&](graph::NodeOutput ref) { return value_of(ref); };
  std::vector<Value> args;
  std::vector<Value> results(node.meta.size());
  if (node.op) {
    for (size_t i = 0; i < node.args.size(); ++i)
      args.push_back(graph::to_value(node.args[i], node.op->schema.args[i].type, lookup, symbols));
    eager::GradModeScope no_grad(false);
    if (node.op->schema.returns_list) {
      Value list;
      eager::call(*node.op, args.data(), &list);
      std::copy(list.tensor_list().begin(), list.tensor_list().end(), results.begin());
    } else {
      eager::call(*node.op, args.data(), results.data());
    }
  } else {
    for (const graph::Argument& argument : node.args)
      args.push_back(graph::to_value(argument, eager::ArgType::scalar, lookup, symbols));
    results = node.opaque->call(args);
  }
  for (size_t i = 0; i < external.results.size(); ++i) {
    if (external.results[i] < 0) {
      scalar_of({const_cast<graph::Node*>(&node), int(i)}) = results[i];
      continue;
    }
    const size_t result = size_t(external.results[i]);
    const size_t buffer = size_t(program_.tensors[result].buffer);
    owned_[buffer] = as_promised(node, results[i].tensor(), instance_.tensors[result].meta);
    memory_[buffer] = first_byte(*owned_[buffer].impl());
  }
  bool made_numbers =
      std::find(external.results.begin(), external.results.end(), -1) != external.results.end();
  if (made_numbers) find_numbers();
}

Value RunFrame::value_of(graph::NodeOutput ref) {
  if (ref.node->meta[size_t(ref.index)].is_scalar) return scalar_of(ref);
  return tensor(program_.tensor_at(ref));
}

Tensor RunFrame::tensor(int index) {
  const TensorDef& def = program_.tensors[size_t(index)];
  size_t b = size_t(def.buffer);
  const Buffer& buffer = program_.buffers[b];
  Tensor base = owned_[b];
  if (buffer.kind == Buffer::Kind::input) base = inputs_[plan_.input_of[b]].tensor();
  if (buffer.kind == Buffer::Kind::constant) base = buffer.node->constant;
  if (def.base < 0 && base.defined()) return base;
  const TensorInstance& instance = instance_.tensors[size_t(index)];
  if (base.defined())
    return Tensor::from_storage(base->storage, base.offset() + instance.offset, instance.meta);
  int64_t item = int64_t(eager::item_size(def.dtype));
  return Tensor::from_storage(workspace_, instance_.memory.offset[b] / item + instance.offset, instance.meta);
}

void RunFrame::release(int buffer) { owned_[size_t(buffer)] = Tensor(); }

Value RunFrame::result(const ResultDef& result) {
  if (result.tensor >= 0) return tensor(result.tensor);
  if (result.number < 0) return {};
  const NumberDef& def = program_.numbers[size_t(result.number)];
  if (def.source == NumberDef::Source::node) return scalar_of(def.node);
  if (def.source == NumberDef::Source::constant) return def.constant;
  return Value(instance_.numbers[size_t(result.number)].integer);
}

}  // namespace framejit::inductor::cpu
