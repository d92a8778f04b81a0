#include "inductor/cpu/instance.h"

#include <algorithm>

#include "eager/dispatch.h"
#include "graph/interpret.h"

namespace framejit::inductor::cpu {
namespace {

namespace tile = eager::cpu;

class InstanceMaker {
 public:
  InstanceMaker(const Plan& plan, std::vector<int64_t> symbols) : plan_(plan), program_(plan.program) {
    instance_.symbols = std::move(symbols);
  }

  Instance make() {
    instance_.base_tensor.resize(program_.buffers.size(), -1);
    for (size_t t = 0; t < program_.tensors.size(); ++t)
      if (program_.tensors[t].base < 0) instance_.base_tensor[size_t(program_.tensors[t].buffer)] = int(t);
    for (const TensorDef& def : program_.tensors) instance_.tensors.push_back(place_tensor(def));
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      const Loop* loop = program_.steps[s].loop();
      instance_.loops.push_back(loop ? place_loop(*loop, plan_.tiles[s]) : LoopInstance{});
    }
    for (const NumberDef& number : program_.numbers) instance_.numbers.push_back(place_number(number));
    instance_.memory = plan_memory(plan_.lives, buffer_bytes());
    return std::move(instance_);
  }

 private:
  int64_t value(SymInt size) const {
    return size.is_symbolic() ? size.expr()->evaluate(instance_.symbols) : size.bits();
  }
  Dims values(const Dims& dims) const {
    Dims result;
    for (int d = 0; d < dims.size(); ++d) result.push_back(value(dims.sym(d)));
    return result;
  }

  TensorInstance place_tensor(const TensorDef& def) const {
    TensorInstance result;
    result.meta.dtype = def.dtype;
    result.meta.sizes = values(def.sizes);
    result.meta.strides = values(def.strides);
    if (def.view) result.offset = view_offset(def);
    return result;
  }

  /// Asks the view op itself, on a tensor without memory: the storage only knows its size.
  int64_t view_offset(const TensorDef& def) const {
    const graph::Node& node = *def.view;
    const TensorInstance& base = instance_.tensors[size_t(def.base)];
    std::vector<SymInt> symbols(instance_.symbols.begin(), instance_.symbols.end());
    auto lookup = [&](graph::NodeOutput) -> eager::Value {
      auto nowhere = eager::Storage::adopt(nullptr, size_t(buffer_bytes(def.buffer)), {}, [] {});
      return eager::Tensor::from_storage(std::move(nowhere), base.offset, base.meta);
    };
    std::vector<eager::Value> args;
    for (size_t i = 0; i < node.args.size(); ++i)
      args.push_back(graph::to_value(node.args[i], node.op->schema.args[i].type, lookup, symbols));
    std::vector<eager::Value> results(size_t(std::max(1, node.op->schema.result_count)));
    eager::call_kernel(*node.op, args.data(), results.data());
    const eager::Tensor& view = node.op->schema.returns_list
                                    ? results[0].tensor_list()[size_t(def.view_output)]
                                    : results[size_t(def.view_output)].tensor();
    return view.offset();
  }

  LoopInstance place_loop(const Loop& loop, const tile::Program& program) const {
    LoopInstance result;
    tile::Space space;
    space.sizes = values(loop.sizes);
    space.reduced = loop.reduced;
    for (const LoopOperand& operand : loop.operands) {
      space.strides.push_back(values(operand.strides));
      const TensorDef& def = program_.tensors[size_t(operand.tensor)];
      int64_t item = int64_t(eager::item_size(def.dtype));
      result.operands.push_back({def.buffer, instance_.tensors[size_t(operand.tensor)].offset * item});
    }
    result.nest = tile::prepare(program, space);
    return result;
  }

  tile::Number place_number(const NumberDef& number) const {
    if (number.source == NumberDef::Source::constant) return tile::to_number(number.constant);
    if (number.source == NumberDef::Source::size) return tile::to_number(eager::Value(value(number.size)));
    return {};
  }

  int64_t buffer_bytes(int buffer) const {
    const eager::TensorMeta& meta = instance_.tensors[size_t(instance_.base_tensor[size_t(buffer)])].meta;
    int64_t count = 1;
    for (int64_t size : meta.sizes) count *= size;
    return count * int64_t(eager::item_size(meta.dtype));
  }
  std::vector<int64_t> buffer_bytes() const {
    std::vector<int64_t> bytes;
    for (size_t b = 0; b < instance_.base_tensor.size(); ++b) bytes.push_back(buffer_bytes(int(b)));
    return bytes;
  }

  const Plan& plan_;
  const LoopProgram& program_;
  Instance instance_;
};

}  // namespace

Instance make_instance(const Plan& plan, std::vector<int64_t> symbols) {
  return InstanceMaker(plan, std::move(symbols)).make();
}

}  // namespace framejit::inductor::cpu
