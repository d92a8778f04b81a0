// Making Vars: constants, new containers, and the models of existing objects.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {

PyObject* Executor::pin(PyObject* borrowed) {
  pinned_.push_back(PyRef::borrow(borrowed));
  return borrowed;
}

Var* Executor::constant(PyObject* borrowed) {
  if (PyTuple_CheckExact(borrowed)) {
    TupleVar* var = make<TupleVar>();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(borrowed); ++i)
      var->items.push_back(constant(PyTuple_GET_ITEM(borrowed, i)));
    return var;
  }
  auto found = constants_.find(borrowed);
  if (found != constants_.end()) return found->second;
  ObjectVar* var = make<ObjectVar>();
  var->real = PyRef::borrow(borrowed);
  var->constant = var->type_guarded = true;
  constants_[borrowed] = var;
  return var;
}

Var* Executor::steal_constant(PyObject* owned) {
  if (!owned) raise_pending();
  PyRef ref = PyRef::steal(owned);
  return constant(owned);
}

Var* Executor::string(const std::string& text) {
  return steal_constant(PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size())));
}

TupleVar* Executor::tuple(std::vector<Var*> items) {
  TupleVar* var = make<TupleVar>();
  var->items = std::move(items);
  return var;
}

ListVar* Executor::list(std::vector<Var*> items) {
  ListVar* var = make<ListVar>();
  var->items = std::move(items);
  return var;
}

DictVar* Executor::dict() { return make<DictVar>(); }
SetVar* Executor::set() { return make<SetVar>(); }

MethodVar* Executor::method(Var* function, Var* self) {
  MethodVar* var = make<MethodVar>();
  var->function = function;
  var->self = self;
  return var;
}

/// Chooses the model for an existing object. Nothing is guarded yet: each model guards what is read of it.
Var* Executor::model(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (PyLong_CheckExact(object) || PyFloat_CheckExact(object)) {
    NumberVar* var = make<NumberVar>();
    var->type = type;
    return var;
  }
  if (front_end().is_tensor_type(type)) {
    TensorVar* var = make<TensorVar>();
    var->type = type;
    return var;
  }
  if (PyTuple_Check(object)) {
    // Subclasses (named tuples) too: their items are read the same way, their type is guarded.
    TupleVar* var = make<TupleVar>();
    var->type = type;
    var->loaded = false;
    return var;
  }
  if (PyList_CheckExact(object)) {
    ListVar* var = make<ListVar>();
    var->loaded = false;
    return var;
  }
  static PyObject* const default_dict = resolve_builtin("collections", "defaultdict");
  if (PyDict_CheckExact(object) || PyODict_CheckExact(object) ||
      type == reinterpret_cast<PyTypeObject*>(default_dict)) {
    DictVar* var = make<DictVar>();
    var->loaded = false;
    return var;
  }
  if (PySlice_Check(object)) return make<SliceVar>();
  if (PyFunction_Check(object)) return make<FunctionVar>();
  if (PyCell_Check(object)) {
    CellVar* var = make<CellVar>();
    var->loaded = false;
    return var;
  }
  if (PyMethod_Check(object)) return make<MethodVar>();
  return make<ObjectVar>();
}

void Executor::load_parts(SliceVar* slice) {
  guard_type(slice);
  auto* real = reinterpret_cast<PySliceObject*>(slice->real.get());
  auto part = [&](const char* name, PyObject* value) {
    PyObject* descriptor = _PyType_Lookup(&PySlice_Type, constant_string(name));
    return existing(value, slice->source ? sources().member(slice->source, descriptor) : nullptr);
  };
  slice->parts[0] = part("start", real->start);
  slice->parts[1] = part("stop", real->stop);
  slice->parts[2] = part("step", real->step);
}

Var* Executor::existing(PyObject* object, const Source* source) {
  if (!object) return null();
  // One object, one Var; two places that hold it are guarded to do so again. Numbers and strings have no
  // identity that programs may rely on, and None and the like are guarded by value when used.
  bool has_identity = !PyLong_CheckExact(object) && !PyFloat_CheckExact(object) &&
                      !PyUnicode_CheckExact(object) && object != Py_None && !PyBool_Check(object) &&
                      !PyBytes_CheckExact(object);
  if (has_identity) {
    auto found = known_.find(object);
    if (found != known_.end()) {
      Var* var = found->second;
      if (source && var->source && var->source != source) guards_.same(var->source, source);
      if (source && !var->source) guards_.identity(source, object);
      return var;
    }
  } else if (source) {
    auto found = known_sources_.find(source);
    if (found != known_sources_.end()) return found->second;
  }
  if (!source && !has_identity) return constant(object);
  Var* var = model(object);
  var->real = PyRef::borrow(object);
  var->source = source;
  if (SliceVar* slice = as<SliceVar>(var)) load_parts(slice);
  if (!source) {
    var->type_guarded = true;
    if (ObjectVar* plain = as<ObjectVar>(var)) plain->constant = true;
  }
  if (has_identity)
    known_[object] = var;
  else
    known_sources_[source] = var;
  return var;
}

}  // namespace framejit::symbolic
