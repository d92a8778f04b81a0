// Facts about Vars: type, constant value, identity, hash key. Each guards what it answers.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

/// Members of IntEnum, StrEnum and the like that compare and hash as the number or text does, by no code of
/// the user's.
bool is_plain_member(PyTypeObject* type) {
  if (strcmp(Py_TYPE(type)->tp_name, "EnumType")) return false;
  for (PyTypeObject* of : {&PyLong_Type, &PyUnicode_Type})
    if (type->tp_hash == of->tp_hash && type->tp_richcompare == of->tp_richcompare) return true;
  return false;
}

/// Of members that compare by identity: not an IntEnum or StrEnum.
bool is_enum_type(PyTypeObject* type) {
  return !strcmp(Py_TYPE(type)->tp_name, "EnumType") &&
         type->tp_richcompare == PyBaseObject_Type.tp_richcompare;
}
/// And that hash as Enum's own code says.
bool is_own_member(PyTypeObject* type) {
  static PyObject* const hash = resolve_builtin("enum", "Enum.__hash__");
  static PyObject* const name = PyUnicode_InternFromString("__hash__");
  return is_enum_type(type) && _PyType_Lookup(type, name) == hash;
}

/// Objects that stand for themselves: guarded by identity when they are used as constants.
bool is_identity_constant(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (is_numpy_scalar(type) || is_numpy_ufunc(type) || is_plain_member(type) || is_own_member(type))
    return true;
  return PyType_Check(object) || PyModule_Check(object) || PyCFunction_Check(object) ||
         type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type || type == &PyGetSetDescr_Type ||
         type == &PyMemberDescr_Type || type == &PyClassMethodDescr_Type || type == &PyProperty_Type;
}

PyObject* set_constant(SetVar* set, Executor& executor) {
  if (set->type != &PyFrozenSet_Type) return nullptr;
  PyObject* real = PyFrozenSet_New(nullptr);
  for (const Table::Entry& entry : set->table.entries())
    if (PySet_Add(real, executor.as_constant(entry.key.var)) < 0) PyErr_Clear();
  return real;
}

}  // namespace

void Executor::guard_type(Var* var) {
  if (var->type_guarded || !var->source) return;
  var->type_guarded = true;
  guards_.type(var->source, Py_TYPE(var->real.get()));
}

PyTypeObject* Executor::type_of(Var* var) {
  if (var->existing()) {
    guard_type(var);
    return Py_TYPE(var->real.get());
  }
  switch (var->kind) {
    case Kind::null:
      break_here(BreakId::unknown_object, "the type of NULL");
    case Kind::object:
      return static_cast<ObjectVar*>(var)->type;
    case Kind::number:
      return static_cast<NumberVar*>(var)->type;
    case Kind::tensor:
      return static_cast<TensorVar*>(var)->type;
    case Kind::tuple:
      return static_cast<TupleVar*>(var)->type;
    case Kind::list:
      return &PyList_Type;
    case Kind::dict:
      return static_cast<DictVar*>(var)->type;
    case Kind::set:
      return static_cast<SetVar*>(var)->type;
    case Kind::slice:
      return &PySlice_Type;
    case Kind::range:
      return &PyRange_Type;
    case Kind::function: {
      auto* function = static_cast<FunctionVar*>(var);
      if (function->globals && is_in_python(function->globals->real.get()))
        cut_before(var, BreakId::unknown_object, "the type of what operator and itertools make");
      return &PyFunction_Type;
    }
    case Kind::cell:
      return &PyCell_Type;
    case Kind::method:
      return method_type(static_cast<MethodVar*>(var));
    case Kind::iterator:
      return iterator_type(static_cast<IteratorVar*>(var));
    case Kind::view:
      return view_type(static_cast<ViewVar*>(var));
    case Kind::super:
      return &PySuper_Type;
    case Kind::partial:
      return partial_type();
    case Kind::exception:
      return static_cast<ExceptionVar*>(var)->type;
    case Kind::traceback:
      return &PyTraceBack_Type;
  }
  break_here(BreakId::unknown_object, "type()");
}

PyTypeObject* Executor::iterator_type(IteratorVar* iterator) {
  using Form = IteratorVar::Form;
  switch (iterator->form) {
    case Form::sequence:
      return iterator->over->kind == Kind::list ? &PyListIter_Type : &PyTupleIter_Type;
    case Form::range:
      return &PyRangeIter_Type;
    case Form::reversed:
      return &PyReversed_Type;
    case Form::enumerate:
      return &PyEnum_Type;
    case Form::zip:
      return &PyZip_Type;
    case Form::map:
      return &PyMap_Type;
    case Form::filter:
      return &PyFilter_Type;
    case Form::keys:
      return &PyDictIterKey_Type;
    case Form::values:
      return &PyDictIterValue_Type;
    case Form::items:
      return &PyDictIterItem_Type;
    case Form::generator:
      return &PyGen_Type;
    case Form::constant:
      break;
  }
  break_here(BreakId::unknown_object, "the type of an iterator");
}

PyTypeObject* Executor::view_type(ViewVar* view) {
  switch (view->form) {
    case IteratorVar::Form::keys:
      return &PyDictKeys_Type;
    case IteratorVar::Form::values:
      return &PyDictValues_Type;
    default:
      return &PyDictItems_Type;
  }
}

/// A method of a class in C is a builtin; it has no Var of its own until it is bound.
PyTypeObject* Executor::method_type(MethodVar* method) {
  return method->function && method->function->kind != Kind::function ? &PyCFunction_Type : &PyMethod_Type;
}

PyTypeObject* Executor::partial_type() {
  static PyObject* const type = [] {
    PyRef module = PyRef::steal(PyImport_ImportModule("functools"));
    return module ? PyObject_GetAttrString(module.get(), "partial") : nullptr;
  }();
  return reinterpret_cast<PyTypeObject*>(type);
}

PyTypeObject* Executor::cached_function_type() {
  static PyObject* const type = [] {
    PyRef module = PyRef::steal(PyImport_ImportModule("functools"));
    return module ? PyObject_GetAttrString(module.get(), "_lru_cache_wrapper") : nullptr;
  }();
  return reinterpret_cast<PyTypeObject*>(type);
}

Var* Executor::length(Var* var) {
  switch (var->kind) {
    case Kind::tuple:
      return load_items(static_cast<TupleVar*>(var)),
             integer(int64_t(static_cast<TupleVar*>(var)->items.size()));
    case Kind::list:
      return load_items(static_cast<ListVar*>(var)),
             integer(int64_t(static_cast<ListVar*>(var)->items.size()));
    case Kind::dict:
      return integer(dict_size(static_cast<DictVar*>(var)));
    case Kind::view:
      return integer(dict_size(static_cast<ViewVar*>(var)->dict));
    case Kind::set:
      return integer(int64_t(static_cast<SetVar*>(var)->table.size()));
    case Kind::tensor:
      return subscript(call_method(var, "size"), integer(0));
    default:
      break;
  }
  if (PyObject* set = known_set(var)) return integer(PySet_GET_SIZE(set));
  if (Var* result = try_special(var, "__len__", {})) return result;
  Py_ssize_t size = PyObject_Size(expect_constant(var, "len()"));
  if (size < 0) raise_pending();
  return integer(size);
}

PyObject* Executor::known_set(Var* var) {
  PyObject* real = var->kind == Kind::object && var->source ? var->real.get() : nullptr;
  constexpr Py_ssize_t kMostElements = 256;  // which are compared at every call
  if (!real || !PyAnySet_CheckExact(real) || PySet_GET_SIZE(real) > kMostElements) return nullptr;
  PyRef items = PyRef::steal(PySequence_Tuple(real));
  if (!guards::is_guardable_constant(items.get())) return nullptr;
  guard_type(var);
  guards_.keys(var->source, real);
  return real;
}

bool Executor::is_constant_like(Var* var) const {
  switch (var->kind) {
    case Kind::object: {
      auto* object = static_cast<ObjectVar*>(var);
      if (object->constant) return true;
      PyObject* real = object->real.get();
      return real &&
             (guards::is_guardable_constant(real) || is_identity_constant(real) ||
              front_end().is_constant_type(Py_TYPE(real)) || Py_TYPE(real) == cached_function_type() ||
              front_end().classify(real).role != CallableRole::unknown);
    }
    case Kind::number:
      return true;
    case Kind::tuple: {
      auto* tuple = static_cast<TupleVar*>(var);
      if (!tuple->loaded) return guards::is_guardable_constant(tuple->real.get());
      if (tuple->type != &PyTuple_Type) return false;
      for (Var* item : tuple->items)
        if (!is_constant_like(item)) return false;
      return true;
    }
    case Kind::slice:
      for (Var* part : static_cast<SliceVar*>(var)->parts)
        if (!is_constant_like(part)) return false;
      return true;
    case Kind::set: {
      auto* set = static_cast<SetVar*>(var);
      if (set->type != &PyFrozenSet_Type) return false;
      for (const Table::Entry& entry : set->table.entries())
        if (!entry.key.value) return false;
      return true;
    }
    default:
      return false;
  }
}

PyObject* Executor::as_constant(Var* var) {
  if (!is_constant_like(var)) return nullptr;
  if (NumberVar* number = as<NumberVar>(var)) return specialize(number);
  if (TupleVar* tuple = as<TupleVar>(var)) {
    load_items(tuple);
    PyRef real = PyRef::steal(PyTuple_New(Py_ssize_t(tuple->items.size())));
    for (size_t i = 0; i < tuple->items.size(); ++i)
      PyTuple_SET_ITEM(real.get(), Py_ssize_t(i), Py_XNewRef(as_constant(tuple->items[i])));
    return pin(real.get());
  }
  if (SliceVar* slice = as<SliceVar>(var)) {
    PyObject* parts[3];
    for (int i = 0; i < 3; ++i) parts[i] = as_constant(slice->parts[i]);
    PyRef real = PyRef::steal(PySlice_New(parts[0], parts[1], parts[2]));
    return pin(real.get());
  }
  if (SetVar* set = as<SetVar>(var)) {
    PyRef real = PyRef::steal(set_constant(set, *this));
    return pin(real.get());
  }
  auto* object = static_cast<ObjectVar*>(var);
  if (!object->constant) {
    PyObject* real = object->real.get();
    if (guards::is_guardable_constant(real))
      guards_.constant(object->source, real);
    else
      guards_.identity(object->source, real);
    object->constant = object->type_guarded = true;
  }
  return object->real.get();
}

std::optional<int64_t> Executor::as_index(Var* var) {
  PyObject* value = as_constant(var);
  if (!value || !PyLong_Check(value)) return std::nullopt;
  int overflow = 0;
  int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow) return std::nullopt;
  return number;
}

bool Executor::same_object(Var* a, Var* b) {
  if (a == b) return true;
  if (a->cache && a->cache == b->cache) throw FixArguments{a->cache};
  if (is_constant_like(a) && is_constant_like(b)) {
    if (a->existing() && b->existing()) return as_constant(a) == as_constant(b);
    return false;  // a new tuple or slice is an object of its own
  }
  if (!a->existing() || !b->existing()) return false;
  // Two existing objects at two places: found different, and guarded to stay so.
  if (Py_TYPE(a->real.get()) != Py_TYPE(b->real.get())) {
    guard_type(a);
    guard_type(b);
  } else if (a->source && b->source) {
    guards_.distinct({a->source, b->source});
  } else if (a->source) {
    guard_not_identical(a, b);
  } else if (b->source) {
    guard_not_identical(b, a);
  }
  return a->real.get() == b->real.get();
}

void Executor::guard_not_identical(Var* placed, Var* fixed) {
  guards_.distinct({placed->source, sources().constant(fixed->real.get(), "constant")});
}

const Source* Executor::source_of(Var* var) {
  if (!var->source) var->source = sources().constant(var->real.get(), constant_name(var->real.get()));
  return var->source;
}

std::string Executor::constant_name(PyObject* object) {
  for (const char* attribute : {"__qualname__", "__name__"}) {
    if (!PyFunction_Check(object) && !PyType_Check(object) && !PyModule_Check(object)) break;
    PyRef name = PyRef::steal(PyObject_GetAttrString(object, attribute));
    if (name && PyUnicode_Check(name.get())) return PyUnicode_AsUTF8(name.get());
    PyErr_Clear();
  }
  return std::string("<") + Py_TYPE(object)->tp_name + ">";
}

Key Executor::key_of(Var* var) {
  if (is_constant_like(var)) {
    PyObject* value = as_constant(var);
    Py_hash_t hash = PyObject_Hash(value);
    if (hash == -1) raise_pending();
    return {hash, value, var};
  }
  switch (var->kind) {
    case Kind::list:
    case Kind::dict:
      raise(PyExc_TypeError, std::string("unhashable type: '") + type_of(var)->tp_name + "'");
    case Kind::object: {
      PyTypeObject* type = type_of(var);
      // With object's own __hash__, or of an enum (whose members are single), a key is equal to itself only.
      bool by_identity = type->tp_hash == PyBaseObject_Type.tp_hash || is_enum_type(type);
      if (!by_identity) break_here(BreakId::unknown_object, std::string("hash of ") + type->tp_name);
      break;
    }
    case Kind::tensor:
    case Kind::function:
    case Kind::exception:
      break;
    default:
      break_here(BreakId::unknown_object, "hash of " + describe(var));
  }
  return {Py_hash_t(reinterpret_cast<uintptr_t>(var) >> 4), nullptr, var};
}

std::string Executor::describe(Var* var) const {
  if (var->source) return var->source->text;
  if (var->existing()) {
    if (PyFunction_Check(var->real.get()) || PyType_Check(var->real.get()) || PyModule_Check(var->real.get()))
      return constant_name(var->real.get());
    if (PyCFunction_Check(var->real.get()))
      return reinterpret_cast<PyCFunctionObject*>(var->real.get())->m_ml->ml_name;
    if (Py_TYPE(var->real.get()) == &PyMethodDescr_Type) {
      auto* descriptor = reinterpret_cast<PyDescrObject*>(var->real.get());
      return std::string(descriptor->d_type->tp_name) + "." + PyUnicode_AsUTF8(descriptor->d_name);
    }
    return std::string("a ") + Py_TYPE(var->real.get())->tp_name;
  }
  switch (var->kind) {
    case Kind::object:
      return std::string("a ") + static_cast<const ObjectVar*>(var)->type->tp_name;
    case Kind::tensor:
      return "a tensor";
    case Kind::method: {
      auto* method = static_cast<const MethodVar*>(var);
      return method->function ? describe(method->function) : "a method";
    }
    case Kind::function: {
      auto* function = static_cast<const FunctionVar*>(var);
      return function->qualified_name ? PyUnicode_AsUTF8(function->qualified_name.get()) : "a function";
    }
    case Kind::iterator:
      return "an iterator";
    default:
      return "a value made in the function";
  }
}

}  // namespace framejit::symbolic
