// Tensors: graph inputs, and ops called on symbolic tensors wrapped as Python objects (see front_end.h).
#include <algorithm>
#include <utility>

#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

/// The pending Python exception as "TypeError: text"; clears it.
std::string take_error() {
  PyRef error = take_exception();
  PyRef text = PyRef::steal(error ? PyObject_Str(error.get()) : nullptr);
  std::string message = error ? Py_TYPE(error.get())->tp_name : "error";
  if (text && PyUnicode_Check(text.get())) message += std::string(": ") + PyUnicode_AsUTF8(text.get());
  PyErr_Clear();
  return message;
}

/// Which dims of an input get symbols: none beyond `free`, the number of symbols that guards can still bind.
uint64_t dynamic_dims(const TraceRequest& request, const Source* source, const eager::Tensor& example,
                      int64_t free) {
  uint64_t dims = 0;
  for (int d = 0; d < example.dim() && d < 64 && free > 0; ++d) {
    bool dynamic = request.options.dynamic == TraceOptions::Dynamic::always;
    if (request.options.dynamic == TraceOptions::Dynamic::automatic)
      for (const Varied& varied : request.varied) dynamic |= varied.dim == d && varied.source == source->text;
    if (dynamic && example.sizes()[d] >= 2) dims |= uint64_t(1) << d, --free;
  }
  return dims;
}

bool is_symbolic_number(Var* var) {
  NumberVar* number = as<NumberVar>(var);
  return number && !number->specialized;
}

}  // namespace

void Executor::materialize(TensorVar* var) {
  if (var->gone)
    cut_before(var, BreakId::custom_gradient, "a tensor that backward made is used outside of it");
  if (var->proxy) return;
  guard_type(var);
  eager::Tensor real = front_end().unwrap(var->real.get());
  if (!var->source) {  // the trace holds it: a constant of the graph
    var->tensor = real;
    var->proxy = var->real;
  } else {
    int64_t free = guards::Program::kMaxSymbols - int64_t(tracer_->shapes().hints().size());
    var->tensor =
        tracer_->tensor_input(var->source->text, real, dynamic_dims(request_, var->source, real, free));
    guards_.tensor(var->source, {var->tensor.meta(), real.requires_grad()});
    var->proxy = PyRef::steal(front_end().wrap(var->tensor, var->type));
    graph_inputs_.push_back(var);
  }
  tensors_[var->tensor.impl()] = var;
}

TensorVar* Executor::tensor(const eager::Tensor& tensor, PyRef proxy) {
  auto found = tensors_.find(tensor.impl());
  if (found != tensors_.end()) return found->second;
  TensorVar* var = make<TensorVar>();
  var->tensor = tensor;
  var->type = Py_TYPE(proxy.get());
  var->proxy = std::move(proxy);
  tensors_[tensor.impl()] = var;
  return var;
}

bool Executor::contains_traced(Var* var) {
  auto any = [this](const std::vector<Var*>& items) {
    for (Var* item : items)
      if (contains_traced(item)) return true;
    return false;
  };
  switch (var->kind) {
    case Kind::tensor:
    case Kind::number:
      return true;
    case Kind::tuple:
      return load_items(static_cast<TupleVar*>(var)), any(static_cast<TupleVar*>(var)->items);
    case Kind::list:
      return load_items(static_cast<ListVar*>(var)), any(static_cast<ListVar*>(var)->items);
    case Kind::slice: {
      auto* parts = static_cast<SliceVar*>(var)->parts;
      return any({parts[0], parts[1], parts[2]});
    }
    default:
      return false;
  }
}

bool Executor::to_op_argument(Var* var, PyRef& out) {
  auto convert = [this](const std::vector<Var*>& items, PyObject* sequence, auto set) {
    PyRef owner = PyRef::steal(sequence);
    for (size_t i = 0; i < items.size(); ++i) {
      PyRef item;
      if (!to_op_argument(items[i], item)) return PyRef();
      set(sequence, Py_ssize_t(i), item.release());
    }
    return owner;
  };
  if (TensorVar* tensor = as<TensorVar>(var)) {
    materialize(tensor);
    out = tensor->proxy;
  } else if (NumberVar* number = as<NumberVar>(var); number && !number->specialized) {
    out = PyRef::steal(front_end().wrap_number(graph_number(number)));
  } else if (TupleVar* tuple = as<TupleVar>(var)) {
    load_items(tuple);
    out = convert(tuple->items, PyTuple_New(Py_ssize_t(tuple->items.size())), PyTuple_SetItem);
  } else if (ListVar* list = as<ListVar>(var)) {
    load_items(list);
    out = convert(list->items, PyList_New(Py_ssize_t(list->items.size())), PyList_SetItem);
  } else if (SliceVar* slice = as<SliceVar>(var)) {
    PyRef parts[3];
    for (int i = 0; i < 3; ++i)
      if (!to_op_argument(slice->parts[i], parts[i])) return false;
    out = PyRef::steal(PySlice_New(parts[0].get(), parts[1].get(), parts[2].get()));
  } else {
    out = PyRef::borrow(as_constant(var));
  }
  return bool(out);
}

Var* Executor::from_op_result(PyObject* result) {
  PyTypeObject* type = Py_TYPE(result);
  if (front_end().is_tensor_type(type)) return tensor(front_end().unwrap(result), PyRef::borrow(result));
  eager::Value value;
  if (front_end().unwrap_number(result, &value)) {
    if (value.tag() == eager::Value::Tag::sym_int) return size_number(value.sym_int());
    break_here(BreakId::tensor_value, "a Python number that an op computes");
  }
  if (PyTuple_Check(result)) {
    TupleVar* var = make<TupleVar>();
    var->type = type;
    pin(reinterpret_cast<PyObject*>(type));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i)
      var->items.push_back(from_op_result(PyTuple_GET_ITEM(result, i)));
    return var;
  }
  if (PyList_CheckExact(result)) {
    ListVar* var = list({});
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(result); ++i)
      var->items.push_back(from_op_result(PyList_GET_ITEM(result, i)));
    return var;
  }
  if (guards::is_guardable_constant(result) || front_end().is_constant_type(type) || PyType_Check(result))
    return constant(result);
  break_here(BreakId::op_unsupported, std::string("an op that returns a ") + type->tp_name);
}

/// Takes what an op returned; a failure ends the trace before the op, which then raises for real.
Var* Executor::finish_op(PyObject* owned_result, const std::string& what) {
  if (!owned_result) {
    std::string error = take_error();
    break_here(tracer_->take_refused_data() ? BreakId::data_dependent_shape : BreakId::op_failed,
               what + ": " + error);
  }
  PyRef result = PyRef::steal(owned_result);
  mutated();
  return from_op_result(result.get());
}

/// `x.unsqueeze_(0)` of a tensor that the trace has made: from now on it is what `x.unsqueeze(0)` gives. Null where
/// `callable` is no such op. Inputs are left to the op, which refuses while a graph is traced.
Var* Executor::reshape_in_place(PyObject* callable, const CallArgs& args) {
  static constexpr std::pair<const char*, const char*> kForms[] = {
      {"squeeze_", "squeeze"},   {"unsqueeze_", "unsqueeze"}, {"transpose_", "transpose"}, {"t_", "t"},
      {"swapaxes_", "swapaxes"}, {"swapdims_", "swapdims"},   {"resize_", "new_empty"}};
  TensorVar* self = args.size() ? as<TensorVar>(args[0]) : nullptr;
  if (!self || self->existing() || self->gone) return nullptr;
  const std::string name = callable_name(callable);
  auto form =
      std::find_if(std::begin(kForms), std::end(kForms), [&](const auto& row) { return name == row.first; });
  if (form == std::end(kForms)) return nullptr;
  // Elements would have to be kept.
  if (name == "resize_" && self->tensor.numel() != 0) return nullptr;
  PyRef functional =
      PyRef::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(self->type), form->second));
  Var* made = functional ? call_op(functional.get(), args) : nullptr;
  if (!made || made->kind != Kind::tensor) return nullptr;
  pin(self->proxy.get());  // tensors_ knows it by its address
  self->tensor = static_cast<TensorVar*>(made)->tensor;
  self->proxy = static_cast<TensorVar*>(made)->proxy;
  tensors_[self->tensor.impl()] = self;
  return self;
}

Var* Executor::call_op(PyObject* callable, const CallArgs& args) {
  if (Var* self = reshape_in_place(callable, args)) return self;
  PyObject* result = call_wrapped(callable, args);
  std::vector<Var*> numbers;
  auto collect = [&](Var* var) {
    if (is_symbolic_number(var)) numbers.push_back(var);
    TupleVar* tuple = as<TupleVar>(var);
    ListVar* list = as<ListVar>(var);
    if (!tuple && !list) return;
    for (Var* item : tuple ? tuple->items : list->items)
      if (is_symbolic_number(item)) numbers.push_back(item);
  };
  if (!result) {
    for (Var* var : args.positional) collect(var);
    for (auto& [name, var] : args.keywords) collect(var);
  }
  if (!numbers.empty()) {
    // A parameter that has to be a plain number, such as an eps or a dim: the same call with its value.
    PyErr_Clear();
    for (Var* number : numbers) as_constant(number);
    result = call_wrapped(callable, args);
  }
  return finish_op(result, callable_name(callable));
}

/// The real call on wrapped arguments: new reference, or null with an exception set.
PyObject* Executor::call_wrapped(PyObject* callable, const CallArgs& args) {
  std::vector<PyRef> owned(args.size() + args.keywords.size());
  std::vector<PyObject*> values;
  auto convert = [&](Var* var) {
    PyRef& slot = owned[values.size()];
    if (!to_op_argument(var, slot))
      break_here(BreakId::op_unsupported, "an op with " + describe(var) + " as argument");
    values.push_back(slot.get());
  };
  for (Var* var : args.positional) convert(var);
  PyRef names = PyRef::steal(args.keywords.empty() ? nullptr : PyTuple_New(Py_ssize_t(args.keywords.size())));
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    convert(args.keywords[i].second);
    PyTuple_SET_ITEM(names.get(), Py_ssize_t(i), Py_NewRef(args.keywords[i].first));
  }
  locate();
  return PyObject_Vectorcall(callable, values.data(), args.size(), names.get());
}

Var* Executor::tensor_binary(int nb_op, Var* left, Var* right) {
  PyRef a, b;
  if (!to_op_argument(left, a) || !to_op_argument(right, b)) return nullptr;
  const bytecode::BinaryOperator& apply = bytecode::binary_operator(nb_op);
  locate();
  return finish_op(apply.apply(a.get(), b.get()), apply.text);
}

Var* Executor::tensor_compare(int op, Var* left, Var* right) {
  PyRef a, b;
  if (!to_op_argument(left, a) || !to_op_argument(right, b)) return nullptr;
  locate();
  return finish_op(PyObject_RichCompare(a.get(), b.get(), op), "comparison");
}

Var* Executor::load_tensor_attribute(TensorVar* var, PyObject* name) {
  if (Var** found = var->attributes.find(name)) return *found;
  if (!PyUnicode_CompareWithASCIIString(name, "__class__")) return class_of(var);
  PyTypeObject* type = type_of(var);
  PyObject* found = _PyType_Lookup(type, name);
  if (!found) {
    // A tensor whose class gives instances a dict may have attributes of the user's.
    if (!var->source || !PyObject_HasAttr(var->real.get(), name)) return nullptr;
    PyRef value = PyRef::steal(PyObject_GetAttr(var->real.get(), name));
    return existing(value.get(), sources().attribute(var->source, name));
  }
  if (PyFunction_Check(found)) return method(existing(found, nullptr), var);
  bool is_method = Py_TYPE(found) == &PyMethodDescr_Type || Py_TYPE(found) == &PyWrapperDescr_Type ||
                   front_end().classify(found).role != CallableRole::unknown;
  if (is_method) return method(constant(found), var);
  if (!front_end().is_traceable_attribute(type, name)) {
    if (Py_TYPE(found) == &PyProperty_Type) return bind_class_value(var, name, found);
    break_here(BreakId::unsupported_attribute, std::string("Tensor.") + PyUnicode_AsUTF8(name));
  }
  materialize(var);
  PyRef value = PyRef::steal(PyObject_GetAttr(var->proxy.get(), name));
  if (!value) break_here(BreakId::op_failed, take_error());
  mutated();
  return from_op_result(value.get());
}

/// Attaches the user's line to the nodes recorded from now on.
void Executor::locate() {
  int line = current_->program->line(current_->pc);
  if (line == located_line_ && current_ == located_frame_) return;
  located_line_ = line;
  located_frame_ = current_;
  PyCodeObject* code = current_->program->code();
  tracer_->set_location(std::string(PyUnicode_AsUTF8(code->co_filename)) + ":" + std::to_string(line) +
                        " in " + PyUnicode_AsUTF8(code->co_qualname));
}

}  // namespace framejit::symbolic
