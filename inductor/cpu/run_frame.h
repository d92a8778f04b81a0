// The state of one run of a loop program.
#pragma once

#include "inductor/cpu/instance.h"

namespace framejit::inductor::cpu {

class RunFrame {
 public:
  RunFrame(const Plan& plan, const Instance& instance, const eager::Value* inputs);

  void run_step(size_t step);
  void release(int buffer);
  eager::Value result(const ResultDef& result);

 private:
  void allocate();
  void find_numbers();
  void run_external(const External& external);
  /// The value of a node's result, as external calls see it.
  eager::Value value_of(graph::NodeOutput ref);
  eager::Tensor tensor(int index);
  const eager::Value& scalar_of(const graph::Node& node) const { return scalars_.at(&node); }

  const Plan& plan_;
  const LoopProgram& program_;
  const Instance& instance_;
  const eager::Value* inputs_;
  std::vector<char*> memory_;         ///< per buffer: its first byte
  std::vector<eager::Tensor> owned_;  ///< per buffer: results, constants and what externals made; inputs on demand
  eager::Ref<eager::Storage> workspace_;
  std::vector<eager::cpu::Number> numbers_;
  std::map<const graph::Node*, eager::Value> scalars_;  ///< Python numbers among the nodes
};

}  // namespace framejit::inductor::cpu
