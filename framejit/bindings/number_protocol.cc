#include "framejit/bindings/number_protocol.h"

#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/op_callable.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/results.h"
#include "framejit/bindings/tensor_data.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {
namespace {

using eager::Value;

/// The operators. Adding one is a line here.
#define FRAMEJIT_FOR_EACH_BINARY(X)           \
  X(nb_add, "add")                            \
  X(nb_subtract, "sub")                       \
  X(nb_multiply, "mul")                       \
  X(nb_true_divide, "div")                    \
  X(nb_floor_divide, "floor_divide")          \
  X(nb_remainder, "remainder")                \
  X(nb_matrix_multiply, "matmul")             \
  X(nb_and, "bitwise_and")                    \
  X(nb_or, "bitwise_or")                      \
  X(nb_xor, "bitwise_xor")                    \
  X(nb_lshift, "bitwise_left_shift")          \
  X(nb_rshift, "bitwise_right_shift")         \
  X(nb_inplace_add, "add_")                   \
  X(nb_inplace_subtract, "sub_")              \
  X(nb_inplace_multiply, "mul_")              \
  X(nb_inplace_true_divide, "div_")           \
  X(nb_inplace_floor_divide, "floor_divide_") \
  X(nb_inplace_remainder, "remainder_")       \
  X(nb_inplace_and, "bitwise_and_")           \
  X(nb_inplace_or, "bitwise_or_")             \
  X(nb_inplace_xor, "bitwise_xor_")           \
  X(nb_inplace_lshift, "bitwise_left_shift_") \
  X(nb_inplace_rshift, "bitwise_right_shift_")
#define FRAMEJIT_FOR_EACH_UNARY(X) \
  X(nb_negative, "neg")            \
  X(nb_positive, "positive")       \
  X(nb_absolute, "abs")            \
  X(nb_invert, "bitwise_not")

enum Operator : int {
#define X(slot, row) op_##slot,
  FRAMEJIT_FOR_EACH_BINARY(X) FRAMEJIT_FOR_EACH_UNARY(X)
#undef X
      op_pow,
  op_pow_,
  op_lt,  // the comparisons are in the order of Py_LT ... Py_GE
  op_le,
  op_eq,
  op_ne,
  op_gt,
  op_ge,
  kOperatorCount
};
const char* const kRows[kOperatorCount] = {
#define X(slot, row) row,
    FRAMEJIT_FOR_EACH_BINARY(X) FRAMEJIT_FOR_EACH_UNARY(X)
#undef X
        "pow",
    "pow_",
    "lt",
    "le",
    "eq",
    "ne",
    "gt",
    "ge"};
/// First overload of each row as a function; null when the table has no such row.
const Signature* signatures[kOperatorCount];

/// A NumPy array beside a tensor counts as a tensor.
bool read_operand(const Param& param, PyObject* object, Value* value) {
  if (read_argument(param, object, value)) return true;
  if (!is_numpy_array(object)) return false;
  *value = tensor_from_array(object);
  return true;
}

PyObject* run_binary(Operator which, PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    const Signature* signature = signatures[which];
    if (!signature) Py_RETURN_NOTIMPLEMENTED;
    ArgValues values;
    values.reset(int(signature->params.size()));
    if (!read_operand(signature->params[0], a, &values[0]) ||
        !read_operand(signature->params[1], b, &values[1]))
      Py_RETURN_NOTIMPLEMENTED;
    fill_defaults(*signature, 2, &values);
    return run_op(*signature->op, values.data());
  });
}

template <Operator which>
PyObject* binary(PyObject* a, PyObject* b) {
  return run_binary(which, a, b);
}

template <Operator which>
PyObject* unary(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const Signature* signature = signatures[which];
    if (!signature) Py_RETURN_NOTIMPLEMENTED;
    ArgValues values;
    values.reset(int(signature->params.size()));
    values[0] = unwrap(self);
    fill_defaults(*signature, 1, &values);
    return run_op(*signature->op, values.data());
  });
}

PyObject* invert(PyObject* self) {
  if (eager::is_integral(impl_of(self)->meta.dtype, true)) return unary<op_nb_invert>(self);
  return PyErr_Format(PyExc_TypeError,
                      "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
}

template <Operator which>
PyObject* power(PyObject* base, PyObject* exponent, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return run_binary(which, base, exponent);
}

PyObject* compare(PyObject* a, PyObject* b, int op) { return run_binary(Operator(op_lt + op), a, b); }

/// Equality compares elements, so identity is what a dict goes by.
Py_hash_t hash(PyObject* self) {
  auto bits = reinterpret_cast<uintptr_t>(self);
  return Py_hash_t((bits >> 4) | (bits << (8 * sizeof(bits) - 4)));
}

int to_bool(PyObject* self) {
  return guarded([&] { return int(truth(unwrap(self))); }, -1);
}
PyObject* to_int(PyObject* self) {
  return guarded([&] {
    PyRef number = PyRef::steal(to_python(one_element(unwrap(self))));
    return PyNumber_Long(number.get());
  });
}
PyObject* to_float(PyObject* self) {
  return guarded([&] {
    PyRef number = PyRef::steal(to_python(one_element(unwrap(self))));
    return PyNumber_Float(number.get());
  });
}
PyObject* to_index(PyObject* self) {
  return guarded([&] {
    eager::Tensor tensor = unwrap(self);
    bool one_integer = eager::is_integral(tensor.dtype(), true) && tensor.numel() == 1;
    FRAMEJIT_CHECK_TYPE(one_integer, type,
                        "only integer tensors of a single element can be converted to an index");
    PyRef number = PyRef::steal(item_object(tensor));
    return PyNumber_Index(number.get());
  });
}

}  // namespace

void init_number_protocol() {
  for (int i = 0; i < kOperatorCount; ++i) {
    bool is_inplace = std::string_view(kRows[i]).ends_with('_');
    const Overloads* overloads = make_overloads(kRows[i], is_inplace);
    signatures[i] = overloads ? &overloads->signatures[0] : nullptr;
  }
}

void add_number_slots(std::vector<PyType_Slot>* slots) {
  auto add = [&](int slot, auto* function) { slots->push_back({slot, reinterpret_cast<void*>(function)}); };
#define X(slot, row) add(Py_##slot, binary<op_##slot>);
  FRAMEJIT_FOR_EACH_BINARY(X)
#undef X
  add(Py_nb_negative, unary<op_nb_negative>);
  add(Py_nb_positive, unary<op_nb_positive>);
  add(Py_nb_absolute, unary<op_nb_absolute>);
  add(Py_nb_invert, invert);
  add(Py_nb_power, power<op_pow>);
  add(Py_nb_inplace_power, power<op_pow_>);
  add(Py_tp_richcompare, compare);
  add(Py_tp_hash, hash);
  add(Py_nb_bool, to_bool);
  add(Py_nb_int, to_int);
  add(Py_nb_float, to_float);
  add(Py_nb_index, to_index);
}

}  // namespace framejit::bindings
