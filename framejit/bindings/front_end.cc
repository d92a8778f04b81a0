#include "framejit/bindings/front_end.h"

#include <array>
#include <cstring>

#include "eager/dispatch.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/op_callable.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"
#include "framejit/bindings/tensor_type.h"
#include "guards/tensor_access.h"

namespace framejit::bindings {
namespace {

using eager::Op;
using eager::OpKind;
using symbolic::BreakId;
using symbolic::CallableInfo;
using symbolic::CallableRole;

constexpr CallableInfo kOp{CallableRole::op};
constexpr CallableInfo kNeedsValue{CallableRole::data, BreakId::tensor_value};
constexpr CallableInfo kNeedsShape{CallableRole::data, BreakId::data_dependent_shape};

/// framejit.memory_format and framejit.layout, which are written in Python.
bool is_format(PyTypeObject* type) {
  static std::array<PyObject*, 2> types{};  // kept for the life of the process
  if (!types[0]) {
    PyObject* package = PyDict_GetItemString(PyImport_GetModuleDict(), "framejit");
    types = {package ? PyObject_GetAttrString(package, "memory_format") : nullptr,
             package ? PyObject_GetAttrString(package, "layout") : nullptr};
    PyErr_Clear();  // the package is still being imported
  }
  auto* object = reinterpret_cast<PyObject*>(type);
  return object == types[0] || object == types[1];
}

/// An op is a break only when every overload of it reads data; else the recorder finds out which one was
/// meant.
CallableInfo classify_op(const Overloads& overloads) {
  for (const Signature& signature : overloads.signatures)
    if (signature.op->kind != OpKind::data_dependent) return kOp;
  return overloads.signatures[0].op->schema.returns_number ? kNeedsValue : kNeedsShape;
}

CallableInfo classify_traced(Traced traced) {
  if (traced == Traced::yes) return kOp;
  return traced == Traced::data ? kNeedsValue : CallableInfo{};
}

/// Slots such as `Tensor.__add__`: all run ops, but for the conversions to Python numbers.
CallableInfo classify_slot(const char* name) {
  for (const char* conversion : {"__bool__", "__int__", "__float__", "__index__"})
    if (!std::strcmp(name, conversion)) return kNeedsValue;
  for (const char* other : {"__repr__", "__setattr__", "__delattr__", "__getattribute__", "__hash__"})
    if (!std::strcmp(name, other)) return {};
  return kOp;
}

/// Functions of framejit._C and its submodules.
CallableInfo classify_function(PyObject* callable) {
  struct Known {
    const char* name;
    CallableInfo info;
  };
  static constexpr Known kKnown[] = {{"is_grad_enabled", {CallableRole::grad_mode_query}},
                                     {"set_grad_enabled", {CallableRole::grad_mode_set}},
                                     {"get_autocast", {CallableRole::autocast_query}},
                                     {"set_autocast", {CallableRole::autocast_set}},
                                     {"is_compiling", {CallableRole::is_compiling}},
                                     {"tensor", kOp},
                                     {"as_tensor", kOp}};
  // Hand-written functions and pybind11's both name their module.
  PyObject* module = reinterpret_cast<PyCFunctionObject*>(callable)->m_module;
  const char* module_name = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : nullptr;
  if (!module_name || std::strncmp(module_name, "framejit._C", 11)) return {};
  const char* name = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml->ml_name;
  for (const Known& known : kKnown)
    if (!std::strcmp(name, known.name)) return known.info;
  return {};
}

class TensorFrontEnd final : public symbolic::FrontEnd {
 public:
  /// A subclass that redefines operators or attributes is no plain tensor to the executor.
  bool is_tensor_type(PyTypeObject* type) const override {
    if (type == tensor_type) return true;
    if (!PyType_IsSubtype(type, tensor_type)) return false;
    return type->tp_getattro == tensor_type->tp_getattro && type->tp_setattro == tensor_type->tp_setattro &&
           type->tp_richcompare == tensor_type->tp_richcompare &&
           same_slots(type->tp_as_number, tensor_type->tp_as_number) &&
           same_slots(type->tp_as_mapping, tensor_type->tp_as_mapping);
  }
  eager::Tensor unwrap(PyObject* object) const override { return bindings::unwrap(object); }
  PyObject* wrap(const eager::Tensor& tensor, PyTypeObject* type) const override {
    return guarded([&] { return wrap_as(tensor, type ? type : tensor_type); });
  }

  CallableInfo classify(PyObject* callable) const override {
    if (is_op_callable(callable)) return classify_op(overloads_of(callable));
    PyTypeObject* type = Py_TYPE(callable);
    if (type == &PyCFunction_Type) return classify_function(callable);
    if (callable == reinterpret_cast<PyObject*>(device_type) ||
        callable == reinterpret_cast<PyObject*>(size_type))
      return kOp;
    bool is_descriptor = type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type;
    if (!is_descriptor || PyDescr_TYPE(callable) != tensor_type) return {};
    if (type == &PyMethodDescr_Type)
      return classify_traced(
          traced_method(reinterpret_cast<PyMethodDescrObject*>(callable)->d_method->ml_name));
    return classify_slot(reinterpret_cast<PyWrapperDescrObject*>(callable)->d_base->name);
  }
  bool is_traceable_attribute(PyTypeObject*, PyObject* name) const override {
    const char* text = PyUnicode_AsUTF8(name);
    if (!text) PyErr_Clear();
    return text && traced_attribute(text) == Traced::yes;
  }

  PyObject* wrap_number(const eager::Value& number) const override {
    return guarded([&] { return new_sym_number(number); });
  }
  bool unwrap_number(PyObject* object, eager::Value* number) const override {
    if (!is_sym_number(object)) return false;
    *number = sym_number_value(object);
    return true;
  }
  void set_error() const override { set_python_error(); }
  bool is_constant_type(PyTypeObject* type) const override {
    return type == dtype_type || type == device_type || is_format(type);
  }

 private:
  template <class Slots>
  static bool same_slots(const Slots* a, const Slots* b) {
    return !std::memcmp(a, b, sizeof(Slots));
  }
};

// What the guards ask (guards/tensor_access.h).

const eager::TensorImpl* peek(PyObject* object) { return is_tensor(object) ? impl_of(object) : nullptr; }

/// The modes, above them the default dtype.
constexpr int kDefaultDType = 48;
uint64_t global_state() {
  return eager::pack(eager::modes()) | uint64_t(eager::default_dtype()) << kDefaultDType;
}

const char* describe_global_state(uint64_t word) {
  thread_local std::string text;
  auto flag = [&](int bit) { return word >> bit & 1 ? "True" : "False"; };
  bool autocast = (word & ((uint64_t(1) << kDefaultDType) - 1)) >> 3;
  text = eager::concat("grad_enabled=", flag(0), ", inference_mode=", flag(1), ", anomaly=", flag(2),
                       ", autocast=", autocast ? "True" : "False",
                       ", default_dtype=", eager::dtype_name(eager::DType(word >> kDefaultDType)));
  return text.c_str();
}

}  // namespace

const symbolic::FrontEnd& front_end() {
  static const TensorFrontEnd instance;
  return instance;
}

void install_front_end() {
  symbolic::set_default_front_end(&front_end());
  guards::set_tensor_access({peek, global_state, describe_global_state});
}

}  // namespace framejit::bindings
