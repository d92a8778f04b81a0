// Size: the tuple of a tensor's sizes.
#include "eager/interned_sizes.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"

namespace framejit::bindings {

PyTypeObject* size_type = nullptr;

namespace {

/// A Size with the items of a tuple; takes over the tuple.
PyObject* from_tuple(PyObject* tuple) {
  if (!tuple) return nullptr;
  if (!PyTuple_Check(tuple)) return tuple;  // NotImplemented
  PyRef items = PyRef::steal(tuple);
  Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  PyObject* size = size_type->tp_alloc(size_type, count);
  if (!size) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(size, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
  return size;
}

PyObject* create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyRef made = PyRef::steal(PyTuple_Type.tp_new(type, args, kwargs));
  if (!made) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(made.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(made.get(), i);
    if (PyLong_Check(item) || is_sym_number(item)) continue;
    PyObject* number = PyNumber_Index(item);
    if (!number) {
      PyErr_Format(PyExc_TypeError, "Size() takes an iterable of 'int' (item %zd is '%s')", i,
                   Py_TYPE(item)->tp_name);
      return nullptr;
    }
    Py_SETREF(reinterpret_cast<PyTupleObject*>(made.get())->ob_item[i], number);
  }
  return made.release();
}

PyObject* repr(PyObject* self) {
  PyRef items = PyRef::steal(PySequence_List(self));
  return items ? PyUnicode_FromFormat("framejit.Size(%R)", items.get()) : nullptr;
}

PyObject* numel(PyObject* self, PyObject*) {
  PyRef product = PyRef::steal(PyLong_FromLong(1));
  for (Py_ssize_t i = 0; product && i < PyTuple_GET_SIZE(self); ++i)
    product = PyRef::steal(PyNumber_Multiply(product.get(), PyTuple_GET_ITEM(self, i)));
  return product.release();
}

PyObject* reduce(PyObject* self, PyObject*) {
  PyRef items = PyRef::steal(PySequence_List(self));
  return items ? Py_BuildValue("O(O)", size_type, PyRef::steal(PyList_AsTuple(items.get())).get()) : nullptr;
}

// What a tuple operation makes of a Size is a Size.
PyObject* concat(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(a) || !PyTuple_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  return from_tuple(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
}
PyObject* repeat(PyObject* self, Py_ssize_t times) {
  return from_tuple(PyTuple_Type.tp_as_sequence->sq_repeat(self, times));
}
PyObject* subscript(PyObject* self, PyObject* index) {
  PyObject* result = PyTuple_Type.tp_as_mapping->mp_subscript(self, index);
  return PySlice_Check(index) ? from_tuple(result) : result;
}

PyMethodDef methods[] = {{"numel", numel, METH_NOARGS, "Number of elements of a tensor of this size."},
                         {"__reduce__", reduce, METH_NOARGS, nullptr},
                         {}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(create)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_nb_add, reinterpret_cast<void*>(concat)},
                       {Py_sq_concat, reinterpret_cast<void*>(concat)},
                       {Py_sq_repeat, reinterpret_cast<void*>(repeat)},
                       {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>("The sizes of a tensor: a tuple of ints.")},
                       {0, nullptr}};
PyType_Spec spec = {"framejit.Size", 0, 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

PyObject* new_int(eager::SymInt value) {
  PyObject* object = eager::is_expression(value) ? new_sym_number(value) : PyLong_FromLongLong(value.bits());
  if (!object) throw PythonError();
  return object;
}

PyObject* new_size(const eager::Dims& sizes) {
  PyRef size = checked(size_type->tp_alloc(size_type, sizes.size()));
  for (int i = 0; i < sizes.size(); ++i) PyTuple_SET_ITEM(size.get(), i, new_int(sizes.sym(i)));
  return size.release();
}

void init_size(PyObject* module) {
  size_type = make_type(spec, &PyTuple_Type);
  add_to_module(module, "Size", reinterpret_cast<PyObject*>(size_type));
}

}  // namespace framejit::bindings
