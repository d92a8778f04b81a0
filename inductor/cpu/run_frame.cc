#include "inductor/cpu/run_frame.h"

#include <algorithm>

#include "eager/dispatch.h"
#include "graph/interpret.h"
#include "graph/scalar_op.h"

namespace framejit::inductor::cpu {

using eager::Tensor;
using eager::Value;

RunFrame::RunFrame(const Plan& plan, const Instance& instance, const Value* inputs)
    : plan_(plan), program_(plan.program), instance_(instance), inputs_(inputs) {
  allocate();
  if (!program_.numbers.empty() || plan_.has_scalars) find_numbers();
}

void RunFrame::allocate() {
  memory_.resize(program_.buffers.size());
  owned_.resize(program_.buffers.size());
  if (instance_.memory.total > 0) workspace_ = eager::Storage::allocate(size_t(instance_.memory.total));
  for (size_t b = 0; b < memory_.size(); ++b) {
    const Buffer& buffer = program_.buffers[b];
    switch (buffer.kind) {
      case Buffer::Kind::input:
        memory_[b] = static_cast<char*>(inputs_[plan_.input_of[b]].tensor().data());
        break;
      case Buffer::Kind::constant:
        memory_[b] = static_cast<char*>(buffer.node->constant.data());
        break;
      case Buffer::Kind::loop:
        if (instance_.memory.offset[b] >= 0) {
          memory_[b] = static_cast<char*>(workspace_->data()) + instance_.memory.offset[b];
        } else if (buffer.is_result) {
          owned_[b] = Tensor::empty(instance_.tensors[size_t(instance_.base_tensor[b])].meta);
          memory_[b] = static_cast<char*>(owned_[b].data());
        }
        break;
      case Buffer::Kind::external:
        break;
    }
  }
}

void RunFrame::find_numbers() {
  auto lookup = [&](graph::NodeOutput ref) { return scalar_of(*ref.node); };
  std::vector<SymInt> symbols(instance_.symbols.begin(), instance_.symbols.end());
  auto number = [&](const graph::Argument& argument) {
    return graph::to_value(argument, eager::ArgType::scalar, lookup, symbols);
  };
  size_t input = 0;
  for (const auto& node : program_.graph->nodes) {
    if (node->kind == graph::NodeKind::placeholder) {
      if (node->meta[0].is_scalar) scalars_[node.get()] = inputs_[input];
      ++input;
    } else if (node->kind == graph::NodeKind::scalar_op) {
      Value right = node->args.size() > 1 ? number(node->args[1]) : Value();
      scalars_[node.get()] = graph::find_scalar_op(node->target)->apply(number(node->args[0]), right);
    }
  }
  numbers_ = instance_.numbers;
  for (size_t i = 0; i < numbers_.size(); ++i)
    if (program_.numbers[i].source == NumberDef::Source::node)
      numbers_[i] = to_number(scalar_of(*program_.numbers[i].node.node));
}

void RunFrame::run_step(size_t step) {
  if (const External* external = program_.steps[step].external()) return run_external(*external);
  const LoopInstance& loop = instance_.loops[step];
  constexpr size_t kFew = 64;
  void* few[kFew];
  std::vector<void*> many;
  void** pointers = few;
  if (loop.operands.size() > kFew) {
    many.resize(loop.operands.size());
    pointers = many.data();
  }
  for (size_t i = 0; i < loop.operands.size(); ++i)
    pointers[i] = memory_[size_t(loop.operands[i].buffer)] + loop.operands[i].offset;
  eager::cpu::run(loop.nest, pointers, numbers_.data());
}

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
      scalars_[&node] = results[i];
      continue;
    }
    size_t buffer = size_t(program_.tensors[size_t(external.results[i])].buffer);
    owned_[buffer] = results[i].tensor();
    memory_[buffer] = static_cast<char*>(owned_[buffer].data());
  }
}

Value RunFrame::value_of(graph::NodeOutput ref) {
  if (ref.node->meta[size_t(ref.index)].is_scalar) return scalar_of(*ref.node);
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
  if (base.defined()) return Tensor::from_storage(base->storage, base.offset() + instance.offset, instance.meta);
  int64_t item = int64_t(eager::item_size(def.dtype));
  return Tensor::from_storage(workspace_, instance_.memory.offset[b] / item + instance.offset, instance.meta);
}

void RunFrame::release(int buffer) { owned_[size_t(buffer)] = Tensor(); }

Value RunFrame::result(const ResultDef& result) {
  if (result.tensor >= 0) return tensor(result.tensor);
  if (result.number < 0) return {};
  const NumberDef& def = program_.numbers[size_t(result.number)];
  if (def.source == NumberDef::Source::node) return scalar_of(*def.node.node);
  if (def.source == NumberDef::Source::constant) return def.constant;
  return Value(instance_.numbers[size_t(result.number)].integer);
}

}  // namespace framejit::inductor::cpu
