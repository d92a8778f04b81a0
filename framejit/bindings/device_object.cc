// device: `framejit.device("cpu")`.
#include <cstdlib>

#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"

namespace framejit::bindings {

PyTypeObject* device_type = nullptr;

namespace {

using eager::Device;
using eager::DeviceType;

struct PyDevice {
  PyObject_HEAD Device device;
};

Device value_of(PyObject* self) { return reinterpret_cast<PyDevice*>(self)->device; }

const char* type_name(DeviceType type) {
  switch (type) {
    case DeviceType::cpu:
      return "cpu";
    case DeviceType::cuda:
      return "cuda";
    case DeviceType::meta:
      return "meta";
  }
  return "?";
}
bool has_index(Device device) { return device.type == DeviceType::cuda; }

PyObject* create(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "index", nullptr};
  PyObject* type;
  int index = -1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|i:device", const_cast<char**>(names), &type, &index))
    return nullptr;
  return guarded([&]() -> PyObject* {
    Device device;
    if (!read_device(type, &device))
      eager::fail(eager::ErrorType::type, "device(): argument 'type' must be str or device, not ",
                  Py_TYPE(type)->tp_name);
    if (index >= 0) device.index = int8_t(index);
    return new_device(device);
  });
}

PyObject* repr(PyObject* self) {
  Device device = value_of(self);
  if (!has_index(device)) return PyUnicode_FromFormat("device(type='%s')", type_name(device.type));
  return PyUnicode_FromFormat("device(type='%s', index=%d)", type_name(device.type), device.index);
}
PyObject* str(PyObject* self) { return PyUnicode_FromString(eager::device_name(value_of(self)).c_str()); }

Py_hash_t hash(PyObject* self) { return Py_hash_t(value_of(self).type) * 1000 + value_of(self).index; }

PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (!Py_IS_TYPE(b, device_type) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((value_of(a) == value_of(b)) == (op == Py_EQ));
}

PyObject* get_type(PyObject* self, void*) { return PyUnicode_FromString(type_name(value_of(self).type)); }
PyObject* get_index(PyObject* self, void*) {
  if (!has_index(value_of(self))) Py_RETURN_NONE;
  return PyLong_FromLong(value_of(self).index);
}
PyObject* reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("O(s)", device_type, eager::device_name(value_of(self)).c_str());
}

PyGetSetDef getset[] = {
    {"type", get_type, nullptr, "'cpu', 'cuda' or 'meta'", nullptr},
    {"index", get_index, nullptr, "number of the device, None where there is one only", nullptr},
    {}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {}};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(create)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_str, reinterpret_cast<void*>(str)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_doc, const_cast<char*>("device(type, index=None)\n\nWhere a tensor's data is.")},
    {0, nullptr}};
PyType_Spec spec = {"framejit.device", sizeof(PyDevice), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

PyObject* new_device(Device device) {
  auto* object = PyObject_New(PyDevice, device_type);
  if (!object) throw PythonError();
  object->device = device;
  return reinterpret_cast<PyObject*>(object);
}

Device parse_device(const std::string& text) {
  size_t colon = text.find(':');
  std::string type = text.substr(0, colon);
  Device device;
  bool known = false;
  for (DeviceType candidate : {DeviceType::cpu, DeviceType::cuda, DeviceType::meta})
    if (type == type_name(candidate)) device.type = candidate, known = true;
  FRAMEJIT_CHECK(known, "device: got '", text,
                 "', expected one of cpu, cuda, meta, such as 'cpu' or 'cuda:0'");
  if (colon != std::string::npos) {
    char* end;
    std::string number = text.substr(colon + 1);
    long index = std::strtol(number.c_str(), &end, 10);
    FRAMEJIT_CHECK(!number.empty() && !*end && index >= 0 && index < 128, "device: invalid index in '", text,
                   "'");
    device.index = int8_t(index);
  }
  return device;
}

bool read_device(PyObject* object, Device* device) {
  if (Py_IS_TYPE(object, device_type)) {
    *device = value_of(object);
    return true;
  }
  if (!PyUnicode_Check(object)) return false;
  *device = parse_device(text_of(object));
  return true;
}

void init_device(PyObject* module) {
  device_type = make_type(spec);
  add_to_module(module, "device", reinterpret_cast<PyObject*>(device_type));
}

}  // namespace framejit::bindings
