// The state of one run of a loop program.
#pragma once

#include "inductor/cpu/instance.h"
#include "inductor/cpu/small_array.h"

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
  eager::Value apply_scalar_op(const graph::Node& node);
  void run_external(const External& external);
  /// The value of a node's result, as external calls see it.
  eager::Value value_of(graph::NodeOutput ref);
  eager::Tensor tensor(int index);
  eager::Value& scalar_of(graph::NodeOutput ref) {
    return scalars_[size_t(plan_.scalar_at.at({ref.node, ref.index}))];
  }

  const Plan& plan_;
  const LoopProgram& program_;
  const Instance& instance_;
  const eager::Value* inputs_;
  SmallArray<char*, 8> memory_;         ///< per buffer: its first byte
  SmallArray<eager::Tensor, 8> owned_;  ///< per buffer: results and what external calls made
  eager::Ref<eager::Storage> workspace_;
  const eager::cpu::Number* numbers_;
  std::vector<eager::cpu::Number> own_numbers_;  ///< where some depend on the inputs
  SmallArray<eager::Value, 4> scalars_;          ///< as Plan::scalars
};

}  // namespace framejit::inductor::cpu
