// Contract: the loop IR, which lies between graphs and back ends.
//
// A `LoopProgram` is a list of steps over buffers. A step is a *loop* (a nest over an iteration space, whose
// body is a list of instructions in SSA form) or an *external* call (an op that keeps its own kernel: GEMM,
// gather, random ...). Sizes and strides may be symbolic. Nothing here knows of tiles, threads or instruction
// sets: those belong to back ends (cpu/ runs loops as programs of tile kernels).
//
// It prints deterministically (`str`):
//
//   loop 0 [s0, 64] reduced {1}
//     %0 = load.float32 x [64, 1]
//     %1 = number.float32 2.0
//     %2 = mul.float32 %0 %1
//     %3 = reduce_sum.float32 %2
//     store sum_1 %3 row [1, 0]
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "eager/cpu/loops/reduce.h"
#include "graph/graph.h"

namespace framejit::inductor {

using eager::Dims;
using eager::DType;
using eager::SymInt;
using eager::cpu::ReduceKind;

/// A Python number that loops use.
struct NumberDef {
  enum class Source : uint8_t { constant, node, size };
  Source source = Source::constant;
  eager::Value constant;
  graph::NodeOutput node;  ///< scalar placeholder or scalar_op
  SymInt size;             ///< evaluated per call
  DType type = DType::float64;
};

/// A block of memory that is written once, as a whole.
struct Buffer {
  enum class Kind : uint8_t { input, constant, loop, external };
  Kind kind;
  std::string name;
  const graph::Node* node = nullptr;
  int output = 0;
  bool is_result = false;  ///< lives on after the run
};

/// A buffer as a tensor of certain sizes and strides: as it was made, or through view ops.
struct TensorDef {
  int buffer = -1;
  int base = -1;                      ///< the tensor that `view` looks at; -1: the buffer as it was made
  const graph::Node* view = nullptr;  ///< the view op, which is asked for the offset once sizes are known
  int view_output = 0;
  DType dtype = DType::float32;
  Dims sizes;
  Dims strides;
};

struct LoopOperand {
  int tensor = -1;
  Dims strides;  ///< over the dims of the loop
  bool written = false;
  bool row = false;  ///< one element per kept index: strides are 0 on reduced dims
};

struct LoopInstr {
  enum class Kind : uint8_t { load, number, apply, cast, reduce, store };
  Kind kind;
  DType dtype = DType::float32;  ///< of the value
  int slot = -1;                 ///< load, store: operand; number: of LoopProgram::numbers
  std::vector<int> in;           ///< values: numbers of instructions
  const eager::Op* op = nullptr;
  DType compute = DType::float32;  ///< apply: in which the kernel works
  std::vector<int> params;         ///< apply: numbers
  ReduceKind reduce = ReduceKind::sum;
};

struct Loop {
  Dims sizes;  ///< none is 1
  uint64_t reduced = 0;
  std::vector<LoopOperand> operands;
  std::vector<LoopInstr> code;

  bool has_reduction() const;
  bool is_reduced(int dim) const { return (reduced >> dim) & 1; }
};

struct External {
  const graph::Node* node = nullptr;
  std::vector<int> results;  ///< tensors, by output; -1 where the result is a number
};

struct Step {
  std::variant<Loop, External> body;
  Loop* loop() { return std::get_if<Loop>(&body); }
  const Loop* loop() const { return std::get_if<Loop>(&body); }
  const External* external() const { return std::get_if<External>(&body); }
};

/// What the graph returns: a tensor, a number, or nothing.
struct ResultDef {
  int tensor = -1;
  int number = -1;
};

struct LoopProgram {
  std::unique_ptr<graph::Graph> graph;  ///< external calls and views refer to its nodes
  std::vector<NumberDef> numbers;
  std::vector<Buffer> buffers;
  std::vector<TensorDef> tensors;
  std::vector<Step> steps;
  std::vector<ResultDef> results;
  std::map<std::pair<int, int>, int> tensor_of;  ///< (node id, output) -> tensor

  int tensor_at(graph::NodeOutput ref) const { return tensor_of.at({ref.node->id, ref.index}); }
  const Buffer& buffer_of(int tensor) const { return buffers[size_t(tensors[size_t(tensor)].buffer)]; }
  std::string str() const;
};

/// Buffers that a step reads and writes.
std::vector<int> buffers_read(const LoopProgram& program, const Step& step);
std::vector<int> buffers_written(const LoopProgram& program, const Step& step);

const char* reduce_name(ReduceKind kind);

}  // namespace framejit::inductor
