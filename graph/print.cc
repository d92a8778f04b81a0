#include "graph/print.h"

#include <charconv>
#include <cmath>

namespace framejit::graph {
namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string dims_text(const eager::Dims& sizes) {
  std::vector<std::string> parts;
  for (int i = 0; i < sizes.size(); ++i) parts.push_back(sizes.sym(i).str());
  return join(parts);
}

/// As for `Dims ==`, but by expression: printing must not guard.
bool is_contiguous(const TensorMeta& meta) {
  SymInt expected = 1;
  for (int i = meta.sizes.size() - 1; i >= 0; --i) {
    if (meta.strides[i] != expected.bits()) return false;
    if (meta.sizes[i] != 0) expected = expected * meta.sizes.sym(i);
  }
  return true;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string ref_text(NodeOutput ref) {
  return "%" + ref.node->name + (ref.index ? "#" + std::to_string(ref.index) : "");
}

std::string args_text(const std::vector<Argument>& args) {
  std::vector<std::string> parts;
  for (const Argument& arg : args) parts.push_back(print(arg));
  return join(parts);
}

std::string call_text(const Node& node) {
  switch (node.kind) {
    case NodeKind::call_op:
      return node.op->full_name + "(" + args_text(node.args) + ")";
    case NodeKind::scalar_op:
      return "scalar " + node.target + "(" + args_text(node.args) + ")";
    case NodeKind::call_opaque:
      return "opaque " + node.target + "(" + args_text(node.args) + ")";
    default:
      return "";
  }
}

std::string constant_text(const Node& node, int number) {
  return "%" + node.name + " = constant " + std::to_string(number) + " : " + print(node.meta[0]);
}

std::string symbols_text(const Graph& graph) {
  std::string text;
  for (size_t i = 0; i < graph.symbol_sources.size(); ++i) {
    auto [input, dim] = graph.symbol_sources[i];
    if (input < 0) continue;
    text += "  s" + std::to_string(i) + " = %" + graph.inputs[size_t(input)]->name;
    text += dim < 0 ? "\n" : ".size(" + std::to_string(dim) + ")\n";
  }
  return text;
}

}  // namespace

std::string print_real(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string print(const Argument& argument) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(NodeOutput ref) const { return ref_text(ref); }
    std::string operator()(SymInt size) const { return size.str(); }
    std::string operator()(double value) const { return print_real(value); }
    std::string operator()(std::complex<double> value) const {
      return "(" + print_real(value.real()) + ", " + print_real(value.imag()) + ")";
    }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(DType dtype) const { return eager::dtype_name(dtype); }
    std::string operator()(eager::Device device) const { return "@" + eager::device_name(device); }
    std::string operator()(const std::string& text) const { return quoted(text); }
    std::string operator()(const Argument::List& list) const { return "[" + args_text(list) + "]"; }
  };
  return std::visit(Visitor{}, argument.value);
}

std::string print(const ValueMeta& meta) {
  std::string text = eager::dtype_name(meta.tensor.dtype);
  if (meta.is_scalar) return text;
  text += "[" + dims_text(meta.tensor.sizes) + "]";
  if (!is_contiguous(meta.tensor)) text += "{" + dims_text(meta.tensor.strides) + "}";
  if (meta.tensor.device != eager::Device{}) text += " @" + eager::device_name(meta.tensor.device);
  return text + (meta.requires_grad ? " grad" : "");
}

std::string print(const Node& node) {
  if (node.kind == NodeKind::output) return "return " + args_text(node.args);
  if (node.kind == NodeKind::placeholder) return "%" + node.name + " = input " + print(node.meta[0]);
  if (node.kind == NodeKind::constant) return constant_text(node, 0);
  std::vector<std::string> metas;
  for (const ValueMeta& meta : node.meta) metas.push_back(print(meta));
  return "%" + node.name + " = " + call_text(node) + " : " + join(metas) + (node.grad_mode ? "" : " no_grad");
}

std::string print(const Graph& graph, PrintOptions options) {
  std::string text = "graph {\n", location;
  bool symbols_done = false;
  int constants = 0;
  for (const auto& node : graph.nodes) {
    if (node->kind != NodeKind::placeholder && !std::exchange(symbols_done, true))
      text += symbols_text(graph);
    if (options.locations && !node->stack_trace.empty() && node->stack_trace != location) {
      location = node->stack_trace;
      text += "  # " + location + "\n";
    }
    text +=
        "  " + (node->kind == NodeKind::constant ? constant_text(*node, constants++) : print(*node)) + "\n";
  }
  return text + "}\n";
}

std::vector<eager::Tensor> constants_of(const Graph& graph) {
  std::vector<eager::Tensor> constants;
  for (const auto& node : graph.nodes)
    if (node->kind == NodeKind::constant) constants.push_back(node->constant);
  return constants;
}

}  // namespace framejit::graph
