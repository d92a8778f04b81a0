// Held references, and the equality of baked-in constants.
#include <cstring>

#include "guards/guard.h"

namespace framejit::guards {

Held Held::strong(PyObject* object) {
  Held held;
  held.object_ = Py_NewRef(object);
  return held;
}

Held Held::weak_if_possible(PyObject* object) {
  bool lives_forever =
      PyType_Check(object) && !(reinterpret_cast<PyTypeObject*>(object)->tp_flags & Py_TPFLAGS_HEAPTYPE);
  if (lives_forever) return strong(object);
  Held held;
  held.object_ =
      PyWeakref_NewRef(object, nullptr);  // without a callback: one shared weak reference per object
  if (!held.object_) {
    PyErr_Clear();
    return strong(object);
  }
  held.weak_ = true;
  return held;
}

Held& Held::operator=(Held&& other) noexcept {
  std::swap(object_, other.object_);
  std::swap(weak_, other.weak_);
  return *this;
}

namespace {

bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

bool sequences_equal(PyObject* a, PyObject* b) {
  Py_ssize_t size = PyTuple_GET_SIZE(a);
  if (size != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t i = 0; i < size; ++i)
    if (!constants_equal(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))) return false;
  return true;
}

// By CPython's own equality; is_guardable_constant() admits only elements for which that is exact.
bool sets_equal(PyObject* a, PyObject* b) {
  int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

// By their parts: ranges of the same elements may differ in where they stop.
bool ranges_equal(PyObject* a, PyObject* b) {
  for (const char* part : {"start", "stop", "step"}) {
    PyObject *x = PyObject_GetAttrString(a, part), *y = PyObject_GetAttrString(b, part);
    const bool equal = x && y && constants_equal(x, y);
    Py_XDECREF(x);
    Py_XDECREF(y);
    if (!equal) return PyErr_Clear(), false;
  }
  return true;
}

bool is_plain_constant(PyObject* o) {
  return o == Py_None || PyBool_Check(o) || o == Py_Ellipsis || o == Py_NotImplemented ||
         PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyComplex_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || PyCode_Check(o) || PyRange_Check(o);
}

}  // namespace

bool constants_equal(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) return same_bits(PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
  if (PyComplex_CheckExact(a)) {
    Py_complex x = PyComplex_AsCComplex(a), y = PyComplex_AsCComplex(b);
    return same_bits(x.real, y.real) && same_bits(x.imag, y.imag);
  }
  if (PyTuple_CheckExact(a)) return sequences_equal(a, b);
  if (PyFrozenSet_CheckExact(a)) return sets_equal(a, b);
  if (PyRange_Check(a)) return ranges_equal(a, b);
  bool compared_by_value = PyLong_CheckExact(a) || PyUnicode_CheckExact(a) || PyBytes_CheckExact(a);
  if (!compared_by_value) return false;  // code objects, singletons: by identity only
  int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

bool is_guardable_constant(PyObject* o) {
  if (is_plain_constant(o)) return true;
  if (PyTuple_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
      if (!is_guardable_constant(PyTuple_GET_ITEM(o, i))) return false;
    return true;
  }
  if (!PyFrozenSet_CheckExact(o)) return false;
  // Elements whose equal value may have another type (1, 1.0, True) are left out: the set's equality would
  // accept them.
  PyObject* iterator = PyObject_GetIter(o);
  bool fine = iterator != nullptr;
  while (PyObject* item = fine ? PyIter_Next(iterator) : nullptr) {
    fine = PyUnicode_CheckExact(item) || PyBytes_CheckExact(item) || item == Py_None;
    Py_DECREF(item);
  }
  Py_XDECREF(iterator);
  return fine;
}

}  // namespace framejit::guards
