#include "framejit/bindings/arg_binder.h"

#include "framejit/bindings/arg_reader.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/tensor_object.h"
#include "generated/ops/creation.h"

namespace framejit::bindings {
namespace {

using eager::SymInt;
using eager::Value;

bool names_equal(PyObject* a, PyObject* b) { return a == b || PyUnicode_Compare(a, b) == 0; }

struct FactoryKeywords {
  PyObject* requires_grad = interned("requires_grad");
  // Accepted for PyTorch's sake: there is one layout, no pinning, and strides follow the op.
  PyObject* layout = interned("layout");
  PyObject* pin_memory = interned("pin_memory");
  PyObject* memory_format = interned("memory_format");
};
const FactoryKeywords& factory_keywords() {
  static const FactoryKeywords keywords;
  return keywords;
}

PyObject* out_keyword() {
  static PyObject* name = interned("out");
  return name;
}

/// The tensors of `out=`: one, or as many as the op has results; any number where it has a list of them.
/// False for anything else.
bool bind_out(const Signature& signature, PyObject* value, BoundCall* bound) {
  const bool list = signature.op->schema.returns_list;
  const int count = signature.op->schema.result_count;
  if (value == Py_None) return true;
  if (count == 1 && !list) {
    if (!is_tensor(value)) return false;
    if (signature.out_op)
      bound->out = unwrap(value);
    else
      bound->outs.push_back(unwrap(value));
    return true;
  }
  if (!PyTuple_Check(value) && !PyList_Check(value)) return false;
  const Py_ssize_t given = PySequence_Fast_GET_SIZE(value);
  if (!list && given != count) return false;
  for (Py_ssize_t i = 0; i < given; ++i) {
    PyObject* entry = PySequence_Fast_GET_ITEM(value, i);
    if (!is_tensor(entry)) return false;
    bound->outs.push_back(unwrap(entry));
  }
  return true;
}

/// The keywords beside the `used` ones that parameters took; false when there is one that the call may not
/// have.
bool bind_extra_keywords(const Signature& signature, const CallArgs& call, Py_ssize_t used,
                         BoundCall* bound) {
  for (Py_ssize_t k = 0; k < call.keyword_count(); ++k) {
    PyObject* name = PyTuple_GET_ITEM(call.kwnames, k);
    PyObject* value = call.args[call.count + k];
    if ((signature.out_op || signature.copies_to_out) && names_equal(name, out_keyword())) {
      if (!bind_out(signature, value, bound)) return false;
      ++used;
    } else if (signature.is_factory && is_factory_keyword(name)) {
      ++used;
      if (!names_equal(name, factory_keywords().requires_grad)) continue;
      if (!PyBool_Check(value)) return false;
      bound->requires_grad = value == Py_True;
    }
  }
  return used == call.keyword_count();
}

/// The positional arguments as one list of ints. False when there are none or one is no int.
bool read_spread_ints(const CallArgs& call, Py_ssize_t first, Value* value) {
  if (call.count <= first) return false;
  std::vector<SymInt> ints(size_t(call.count - first));
  for (Py_ssize_t i = first; i < call.count; ++i)
    if (!read_size(call.args[i], &ints[size_t(i - first)])) return false;
  *value = std::move(ints);
  return true;
}

/// The same for tensors.
bool read_spread_tensors(const CallArgs& call, Py_ssize_t first, Value* value) {
  if (call.count <= first) return false;
  std::vector<eager::Tensor> tensors;
  for (Py_ssize_t i = first; i < call.count; ++i) {
    if (!is_tensor(call.args[i])) return false;
    tensors.push_back(unwrap(call.args[i]));
  }
  *value = std::move(tensors);
  return true;
}

bool read_spread(const Signature& signature, const CallArgs& call, Py_ssize_t first, Value* value) {
  const bool tensors = signature.params[size_t(first)].arg->type == eager::ArgType::tensor_list;
  return tensors ? read_spread_tensors(call, first, value) : read_spread_ints(call, first, value);
}

/// Positional arguments; returns how many parameters they filled, or -1.
int bind_positional(const Signature& signature, const CallArgs& call, ArgValues* values) {
  int last = signature.positional - 1;
  if (call.count <= signature.positional) {
    int count = int(call.count);
    for (int i = 0; i < count; ++i) {
      if (read_argument(signature.params[size_t(i)], call.args[i], &(*values)[i])) continue;
      bool may_be_spread = signature.spreads_last && i == last;
      return may_be_spread && read_spread(signature, call, i, &(*values)[i]) ? count : -1;
    }
    return count;
  }
  if (!signature.spreads_last) return -1;
  for (int i = 0; i < last; ++i)
    if (!read_argument(signature.params[size_t(i)], call.args[i], &(*values)[i])) return -1;
  return read_spread(signature, call, last, &(*values)[last]) ? signature.positional : -1;
}

bool fill_default(const Param& param, Value* value) {
  if (param.arg->default_value) {
    *value = *param.arg->default_value;
    return true;
  }
  return param.arg->optional && param.arg->kw_only;
}

bool bind_keywords(const Signature& signature, const CallArgs& call, int filled, BoundCall* bound) {
  Py_ssize_t used = 0;
  for (int i = filled; i < int(signature.params.size()); ++i) {
    const Param& param = signature.params[size_t(i)];
    Py_ssize_t keyword = find_keyword(call, param);
    if (keyword >= 0) {
      if (!read_argument(param, call.args[call.count + keyword], &bound->values[i])) return false;
      ++used;
    } else if (!fill_default(param, &bound->values[i])) {
      return false;
    }
  }
  return used == call.keyword_count() || bind_extra_keywords(signature, call, used, bound);
}

/// Two numbers (`fj.div(7, 2)`): the first one becomes a tensor.
void keep_one_tensor(const Signature& signature, ArgValues* values) {
  if (!signature.op->wraps_numbers || (*values)[0].is_tensor()) return;
  int operands = 0;
  for (size_t i = 0; i < signature.params.size(); ++i) {
    if (!signature.params[i].wraps_number) continue;
    if ((*values)[int(i)].is_tensor()) return;
    ++operands;
  }
  Value& first = (*values)[0];
  if (operands > 1 && signature.params[0].wraps_number) first = eager::ops::full(eager::Dims(), first);
}

}  // namespace

bool is_factory_keyword(PyObject* name) {
  const FactoryKeywords& known = factory_keywords();
  return names_equal(name, known.requires_grad) || names_equal(name, known.layout) ||
         names_equal(name, known.pin_memory) || names_equal(name, known.memory_format);
}

Py_ssize_t find_keyword(const CallArgs& call, const Param& param) {
  Py_ssize_t count = call.keyword_count();
  for (Py_ssize_t k = 0; k < count; ++k)
    if (PyTuple_GET_ITEM(call.kwnames, k) == param.name) return k;
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* name = PyTuple_GET_ITEM(call.kwnames, k);
    if (PyUnicode_Compare(name, param.name) == 0) return k;
    for (PyObject* alias : param.aliases)
      if (names_equal(name, alias)) return k;
  }
  return -1;
}

bool fill_defaults(const Signature& signature, int first, ArgValues* values) {
  for (int i = first; i < int(signature.params.size()); ++i)
    if (!fill_default(signature.params[size_t(i)], &(*values)[i])) return false;
  return true;
}

bool try_bind(const Signature& signature, const CallArgs& call, BoundCall* bound) {
  bound->signature = &signature;
  bound->out = eager::Tensor();
  bound->outs.clear();
  bound->requires_grad = false;
  bound->values.reset(int(signature.params.size()) + 1);  // one more for out
  int filled = bind_positional(signature, call, &bound->values);
  if (filled < 0) return false;
  const bool complete = call.kwnames ? bind_keywords(signature, call, filled, bound)
                                     : fill_defaults(signature, filled, &bound->values);
  if (complete) keep_one_tensor(signature, &bound->values);
  return complete;
}

void bind(const Overloads& overloads, const CallArgs& call, BoundCall* bound) {
  for (const Signature& signature : overloads.signatures)
    if (try_bind(signature, call, bound)) return;
  if (!bind_old_order(overloads, call, bound)) fail_to_bind(overloads, call);
}

}  // namespace framejit::bindings
