// SymNumber, and what the constant types share.
#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"

namespace framejit::bindings {

PyTypeObject* sym_number_type = nullptr;

namespace {

using eager::SymInt;

struct PySymNumber {
  PyObject_HEAD eager::Value value;
};

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<PySymNumber*>(self)->value.~Value();
  type->tp_free(self);
  Py_DECREF(type);
}

// --- operators of sizes
// --------------------------------------------------------------------------------------

/// The int that `object` is, plain or symbolic; false for anything else, a traced float for one.
bool read_size(PyObject* object, SymInt* size) {
  if (is_sym_number(object) && sym_number_value(object).tag() != eager::Value::Tag::sym_int) return false;
  if (PyBool_Check(object)) *size = object == Py_True;
  return PyBool_Check(object) || ((PyLong_Check(object) || is_sym_number(object)) && read_int(object, size));
}

template <class Compute>
PyObject* binary(PyObject* left, PyObject* right, Compute compute) {
  return guarded([&] {
    SymInt a, b;
    if (!read_size(left, &a) || !read_size(right, &b)) return Py_NewRef(Py_NotImplemented);
    return new_int(compute(a, b));
  });
}
PyObject* add(PyObject* left, PyObject* right) {
  return binary(left, right, [](SymInt a, SymInt b) { return a + b; });
}
PyObject* subtract(PyObject* left, PyObject* right) {
  return binary(left, right, [](SymInt a, SymInt b) { return a - b; });
}
PyObject* multiply(PyObject* left, PyObject* right) {
  return binary(left, right, [](SymInt a, SymInt b) { return a * b; });
}
void check_divisor(SymInt divisor) {
  if (divisor == 0) eager::fail(eager::ErrorType::zero_division, "integer division or modulo by zero");
}
PyObject* floor_divide(PyObject* left, PyObject* right) {
  return binary(left, right, [](SymInt a, SymInt b) { return check_divisor(b), floor_div(a, b); });
}
PyObject* remainder(PyObject* left, PyObject* right) {
  return binary(left, right, [](SymInt a, SymInt b) { return check_divisor(b), floor_mod(a, b); });
}
PyObject* negative(PyObject* self) {
  return binary(self, self, [](SymInt a, SymInt) { return SymInt(0) - a; });
}

/// The plain value, with a guard.
PyObject* plain(PyObject* self) {
  return guarded([&] {
    SymInt size;
    FRAMEJIT_CHECK_TYPE(read_size(self, &size), type, "a number that is only known when the graph runs");
    return checked(PyLong_FromLongLong(size.expect())).release();
  });
}
PyObject* as_float(PyObject* self) {
  PyRef number = PyRef::steal(plain(self));
  return number ? PyNumber_Float(number.get()) : nullptr;
}
PyObject* true_divide(PyObject* left, PyObject* right) {
  PyRef a = PyRef::steal(PyNumber_Float(left)), b = PyRef::steal(PyNumber_Float(right));
  return a && b ? PyNumber_TrueDivide(a.get(), b.get()) : nullptr;
}
int is_nonzero(PyObject* self) {
  SymInt size;
  return guarded(
      [&] {
        FRAMEJIT_CHECK_TYPE(read_size(self, &size), type, "a number that is only known when the graph runs");
        return int(!(size == 0));
      },
      -1);
}
Py_hash_t hash(PyObject* self) {
  PyRef number = PyRef::steal(plain(self));
  return number ? PyObject_Hash(number.get()) : -1;
}
PyObject* compare(PyObject* left, PyObject* right, int op) {
  return guarded([&] {
    SymInt a, b;
    if (!read_size(left, &a) || !read_size(right, &b)) return Py_NewRef(Py_NotImplemented);
    switch (op) {
      case Py_EQ:
        return PyBool_FromLong(a == b);
      case Py_NE:
        return PyBool_FromLong(!(a == b));
      case Py_LT:
        return PyBool_FromLong(a < b);
      case Py_LE:
        return PyBool_FromLong(a <= b);
      case Py_GT:
        return PyBool_FromLong(a > b);
      default:
        return PyBool_FromLong(a >= b);
    }
  });
}
PyObject* repr(PyObject* self) {
  return guarded([&] {
    SymInt size;
    return to_str(read_size(self, &size) ? size.str() : "<traced number>").release();
  });
}

PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_hash, reinterpret_cast<void*>(hash)},
                       {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                       {Py_nb_add, reinterpret_cast<void*>(add)},
                       {Py_nb_subtract, reinterpret_cast<void*>(subtract)},
                       {Py_nb_multiply, reinterpret_cast<void*>(multiply)},
                       {Py_nb_floor_divide, reinterpret_cast<void*>(floor_divide)},
                       {Py_nb_remainder, reinterpret_cast<void*>(remainder)},
                       {Py_nb_true_divide, reinterpret_cast<void*>(true_divide)},
                       {Py_nb_negative, reinterpret_cast<void*>(negative)},
                       {Py_nb_index, reinterpret_cast<void*>(plain)},
                       {Py_nb_int, reinterpret_cast<void*>(plain)},
                       {Py_nb_float, reinterpret_cast<void*>(as_float)},
                       {Py_nb_bool, reinterpret_cast<void*>(is_nonzero)},
                       {0, nullptr}};
PyType_Spec spec = {"framejit._C._SymNumber", sizeof(PySymNumber), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

PyObject* new_sym_number(const eager::Value& number) {
  auto* object = PyObject_New(PySymNumber, sym_number_type);
  if (!object) throw PythonError();
  new (&object->value) eager::Value(number);
  return reinterpret_cast<PyObject*>(object);
}

const eager::Value& sym_number_value(PyObject* object) {
  return reinterpret_cast<PySymNumber*>(object)->value;
}

PyTypeObject* make_type(PyType_Spec& spec, PyTypeObject* base) {
  PyRef bases = base ? checked(PyTuple_Pack(1, base)) : PyRef();
  return reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpecWithBases(&spec, bases.get())).release());
}

void add_to_module(PyObject* module, const char* name, PyObject* borrowed) {
  check_status(PyModule_AddObjectRef(module, name, borrowed));
}

PyObject* add_submodule(PyObject* module, const std::string& name) {
  PyObject* submodule = PyImport_AddModule(("framejit._C." + name).c_str());
  if (!submodule) throw PythonError();
  add_to_module(module, name.c_str(), submodule);
  return submodule;
}

void init_sym_number() { sym_number_type = make_type(spec); }

void init_constant_types(PyObject* module) {
  init_sym_number();
  init_dtype(module);
  init_device(module);
  init_size(module);
}

}  // namespace framejit::bindings
