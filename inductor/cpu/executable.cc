#include "inductor/cpu/executable.h"

#include <algorithm>

#include "inductor/cpu/run_frame.h"
#include "inductor/cpu/tile_code.h"

namespace framejit::inductor::cpu {
namespace {

Plan make_plan(LoopProgram loops) {
  Plan plan{std::move(loops)};
  const LoopProgram& program = plan.program;
  for (const Step& step : program.steps) {
    const Loop* loop = step.loop();
    plan.tiles.push_back(loop ? make_tile_program(program, *loop) : eager::cpu::Program());
  }
  plan.lives = find_lives(program);
  const auto& inputs = program.graph->inputs;
  auto input_number = [&](const graph::Node* node) {
    return size_t(std::find(inputs.begin(), inputs.end(), node) - inputs.begin());
  };
  for (const Buffer& buffer : program.buffers) plan.input_of.push_back(input_number(buffer.node));
  for (const auto& node : program.graph->nodes) {
    for (int i = 0; i < int(node->meta.size()); ++i) {
      if (!node->meta[size_t(i)].is_scalar) continue;
      plan.scalar_at[{node.get(), i}] = int(plan.scalars.size());
      plan.scalars.push_back({node.get(), i});
      plan.scalar_input.push_back(input_number(node.get()));
    }
  }
  return plan;
}

/// Values of the symbols that the graph uses; others stay 0.
std::vector<int64_t> read_symbols(const graph::Graph& graph, const eager::Value* inputs) {
  std::vector<int64_t> symbols;
  for (const auto& source : graph.symbol_sources) {
    int64_t value = 0;
    if (source.input >= 0)
      value =
          source.dim < 0 ? inputs[source.input].integer() : inputs[source.input].tensor().sizes()[source.dim];
    symbols.push_back(value);
  }
  return symbols;
}

}  // namespace

CpuExecutable::CpuExecutable(LoopProgram program)
    : plan_(make_plan(std::move(program))), released_after_(plan_.program.steps.size()) {
  for (size_t b = 0; b < plan_.lives.size(); ++b) {
    const Buffer& buffer = plan_.program.buffers[b];
    if (buffer.kind == Buffer::Kind::external && !buffer.is_result)
      released_after_[size_t(plan_.lives[b].last)].push_back(int(b));
  }
}

std::string CpuExecutable::tiles_text() const {
  std::string text;
  for (size_t step = 0; step < plan_.tiles.size(); ++step)
    if (plan_.program.steps[step].loop())
      text += eager::concat("tiles ", step, "\n", plan_.tiles[step].str());
  return text;
}

CpuExecutable::~CpuExecutable() {
  for (const Kept* kept = kept_.load(); kept;) delete std::exchange(kept, kept->next);
}

const Instance& CpuExecutable::instance_for(const eager::Value* inputs,
                                            std::unique_ptr<Instance>& temporary) const {
  const Kept* newest = kept_.load(std::memory_order_acquire);
  if (newest && newest->instance.symbols.empty()) return newest->instance;
  std::vector<int64_t> symbols = read_symbols(*plan_.program.graph, inputs);
  auto find = [&](int& count) -> const Instance* {
    for (const Kept* kept = kept_.load(std::memory_order_acquire); kept; kept = kept->next, ++count)
      if (kept->instance.symbols == symbols) return &kept->instance;
    return nullptr;
  };
  int count = 0;
  if (const Instance* found = find(count)) return *found;
  std::lock_guard lock(mutex_);
  count = 0;
  if (const Instance* found = find(count)) return *found;
  if (count >= kKeptInstances) {
    temporary = std::make_unique<Instance>(make_instance(plan_, std::move(symbols)));
    return *temporary;
  }
  auto kept = std::make_unique<Kept>(Kept{make_instance(plan_, std::move(symbols)), kept_.load()});
  kept_.store(kept.get(), std::memory_order_release);
  return kept.release()->instance;
}

void CpuExecutable::run(const eager::Value* inputs, eager::Value* results) const {
  std::unique_ptr<Instance> temporary;
  const Instance& instance = instance_for(inputs, temporary);
  RunFrame frame(plan_, instance, inputs);
  for (size_t step = 0; step < plan_.program.steps.size(); ++step) {
    frame.run_step(step);
    for (int buffer : released_after_[step]) frame.release(buffer);
  }
  const auto& wanted = plan_.program.results;
  for (size_t i = 0; i < wanted.size(); ++i) results[i] = frame.result(wanted[i]);
}

}  // namespace framejit::inductor::cpu
