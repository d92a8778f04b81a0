// A loop program laid out for certain sizes: everything of a run that does not depend on data or addresses.
#pragma once

#include "eager/cpu/loops/nest.h"
#include "inductor/memory_plan.h"

namespace framejit::inductor::cpu {

/// What all instances of an executable share.
struct Plan {
  LoopProgram program;
  std::vector<eager::cpu::Program> tiles;  ///< per step; empty for external calls
  std::vector<BufferLife> lives;
  std::vector<size_t> input_of;  ///< per buffer: the graph input that it is
  /// Python numbers among the results of nodes, in order, and where a result is in this list.
  std::vector<graph::NodeOutput> scalars;
  std::map<std::pair<const graph::Node*, int>, int> scalar_at;
  std::vector<size_t> scalar_input;  ///< per scalar: the graph input that it is
};

struct LoopInstance {
  struct Place {
    int buffer;
    int64_t offset;  ///< in bytes, of the first element
  };
  eager::cpu::Nest nest;
  std::vector<Place> operands;
};

struct TensorInstance {
  eager::TensorMeta meta;
  int64_t offset = 0;  ///< in elements, in its buffer
};

struct Instance {
  std::vector<int64_t> symbols;
  std::vector<TensorInstance> tensors;
  std::vector<LoopInstance> loops;          ///< per step
  std::vector<int> base_tensor;             ///< per buffer: the tensor as it was made
  std::vector<eager::cpu::Number> numbers;  ///< constants and sizes; the others are filled in per run
  MemoryPlan memory;
};

Instance make_instance(const Plan& plan, std::vector<int64_t> symbols);

}  // namespace framejit::inductor::cpu
