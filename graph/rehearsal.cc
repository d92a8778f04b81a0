#include "graph/rehearsal.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "eager/dispatch.h"
#include "eager/random/generator.h"

namespace framejit::graph {

using eager::OpKind;
using eager::Storage;
using eager::Tensor;
using eager::Value;

namespace {

/// Whether the node can raise for inputs that the guards let through: kernels that look at the data can.
bool may_fail(const Node& node) {
  if (node.kind == NodeKind::call_opaque) return !node.opaque->is_traceable();
  if (node.kind != NodeKind::call_op) return false;
  const eager::Op& op = node.op->functional ? *node.op->functional : *node.op;
  return op.kind == OpKind::structural || op.kind == OpKind::random || op.kind == OpKind::data_dependent;
}

/// Where the memory of a node's result comes from: a node that is neither a view nor an in-place op.
const Node* owner(const Node* node) {
  while (node->is_call(OpKind::view) || is_mutating(*node)) {
    const size_t from = node->op->mutated >= 0 ? size_t(node->op->mutated) : 0;
    node = node->args[from].node_output()->node;
  }
  return node;
}

eager::Ref<Storage> copy_of(const Storage& storage) {
  eager::Ref<Storage> copy = Storage::allocate(storage.nbytes(), storage.device());
  std::memcpy(copy->data(), storage.data(), storage.nbytes());
  return copy;
}

/// Puts the process's generator back to where it is now.
class RandomStateScope {
 public:
  ~RandomStateScope() { eager::default_generator().set_state(state_); }

 private:
  eager::RandomState state_ = eager::default_generator().state();
};

}  // namespace

Rehearsal::Rehearsal(const Graph& graph) {
  for (const auto& node : graph.nodes) {
    if (!written_.empty() && may_fail(*node)) needed_ = true;
    if (!is_mutating(*node)) continue;
    const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), owner(node.get()));
    if (input != graph.inputs.end()) written_.push_back(size_t(input - graph.inputs.begin()));
  }
  input_count_ = graph.inputs.size();
  result_count_ = graph.result->args.size();
}

void Rehearsal::run(const Interpreter& interpreter, const Value* inputs) const {
  std::map<const Storage*, eager::Ref<Storage>> copies;
  for (const size_t input : written_) {
    eager::Ref<Storage>& copy = copies[inputs[input].impl()->storage.get()];
    if (!copy) copy = copy_of(*inputs[input].impl()->storage);
  }
  std::vector<Value> args(inputs, inputs + input_count_), results(result_count_);
  for (Value& arg : args) {  // whoever shares written memory shares the copy
    if (!arg.is_tensor()) continue;
    const auto copy = copies.find(arg.impl()->storage.get());
    if (copy != copies.end()) arg = Tensor::from_storage(copy->second, arg.impl()->offset, arg.impl()->meta);
  }
  const RandomStateScope same_numbers_again;
  const eager::GradModeScope no_grad(false);
  interpreter.run(args.data(), results.data());
}

}  // namespace framejit::graph
