#include "inductor/loop_ir.h"

#include <algorithm>

#include "graph/print.h"

namespace framejit::inductor {

using Kind = LoopInstr::Kind;

bool Loop::has_reduction() const {
  return std::any_of(code.begin(), code.end(),
                     [](const LoopInstr& instr) { return instr.kind == Kind::reduce; });
}

std::vector<int> buffers_read(const LoopProgram& program, const Step& step) {
  std::vector<int> result;
  if (const Loop* loop = step.loop()) {
    for (const LoopOperand& operand : loop->operands)
      if (!operand.written) result.push_back(program.tensors[size_t(operand.tensor)].buffer);
  } else {
    graph::for_each_node_output(step.external()->node->args, [&](const graph::NodeOutput& ref) {
      if (!ref.node->meta[size_t(ref.index)].is_scalar)
        result.push_back(program.tensors[size_t(program.tensor_at(ref))].buffer);
    });
  }
  return result;
}

std::vector<int> buffers_written(const LoopProgram& program, const Step& step) {
  std::vector<int> result;
  if (const Loop* loop = step.loop()) {
    for (const LoopOperand& operand : loop->operands)
      if (operand.written) result.push_back(program.tensors[size_t(operand.tensor)].buffer);
  } else {
    for (int tensor : step.external()->results)
      if (tensor >= 0) result.push_back(program.tensors[size_t(tensor)].buffer);
  }
  return result;
}

const char* reduce_name(ReduceKind kind) {
  static constexpr const char* kNames[] = {"sum", "mean", "prod",   "amax",  "amin",
                                           "any", "all",  "argmax", "argmin"};
  return kNames[size_t(kind)];
}

// --- text
// -------------------------------------------------------------------------------------------------------------

namespace {

std::string number_text(const NumberDef& number) {
  if (number.source == NumberDef::Source::node) return number.node.node->name;
  if (number.source == NumberDef::Source::size) return number.size.str();
  const eager::Value& value = number.constant;
  if (value.tag() == eager::Value::Tag::boolean) return value.boolean() ? "True" : "False";
  if (value.tag() == eager::Value::Tag::complex) return graph::print(graph::Argument{value.complex()});
  if (value.tag() != eager::Value::Tag::real) return value.sym_int().str();
  std::string text = eager::concat(value.real());
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string tensor_text(const LoopProgram& program, int tensor) {
  const TensorDef& def = program.tensors[size_t(tensor)];
  if (!def.view) return program.buffers[size_t(def.buffer)].name;
  std::string text = eager::concat(program.buffers[size_t(def.buffer)].name, " via ", def.view->name);
  return def.view->meta.size() > 1 ? eager::concat(text, ".", def.view_output) : text;
}

class Printer {
 public:
  explicit Printer(const LoopProgram& program) : program_(program) {}

  std::string print() {
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      step.loop() ? print_loop(i, *step.loop()) : print_external(i, *step.external());
    }
    text_ += "return";
    for (const ResultDef& result : program_.results) {
      text_ += result.tensor >= 0   ? " " + tensor_text(program_, result.tensor)
               : result.number >= 0 ? " " + number_text(program_.numbers[size_t(result.number)])
                                    : " None";
    }
    return text_ + "\n";
  }

 private:
  void print_loop(size_t at, const Loop& loop) {
    text_ += eager::concat("loop ", at, " ", eager::sizes_text(loop.sizes));
    if (loop.reduced) {
      text_ += " reduced {";
      const char* separator = "";
      for (int d = 0; d < loop.sizes.size(); ++d)
        if (loop.is_reduced(d)) text_ += eager::concat(std::exchange(separator, ", "), d);
      text_ += "}";
    }
    text_ += "\n";
    for (size_t i = 0; i < loop.code.size(); ++i) print_instr(loop, i);
  }

  void print_instr(const Loop& loop, size_t i) {
    const LoopInstr& instr = loop.code[i];
    if (instr.kind == Kind::store) {
      text_ += "  store ";
      print_operand(loop.operands[size_t(instr.slot)]);
      text_ += eager::concat(" <- %", instr.in[0], "\n");
      return;
    }
    text_ += eager::concat("  %", i, " = ");
    switch (instr.kind) {
      case Kind::load:
        text_ += eager::concat("load.", eager::dtype_name(instr.dtype), " ");
        print_operand(loop.operands[size_t(instr.slot)]);
        break;
      case Kind::number:
        text_ += eager::concat("number.", eager::dtype_name(instr.dtype), " ",
                               number_text(program_.numbers[size_t(instr.slot)]));
        break;
      case Kind::apply:
        text_ += eager::concat(instr.op->full_name, ".", eager::dtype_name(instr.dtype));
        break;
      case Kind::cast:
        text_ += eager::concat("cast.", eager::dtype_name(instr.dtype));
        break;
      default:
        text_ += eager::concat("reduce_", reduce_name(instr.reduce), ".", eager::dtype_name(instr.dtype));
    }
    for (int in : instr.in) text_ += eager::concat(" %", in);
    for (int param : instr.params) text_ += " " + number_text(program_.numbers[size_t(param)]);
    text_ += "\n";
  }

  void print_operand(const LoopOperand& operand) {
    text_ += eager::concat(tensor_text(program_, operand.tensor), operand.row ? " row " : " ",
                           eager::sizes_text(operand.strides));
  }

  void print_external(size_t at, const External& external) {
    const graph::Node& node = *external.node;
    text_ += eager::concat("external ", at, " ");
    for (size_t i = 0; i < external.results.size(); ++i)
      text_ += (i ? ", " : "") +
               (external.results[i] < 0 ? node.name : tensor_text(program_, external.results[i]));
    text_ += eager::concat(" = ", node.op ? node.op->full_name : node.target, "(");
    const char* separator = "";
    graph::for_each_node_output(node.args, [&](const graph::NodeOutput& ref) {
      bool scalar = ref.node->meta[size_t(ref.index)].is_scalar;
      text_ += std::exchange(separator, ", ");
      text_ += scalar ? ref.node->name : tensor_text(program_, program_.tensor_at(ref));
    });
    text_ += ")\n";
  }

  const LoopProgram& program_;
  std::string text_;
};

}  // namespace

std::string LoopProgram::str() const { return Printer(*this).print(); }

}  // namespace framejit::inductor
