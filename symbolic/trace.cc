// Traces as text, and their ownership of constants.
#include "symbolic/trace.h"

#include <sstream>

#include "guards/guard.h"

namespace framejit::symbolic {
namespace {

constexpr const char* kStepNames[] = {
#define FRAMEJIT_STEP(name, meaning) #name,
#include "symbolic/steps.def"
#undef FRAMEJIT_STEP
};
constexpr const char* kEndNames[] = {"returns", "graph_break", "branch", "loop_step", "loop_cut", "fallback"};

std::string name(Reg reg) { return reg == kNoReg ? "NULL" : "r" + std::to_string(reg); }

std::string constant_text(PyObject* object) {
  // Only what prints the same each time: no addresses.
  if (PyUnicode_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
      object == Py_None || PyBool_Check(object)) {
    PyObject* text = PyObject_Repr(object);
    std::string result = text ? PyUnicode_AsUTF8(text) : "?";
    Py_XDECREF(text);
    PyErr_Clear();
    return result;
  }
  if (PyType_Check(object)) return reinterpret_cast<PyTypeObject*>(object)->tp_name;
  return std::string("<") + Py_TYPE(object)->tp_name + ">";
}

}  // namespace

Trace::Trace() = default;
Trace::~Trace() {
  for (PyObject* constant : constants) Py_DECREF(constant);
}

std::string Trace::str() const {
  std::ostringstream out;
  auto print = [&](const Step& step) {
    out << "  ";
    if (step.dst != kNoReg) out << name(step.dst) << " = ";
    out << kStepNames[size_t(step.op)];
    for (uint32_t i = 0; i < step.count; ++i) out << " " << name(operands[step.first + i]);
    if (step.op == StepOp::constant)
      out << " " << constant_text(constants[size_t(step.aux)]);
    else if (step.aux)
      out << " #" << step.aux;
    out << "\n";
  };
  auto list = [&](const char* title, const std::vector<Reg>& regs) {
    out << title;
    for (Reg reg : regs) out << " " << name(reg);
    out << "\n";
  };
  out << "slots " << slot_count << "\n";
  if (!prelude.empty()) out << "prelude\n";
  for (const Step& step : prelude) print(step);
  if (graph) {
    list("graph inputs", graph_inputs);
    list("graph results", graph_results);
  }
  if (!epilogue.empty()) out << "epilogue\n";
  for (const Step& step : epilogue) print(step);
  for (const Store& store : stores) out << "store local " << store.index << " " << name(store.reg) << "\n";
  if (!stack.empty()) list("stack", stack);
  out << kEndNames[size_t(end.kind)];
  if (end.kind == EndKind::returns)
    out << " " << name(result);
  else
    out << " at " << end.pc << ": " << break_reason(end.record.id).name << " " << end.record.detail;
  out << "\n";
  return out.str();
}

}  // namespace framejit::symbolic
