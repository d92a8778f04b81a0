#include "framejit/bindings/tensor_type.h"

#include <structmember.h>

#include <vector>

#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/index.h"
#include "framejit/bindings/number_protocol.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_data.h"
#include "framejit/bindings/tensor_object.h"
#include "generated/ops/creation.h"
#include "generated/ops/view.h"

namespace framejit::bindings {
namespace {

using eager::Tensor;

/// Tensor(2, 3): uninitialised; Tensor([1., 2.]): the data; both of the default dtype.
PyObject* create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    FRAMEJIT_CHECK_TYPE(!kwargs || PyDict_GET_SIZE(kwargs) == 0, type,
                        "Tensor() takes no keyword arguments. Try framejit.tensor(...)");
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject* first = count ? PyTuple_GET_ITEM(args, 0) : nullptr;
    Tensor tensor;
    if (count == 1 && is_tensor(first)) {
      tensor = eager::ops::alias(unwrap(first));
    } else if (count == 1 && !PyLong_Check(first)) {
      tensor = tensor_from_data(first, eager::default_dtype(), {});
    } else {
      eager::Dims sizes;
      for (Py_ssize_t i = 0; i < count; ++i) {
        int64_t size = PyLong_AsLongLong(PyTuple_GET_ITEM(args, i));
        if (size == -1 && PyErr_Occurred()) throw PythonError();
        sizes.push_back(size);
      }
      tensor = eager::ops::empty(count ? sizes : eager::Dims{0}, eager::default_dtype());
    }
    return wrap_as(tensor, type);
  });
}

/// Printing is Python code: framejit/_tensor_str.py.
PyObject* repr(PyObject* self) {
  PyRef module = PyRef::steal(PyImport_ImportModule("framejit._tensor_str"));
  return module ? PyObject_CallMethod(module.get(), "tensor_str", "O", self) : nullptr;
}

Py_ssize_t length(PyObject* self) {
  return guarded(
      [&]() -> Py_ssize_t {
        Tensor tensor = unwrap(self);
        FRAMEJIT_CHECK_TYPE(tensor.dim() > 0, type, "len() of a 0-d tensor");
        return Py_ssize_t(tensor.size(0).expect());
      },
      -1);
}

PyObject* iterate(PyObject* self) {
  return guarded([&] {
    Tensor tensor = unwrap(self);
    FRAMEJIT_CHECK_TYPE(tensor.dim() > 0, type, "iteration over a 0-d tensor");
    std::vector<Tensor> rows = eager::ops::unbind(tensor, 0);
    PyRef tuple = checked(PyTuple_New(Py_ssize_t(rows.size())));
    for (size_t i = 0; i < rows.size(); ++i) PyTuple_SET_ITEM(tuple.get(), Py_ssize_t(i), wrap(rows[i]));
    return PyObject_GetIter(tuple.get());
  });
}

PyMemberDef members[] = {{"__dictoffset__", T_PYSSIZET, offsetof(PyTensor, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensor, weakrefs), READONLY, nullptr},
                         {}};

std::vector<PyType_Slot> make_slots() {
  std::vector<PyType_Slot> slots;
  auto add = [&](int slot, auto* value) { slots.push_back({slot, reinterpret_cast<void*>(value)}); };
  add(Py_tp_new, create);
  add(Py_tp_dealloc, tensor_dealloc);
  add(Py_tp_traverse, tensor_traverse);
  add(Py_tp_clear, tensor_clear);
  add(Py_tp_setattro, tensor_setattro);
  add(Py_tp_repr, repr);
  add(Py_tp_iter, iterate);
  add(Py_mp_length, length);
  add(Py_mp_subscript, tensor_subscript);
  add(Py_mp_ass_subscript, tensor_assign_subscript);
  add(Py_tp_getset, tensor_getset);
  add(Py_tp_methods, tensor_methods);
  add(Py_tp_members, members);
  add(Py_tp_doc, const_cast<char*>("A multi-dimensional array of elements of one dtype."));
  add_number_slots(&slots);
  slots.push_back({0, nullptr});
  return slots;
}

}  // namespace

void init_tensor_type(PyObject* module) {
  init_tensor_object();
  std::vector<PyType_Slot> slots = make_slots();
  PyType_Spec spec = {"framejit.Tensor", sizeof(PyTensor), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  tensor_type = make_type(spec);
  tensor_type->tp_name =
      "Tensor";  // what CPython's own messages show: "unsupported operand type(s) for +: 'Tensor' and 'str'"
  // NumPy leaves `array + tensor` to us.
  PyRef priority = checked(PyLong_FromLong(1000));
  check_status(
      PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), "__array_priority__", priority.get()));
  add_to_module(module, "Tensor", reinterpret_cast<PyObject*>(tensor_type));
}

}  // namespace framejit::bindings
