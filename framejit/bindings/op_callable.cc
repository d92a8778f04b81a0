#include "framejit/bindings/op_callable.h"

#include <structmember.h>

#include <algorithm>

#include "eager/autograd/autograd.h"
#include "eager/dispatch.h"
#include "eager/meta/derived.h"
#include "framejit/bindings/constant_types.h"
#include "framejit/bindings/python.h"
#include "framejit/bindings/results.h"
#include "framejit/bindings/tensor_object.h"

namespace framejit::bindings {

PyTypeObject* op_function_type = nullptr;
PyTypeObject* op_method_type = nullptr;

namespace {

using eager::Op;
using eager::Value;

struct OpCallable {
  PyObject_HEAD vectorcallfunc vectorcall;
  const Overloads* overloads;
  const char* module;
};

OpCallable* as_callable(PyObject* object) { return reinterpret_cast<OpCallable*>(object); }

/// Kernels over more elements than this run without the GIL: about 10 us of work, 50 times the cost of giving
/// it up.
constexpr int64_t kLongKernel = 1 << 15;

bool is_long(const Op& op, const Value* args) {
  size_t count = std::min<size_t>(op.schema.args.size(), 2);
  for (size_t i = 0; i < count; ++i) {
    if (!args[i].is_tensor()) continue;
    const eager::Tensor& tensor = args[i].tensor();
    if (!tensor.defined() || tensor.is_symbolic()) return false;
    int64_t elements = 1;
    for (int64_t size : tensor.sizes()) elements *= size;
    if (elements > kLongKernel) return true;
  }
  return false;
}

PyObject* function_vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return guarded([&] {
    BoundCall bound;
    bind(*as_callable(self)->overloads, {args, PyVectorcall_NARGS(nargsf), kwnames}, &bound);
    return run_bound(bound);
  });
}

PyObject* method_vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  if (PyVectorcall_NARGS(nargsf) < 1 || !is_tensor(args[0])) {
    const char* name = as_callable(self)->overloads->name.c_str();
    return PyErr_Format(PyExc_TypeError, "Tensor.%s: got %s, expected a Tensor as self", name,
                        PyVectorcall_NARGS(nargsf) < 1 ? "no argument" : Py_TYPE(args[0])->tp_name);
  }
  return function_vectorcall(self, args, nargsf, kwnames);
}

PyObject* bind_method(PyObject* self, PyObject* object, PyObject*) {
  return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

std::string doc_text(const Overloads& overloads) {
  std::string text;
  for (const Signature& signature : overloads.signatures)
    text += overloads.name + signature_text(signature) + "\n";
  return text + "\n" + overloads.signatures[0].op->doc;
}

PyObject* get_name(PyObject* self, void*) {
  return guarded([&] { return to_str(as_callable(self)->overloads->name).release(); });
}
PyObject* get_qualname(PyObject* self, void*) {
  const Overloads& overloads = *as_callable(self)->overloads;
  return guarded([&] { return to_str((overloads.is_method ? "Tensor." : "") + overloads.name).release(); });
}
PyObject* get_module(PyObject* self, void*) { return PyUnicode_FromString(as_callable(self)->module); }
PyObject* get_doc(PyObject* self, void*) {
  return guarded([&] { return to_str(doc_text(*as_callable(self)->overloads)).release(); });
}
PyObject* repr(PyObject* self) {
  const OpCallable* callable = as_callable(self);
  return PyUnicode_FromFormat("<op %s.%s%s>", callable->module,
                              callable->overloads->is_method ? "Tensor." : "",
                              callable->overloads->name.c_str());
}
/// Pickled and copied by name.
PyObject* reduce(PyObject* self, PyObject*) { return get_qualname(self, nullptr); }

PyGetSetDef getset[] = {{"__name__", get_name, nullptr, nullptr, nullptr},
                        {"__qualname__", get_qualname, nullptr, nullptr, nullptr},
                        {"__module__", get_module, nullptr, nullptr, nullptr},
                        {"__doc__", get_doc, nullptr, nullptr, nullptr},
                        {}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpCallable, vectorcall), READONLY, nullptr}, {}};

PyType_Slot function_slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_repr, reinterpret_cast<void*>(repr)},
                                {Py_tp_getset, getset},
                                {Py_tp_methods, methods},
                                {Py_tp_members, members},
                                {0, nullptr}};
PyType_Slot method_slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                              {Py_tp_descr_get, reinterpret_cast<void*>(bind_method)},
                              {Py_tp_repr, reinterpret_cast<void*>(repr)},
                              {Py_tp_getset, getset},
                              {Py_tp_methods, methods},
                              {Py_tp_members, members},
                              {0, nullptr}};
constexpr unsigned kFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyType_Spec function_spec = {"framejit._C.OpFunction", sizeof(OpCallable), 0, kFlags, function_slots};
PyType_Spec method_spec = {"framejit._C.OpMethod", sizeof(OpCallable), 0,
                           kFlags | Py_TPFLAGS_METHOD_DESCRIPTOR, method_slots};

PyObject* new_callable(PyTypeObject* type, vectorcallfunc vectorcall, const Overloads& overloads,
                       const char* module) {
  auto* callable = PyObject_New(OpCallable, type);
  if (!callable) throw PythonError();
  callable->vectorcall = vectorcall;
  callable->overloads = &overloads;
  callable->module = module;
  return reinterpret_cast<PyObject*>(callable);
}

/// The submodule for op functions of `python_module`: "nn.functional" is framejit._C.nn_functional, "" is
/// framejit._C.ops.
PyObject* submodule_of(PyObject* module, const std::string& python_module) {
  std::string name = python_module.empty() ? "ops" : python_module;
  std::replace(name.begin(), name.end(), '.', '_');
  return add_submodule(module, name);
}

void add_function(PyObject* module, const Overloads& overloads) {
  const std::string& python_module = overloads.signatures[0].op->python_module;
  auto* shown =
      new std::string(python_module.empty() ? "framejit" : "framejit." + python_module);  // lives for ever
  PyRef function = PyRef::steal(new_op_function(overloads, shown->c_str()));
  const std::string name = name_in_module(overloads.name, python_module);
  add_to_module(submodule_of(module, python_module), name.c_str(), function.get());
}

}  // namespace

std::string name_in_module(const std::string& name, const std::string& python_module) {
  if (python_module.empty()) return name;
  const std::string prefix = python_module + "_";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

const Overloads& overloads_of(PyObject* op_callable) { return *as_callable(op_callable)->overloads; }

PyObject* new_op_function(const Overloads& overloads, const char* module) {
  return new_callable(op_function_type, function_vectorcall, overloads, module);
}
PyObject* new_op_method(const Overloads& overloads) {
  return new_callable(op_method_type, method_vectorcall, overloads, "framejit");
}

void call_op(const Op& op, const Value* args, Value* results) {
  WithoutGil scope(is_long(op, args));
  eager::call(op, args, results);
}

PyObject* run_op(const Op& op, const Value* args) {
  if (op.schema.result_count == 1) {
    Value result;
    call_op(op, args, &result);
    return to_python(result);
  }
  Value results[kMaxResults];
  FRAMEJIT_INTERNAL(op.schema.result_count <= kMaxResults, op.full_name);
  call_op(op, args, results);
  return results_to_python(op, results);
}

namespace {

/// Copies a list of results into the tensors of `out=`. Returns None, as PyTorch does.
PyObject* write_list(const Op& op, const std::vector<eager::Tensor>& results, const BoundCall& bound) {
  FRAMEJIT_CHECK(results.size() == bound.outs.size(), op.schema.name, "(): expected out to have ",
                 results.size(), " tensors, but got ", bound.outs.size());
  for (size_t i = 0; i < results.size(); ++i) eager::write_out(op, results[i], bound.outs[i]);
  Py_RETURN_NONE;
}

/// Runs the op and copies its results into the tensors of `out=`.
PyObject* run_into_outs(BoundCall& bound) {
  const Op& op = *bound.signature->op;
  Value results[kMaxResults];
  call_op(op, bound.values.data(), results);
  if (op.schema.returns_list) return write_list(op, results[0].tensor_list(), bound);
  for (size_t i = 0; i < bound.outs.size(); ++i) {
    eager::write_out(op, results[i].tensor(), bound.outs[i]);
    results[i] = bound.outs[i];
  }
  return results_to_python(op, results);
}

/// Factories and sums make what `out` is of, unless dtype= says otherwise.
void take_dtype_of_out(BoundCall& bound) {
  const int dtype = bound.signature->dtype_from_out;
  if (dtype < 0 || !bound.values[dtype].is_none()) return;
  if (bound.out.defined()) bound.values[dtype] = bound.out.dtype();
  if (!bound.outs.empty()) bound.values[dtype] = bound.outs[0].dtype();
}

}  // namespace

void require_grad(const eager::Tensor& made) {
  // The gradient of what a graph makes of it would have to find its way to a leaf that the graph made.
  FRAMEJIT_CHECK(!eager::Recorder::current(), "requires_grad=True: a leaf cannot be made in a graph");
  eager::set_requires_grad(made, true);
}

PyObject* run_bound(BoundCall& bound) {
  const Signature& signature = *bound.signature;
  take_dtype_of_out(bound);
  if (!bound.outs.empty()) return run_into_outs(bound);
  if (bound.out.defined()) {
    bound.values[int(signature.params.size())] = bound.out;
    return run_op(*signature.out_op, bound.values.data());
  }
  PyRef result = PyRef::steal(run_op(*signature.op, bound.values.data()));
  if (bound.requires_grad) require_grad(unwrap(result.get()));
  return result.release();
}

void init_op_callables(PyObject* module) {
  op_function_type = make_type(function_spec);
  op_method_type = make_type(method_spec);
  for (const std::string& name : op_names()) {
    if (const Overloads* functions = make_overloads(name, false)) add_function(module, *functions);
    if (const Overloads* methods = make_overloads(name, true)) {
      PyRef method = PyRef::steal(new_op_method(*methods));
      check_status(
          PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), name.c_str(), method.get()));
    }
  }
}

}  // namespace framejit::bindings
