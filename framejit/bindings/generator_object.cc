// Generator: `framejit.Generator()`, a stream of random numbers.
#include <cstring>
#include <random>

#include "eager/random/generator.h"
#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/module.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::Generator;
using eager::RandomState;
using eager::Tensor;

PyTypeObject* generator_type = nullptr;

struct PyGenerator {
  PyObject_HEAD Generator* generator;  // owned
};

Generator& generator_of(PyObject* self) { return *reinterpret_cast<PyGenerator*>(self)->generator; }

PyObject* new_generator(Generator* generator) {
  auto* object = PyObject_New(PyGenerator, generator_type);
  if (!object) throw PythonError();
  generator->retain();
  object->generator = generator;
  return reinterpret_cast<PyObject*>(object);
}

PyObject* create(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", nullptr};
  PyObject* device_object = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", const_cast<char**>(names), &device_object))
    return nullptr;
  return guarded([&] {
    eager::Device device;
    bool on_cpu =
        !device_object || (read_device(device_object, &device) && device.type == eager::DeviceType::cpu);
    FRAMEJIT_CHECK(on_cpu, "Generator(): got a device other than the CPU, expected device='cpu'");
    return new_generator(new Generator(eager::default_generator().initial_seed()));
  });
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  generator_of(self).release();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* manual_seed(PyObject* self, PyObject* seed) {
  return guarded([&] {
    PyRef number = checked(PyNumber_Index(seed));
    uint64_t bits = PyLong_AsUnsignedLongLongMask(number.get());  // negative seeds wrap, as in PyTorch
    if (bits == uint64_t(-1) && PyErr_Occurred()) throw PythonError();
    generator_of(self).manual_seed(bits);
    return Py_NewRef(self);
  });
}
PyObject* seed(PyObject* self, PyObject*) {
  std::random_device device;
  uint64_t value = (uint64_t(device()) << 32 | device()) >> 1;
  generator_of(self).manual_seed(value);
  return PyLong_FromUnsignedLongLong(value);
}
PyObject* initial_seed(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(generator_of(self).initial_seed());
}
PyObject* get_state(PyObject* self, PyObject*) {
  return guarded([&] {
    RandomState state = generator_of(self).state();
    Tensor bytes = Tensor::empty(eager::Dims{int64_t(sizeof(state))}, eager::DType::uint8);
    std::memcpy(bytes.data(), &state, sizeof(state));
    return wrap(bytes);
  });
}
PyObject* set_state(PyObject* self, PyObject* object) {
  return guarded([&] {
    Tensor bytes = unwrap_checked(object, "set_state(): the state");
    RandomState state;
    bool fits = bytes.dtype() == eager::DType::uint8 && bytes.numel() == int64_t(sizeof(state)) &&
                bytes.is_contiguous();
    FRAMEJIT_CHECK_TYPE(fits, type, "set_state(): expected a tensor that get_state() returned");
    std::memcpy(&state, bytes.data(), sizeof(state));
    generator_of(self).set_state(state);
    return Py_NewRef(self);
  });
}
PyObject* get_device(PyObject*, void*) {
  return guarded([] { return new_device({}); });
}

PyMethodDef methods[] = {
    {"manual_seed", manual_seed, METH_O, "Starts the stream of a seed."},
    {"seed", seed, METH_NOARGS, "Starts the stream of a random seed, and returns it."},
    {"initial_seed", initial_seed, METH_NOARGS, "The seed of the stream."},
    {"get_state", get_state, METH_NOARGS, "The place in the stream, as a tensor of bytes."},
    {"set_state", set_state, METH_O, "Goes to a place that get_state() returned."},
    {}};
PyGetSetDef getset[] = {{"device", get_device, nullptr, nullptr, nullptr}, {}};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(create)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_doc, const_cast<char*>("Generator(device='cpu')\n\nA stream of random numbers.")},
    {0, nullptr}};
PyType_Spec spec = {"framejit.Generator", sizeof(PyGenerator), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

bool is_generator(PyObject* object) { return Py_IS_TYPE(object, generator_type); }
eager::Value generator_value(PyObject* object) {
  return eager::Value::generator(eager::Ref<eager::RefCounted>(&generator_of(object)));
}

void init_generator(PyObject* module) {
  generator_type = make_type(spec);
  add_to_module(module, "Generator", reinterpret_cast<PyObject*>(generator_type));
  PyRef shared = PyRef::steal(new_generator(&eager::default_generator()));
  add_to_module(module, "default_generator", shared.get());
}

}  // namespace framejit::bindings
