// autograd.Function: `backward` is traced where `apply` is called, and becomes a rule of the graph (see
// graph/custom_gradient.h). What it reads is guarded as everything else is.
#include "graph/custom_gradient.h"

#include <algorithm>
#include <set>

#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

/// A result of forward that no other tensor shares: neither an input, nor a view of anything.
bool is_fresh(const eager::Tensor& tensor) {
  return tensor->node->kind == graph::NodeKind::call_op && !tensor->node->is_call(eager::OpKind::view) &&
         !graph::is_mutating(*tensor->node);
}

}  // namespace

/// Models _C._autograd.link_function(backward, ctx, name, inputs, outputs).
Var* Executor::link_gradient(const CallArgs& args) {
  FRAMEJIT_INTERNAL(args.size() == 5, "link_function takes five arguments");
  const std::string name = PyUnicode_AsUTF8(expect_constant(args[2], "the name"));
  auto give_up = [&](const std::string& why) { break_here(BreakId::custom_gradient, name + ": " + why); };
  auto of_context = [&](const char* attribute) {
    return load_attribute(args[1], constant_string(attribute));
  };
  if (!request_.compiler->takes_custom_gradients()) give_up("the backend is a Python function");
  if (!iterate_all(of_context("_dirty")).empty()) give_up("it writes into its inputs");
  std::vector<Var*> constant = iterate_all(of_context("_non_differentiable"));
  std::vector<Var*> given = iterate_all(args[3]), outputs = iterate_all(args[4]);

  std::vector<eager::Tensor> inputs, results;
  std::vector<size_t> places;  // of the inputs among the arguments
  for (size_t i = 0; i < given.size(); ++i) {
    TensorVar* input = as<TensorVar>(given[i]);
    if (!input) continue;
    materialize(input);
    if (!input->tensor.requires_grad()) continue;
    if (!input->tensor.is_symbolic()) give_up("an input that the trace holds");
    inputs.push_back(input->tensor);
    places.push_back(i);
  }
  std::set<std::pair<graph::Node*, int>> seen;
  std::vector<size_t> linked;  // which outputs
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorVar* output = as<TensorVar>(outputs[i]);
    if (!output) continue;
    materialize(output);
    const bool differentiable = std::find(constant.begin(), constant.end(), output) == constant.end() &&
                                eager::is_inexact(output->tensor.dtype());
    if (!output->tensor.is_symbolic()) give_up("a result that is a constant");
    if (!is_fresh(output->tensor) ||
        !seen.insert({output->tensor->node, output->tensor->node_output}).second) {
      eager::GradModeScope no_grad(false);  // a tensor of its own
      outputs[i] = output = static_cast<TensorVar*>(call_method(output, "clone"));
    }
    if (!differentiable) continue;
    results.push_back(output->tensor);
    linked.push_back(i);
  }
  if (results.empty() || inputs.empty()) return tuple(outputs);
  if (results.size() > 1 && !truth(of_context("_materialize_grads"))) give_up("set_materialize_grads(False)");

  mutated();  // from here on, giving up means to trace anew: backward leaves nodes behind
  const size_t first_own = vars_.size();
  graph::GradientTangents tangents = graph::begin_gradient(*tracer_, results);
  std::vector<eager::Tensor> gradients =
      trace_backward(args, name, tangents.tensors, outputs, linked, given, places);
  graph::TracedGradient traced;
  try {
    traced = graph::end_gradient(*tracer_, name, tangents, results, inputs, gradients);
  } catch (const graph::Untraceable& error) {
    give_up(error.what());
  }
  for (size_t i = first_own; i < vars_.size(); ++i)
    if (TensorVar* own = as<TensorVar>(vars_[i].get()); own && !own->existing()) own->gone = true;

  std::vector<eager::Value> operands(results.begin(), results.end());
  operands.insert(operands.end(), inputs.begin(), inputs.end());
  operands.insert(operands.end(), traced.captured.begin(), traced.captured.end());
  std::vector<graph::ValueMeta> metas;
  for (const eager::Tensor& result : results) metas.push_back({result.meta()});
  std::vector<eager::Tensor> made;
  for (const eager::Value& result : tracer_->call_opaque(traced.rule, name, operands, std::move(metas)))
    made.push_back(result.tensor());
  traced.rule->link(made, operands);
  for (size_t i = 0; i < linked.size(); ++i)
    outputs[linked[i]] = tensor(made[i], PyRef::steal(front_end().wrap(made[i], nullptr)));
  return tuple(outputs);
}

/// Calls backward on the tangents; the gradients of the inputs at `places` among the arguments `given`.
std::vector<eager::Tensor> Executor::trace_backward(const CallArgs& args, const std::string& name,
                                                    const std::vector<eager::Tensor>& tangents,
                                                    const std::vector<Var*>& outputs,
                                                    const std::vector<size_t>& linked,
                                                    const std::vector<Var*>& given,
                                                    const std::vector<size_t>& places) {
  auto give_up = [&](const std::string& why) { break_here(BreakId::custom_gradient, name + ": " + why); };
  std::vector<Var*> operands{args[1]};
  for (size_t i = 0, next = 0; i < outputs.size(); ++i) {
    if (next == linked.size() ||
        linked[next] != i) {  // backward gets zeros, or None where there is no tensor
      TensorVar* output = as<TensorVar>(outputs[i]);
      operands.push_back(output ? call_method(output, "new_zeros", {call_method(output, "size")}) : none());
      continue;
    }
    const eager::Tensor& tangent = tangents[next++];
    operands.push_back(tensor(tangent, PyRef::steal(front_end().wrap(tangent, nullptr))));
  }
  const size_t effects = effects_.size();
  const uint64_t modes = eager::pack(eager::modes());
  Var* found = nullptr;
  try {
    found = call(args[0], {operands, {}});
  } catch (RaiseError& error) {
    give_up("backward raises");
  } catch (BreakError& error) {
    give_up("in backward: " + std::string(break_reason(error.record.id).name) + " " + error.record.detail);
  }
  for (size_t i = effects; i < effects_.size(); ++i)
    if (effects_[i].op != StepOp::grad_mode && effects_[i].op != StepOp::autocast)
      give_up("backward changes objects");
  if (eager::pack(eager::modes()) != modes) give_up("backward leaves another mode behind");
  effects_.resize(effects);
  const bool several = found->kind == Kind::tuple || found->kind == Kind::list;
  std::vector<Var*> all = several ? iterate_all(found) : std::vector<Var*>{found};
  if (all.size() < given.size()) give_up("backward returns too few gradients");
  for (size_t i = given.size(); i < all.size(); ++i)
    if (!is_none(all[i])) give_up("backward returns too many gradients");
  std::vector<eager::Tensor> gradients;
  for (size_t place : places) {
    TensorVar* gradient = as<TensorVar>(all[place]);
    if (gradient) materialize(gradient);
    if (gradient ? !gradient->tensor.is_symbolic() : !is_none(all[place]))
      give_up("backward returns something that is no tensor of the graph");
    gradients.push_back(gradient ? gradient->tensor : eager::Tensor());
  }
  return gradients;
}

}  // namespace framejit::symbolic
