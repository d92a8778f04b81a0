// The last steps of making a Trace: graph, guards, registers.
#include <algorithm>
#include <map>

#include "graph/print.h"
#include "symbolic/bytecode/instruction.h"
#include "symbolic/rebuild.h"

namespace framejit::symbolic {
namespace {

bool has_effects(const graph::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    return node->kind == graph::NodeKind::call_op && graph::has_effect(*node);
  });
}

bool draws_random(const std::unique_ptr<graph::Node>& node) {
  if (node->kind != graph::NodeKind::call_op) return false;
  const eager::Op& op = node->op->functional ? *node->op->functional : *node->op;
  return op.kind == eager::OpKind::random;
}

/// Divisions, powers and shifts raise for some numbers: they are computed even when nobody reads the result,
/// and a failing one is a guard miss.
bool may_raise(const Step& step) {
  if (step.op != StepOp::binary) return false;
  auto apply = bytecode::binary_operator(step.aux & kOperatorMask).apply;
  for (auto safe : {PyNumber_Add, PyNumber_Subtract, PyNumber_Multiply, PyNumber_InPlaceAdd,
                    PyNumber_InPlaceSubtract, PyNumber_InPlaceMultiply})
    if (apply == safe) return false;
  return true;
}

}  // namespace

void Rebuilder::finish() {
  finish_graph();
  drop_unused_steps();
  executor_.guards_.size_relations(executor_.tracer_->shapes().guards());
  if (trace_.graph) executor_.guards_.global_state();
  guard_separate();
  trace_.guards = executor_.guards_.finish();
  trace_.slot_count = trace_.guards->slot_count();
  renumber();
}

void Rebuilder::finish_graph() {
  if (results_.empty() && !has_effects(executor_.tracer_->graph())) return;
  for (Var* input : executor_.graph_inputs_)
    trace_.graph_inputs.push_back(input->kind == Kind::number ? executor_.number_reg(input)
                                                              : executor_.guards_.slot(input->source));
  std::unique_ptr<graph::Graph> graph = executor_.tracer_->finish(results_);
  trace_.op_count = int(std::count_if(graph->nodes.begin(), graph->nodes.end(), [](const auto& node) {
    return node->kind == graph::NodeKind::call_op || node->kind == graph::NodeKind::call_opaque;
  }));
  trace_.draws_random = std::any_of(graph->nodes.begin(), graph->nodes.end(), draws_random);
  trace_.graph_text = graph::print(*graph);
  trace_.graph = executor_.request_.compiler->compile(std::move(graph));
}

/// What the trace writes to is not, under another name, something it read: objects found separate have to
/// stay so.
void Rebuilder::guard_separate() {
  std::map<PyTypeObject*, std::vector<const Source*>> written;
  for (const Effect& effect : executor_.effects_)
    if (!effect.operands.empty() && effect.operands[0]->source)
      written[Py_TYPE(effect.operands[0]->real.get())];
  if (written.empty()) return;
  for (const auto& [object, var] : executor_.known_) {
    auto same_type = written.find(Py_TYPE(object));
    if (same_type != written.end() && var->source) same_type->second.push_back(var->source);
  }
  for (auto& [type, sources] : written) {
    std::sort(sources.begin(), sources.end(),
              [](const Source* a, const Source* b) { return a->text < b->text; });
    if (sources.size() > 1) executor_.guards_.distinct(sources);
  }
}

/// Prelude steps whose result nobody reads (numbers that turned out not to matter). Checks stay.
void Rebuilder::drop_unused_steps() {
  std::vector<Reg> roots = trace_.graph_inputs;
  for (const Trace::Store& store : trace_.stores) roots.push_back(store.reg);
  roots.insert(roots.end(), trace_.stack.begin(), trace_.stack.end());
  roots.push_back(trace_.result);
  std::vector<bool> used(executor_.next_reg_ - Executor::kFirstReg);
  auto use = [&](Reg reg) {
    if (reg != kNoReg && reg >= Executor::kFirstReg) used[reg - Executor::kFirstReg] = true;
  };
  auto use_operands = [&](const Step& step) {
    for (uint32_t i = 0; i < step.count; ++i) use(trace_.operands[step.first + i]);
  };
  for (Reg reg : roots) use(reg);
  for (const Step& step : trace_.epilogue) use_operands(step);
  std::vector<Step> kept;
  for (auto step = trace_.prelude.rbegin(); step != trace_.prelude.rend(); ++step) {
    if (step->dst != kNoReg && !used[step->dst - Executor::kFirstReg] && !may_raise(*step)) continue;
    use_operands(*step);
    kept.push_back(*step);
  }
  std::reverse(kept.begin(), kept.end());
  trace_.prelude = std::move(kept);
}

/// Registers follow the guard slots, whose number is known only now.
void Rebuilder::renumber() {
  auto move = [&](Reg& reg) {
    if (reg != kNoReg && reg >= Executor::kFirstReg) reg = trace_.slot_count + (reg - Executor::kFirstReg);
  };
  for (Reg& reg : trace_.operands) move(reg);
  for (Reg& reg : trace_.graph_inputs) move(reg);
  for (Reg& reg : trace_.graph_results) move(reg);
  for (Reg& reg : trace_.stack) move(reg);
  for (Trace::Store& store : trace_.stores) move(store.reg);
  for (std::vector<Step>* steps : {&trace_.prelude, &trace_.epilogue})
    for (Step& step : *steps) move(step.dst);
  move(trace_.result);
  trace_.register_count = trace_.slot_count + (executor_.next_reg_ - Executor::kFirstReg);
}

}  // namespace framejit::symbolic
