// Models of what classes written in Python inherit from C: object.__init__, object.__setattr__,
// tuple.__new__, ...
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

PyObject* name_argument(Executor& executor, Var* var) {
  PyObject* name = executor.as_constant(var);
  if (!name || !PyUnicode_Check(name)) executor.break_here(BreakId::raises, "attribute name must be string");
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  PyRef owned = PyRef::steal(name);
  return executor.pin(name);
}

PyTypeObject* class_argument(Executor& executor, const CallArgs& args, const char* name) {
  PyObject* type = args.size() ? executor.as_constant(args[0]) : nullptr;
  if (!type || !PyType_Check(type)) executor.break_here(BreakId::raises, name);
  return reinterpret_cast<PyTypeObject*>(type);
}

ObjectVar* self(Executor& executor, const CallArgs& args, size_t count, const char* name) {
  ObjectVar* object = args.size() == count ? as<ObjectVar>(args[0]) : nullptr;
  if (!object || (object->existing() && PyType_Check(object->real.get())))
    executor.break_here(BreakId::unsupported_attribute, name);
  return object;
}

Var* object_init(Executor& executor, const CallArgs& args) {
  if (args.size() > 1 || !args.plain())
    executor.break_here(BreakId::raises, "object.__init__ with arguments");
  return executor.none();
}

Var* object_new(Executor& executor, const CallArgs& args) {
  PyTypeObject* type = class_argument(executor, args, "object.__new__");
  Var* instance = executor.make_instance(type, {});
  if (!instance || instance->kind != Kind::object)
    executor.break_here(BreakId::unknown_call, std::string(type->tp_name) + ".__new__");
  return instance;
}

Var* object_setattr(Executor& executor, const CallArgs& args) {
  ObjectVar* object = self(executor, args, 3, "object.__setattr__");
  executor.generic_store(object, name_argument(executor, args[1]), args[2]);
  return executor.none();
}

Var* object_delattr(Executor& executor, const CallArgs& args) {
  ObjectVar* object = self(executor, args, 2, "object.__delattr__");
  executor.generic_store(object, name_argument(executor, args[1]), nullptr);
  return executor.none();
}

Var* object_getattribute(Executor& executor, const CallArgs& args) {
  ObjectVar* object = self(executor, args, 2, "object.__getattribute__");
  PyObject* name = name_argument(executor, args[1]);
  if (Var* found = executor.generic_load(object, name)) return found;
  executor.raise(PyExc_AttributeError, std::string("'") + executor.type_of(object)->tp_name +
                                           "' object has no attribute '" + PyUnicode_AsUTF8(name) + "'");
}

Var* exception_init(Executor& executor, const CallArgs& args) {
  ExceptionVar* exception = args.size() ? as<ExceptionVar>(args[0]) : nullptr;
  if (!exception || !args.plain()) executor.break_here(BreakId::unknown_object, "BaseException.__init__");
  exception->args = executor.tuple({args.positional.begin() + 1, args.positional.end()});
  executor.mutated();
  return executor.none();
}

/// Named tuples: `tuple.__new__(cls, items)`.
Var* tuple_new(Executor& executor, const CallArgs& args) {
  PyTypeObject* type = class_argument(executor, args, "tuple.__new__");
  if (args.size() > 2 || !args.plain()) executor.break_here(BreakId::raises, "tuple.__new__");
  TupleVar* var = executor.tuple(args.size() == 2 ? executor.iterate_all(args[1]) : std::vector<Var*>());
  var->type = type;
  executor.pin(reinterpret_cast<PyObject*>(type));
  return var;
}

/// str.join over anything that can be iterated.
Var* str_join(Executor& executor, const CallArgs& args) {
  if (args.size() != 2 || !args.plain()) executor.break_here(BreakId::raises, "str.join");
  PyRef items = executor.to_real(executor.list(executor.iterate_all(args[1])));
  PyObject* separator = executor.as_constant(args[0]);
  if (!items || !separator) executor.break_here(BreakId::unknown_object, "str.join");
  return executor.steal_constant(PyUnicode_Join(separator, items.get()));
}

}  // namespace

SuperVar* Executor::make_super(Var* cls, Var* self) {
  PyObject* type = as_constant(cls);
  if (!type || !PyType_Check(type)) break_here(BreakId::raises, "super() of something that is not a class");
  SuperVar* var = make<SuperVar>();
  var->after = reinterpret_cast<PyTypeObject*>(type);
  var->self = self;
  ObjectVar* object = as<ObjectVar>(self);
  var->self_is_class = object && object->existing() && PyType_Check(object->real.get());
  return var;
}

SuperVar* Executor::implicit_super() {
  PyCodeObject* code = current_->program->code();
  for (int i = 0; i < code->co_nlocalsplus; ++i) {
    PyObject* name = PyTuple_GET_ITEM(code->co_localsplusnames, i);
    if (PyUnicode_CompareWithASCIIString(name, "__class__")) continue;
    CellVar* cell = as<CellVar>(local(*current_, i));
    Var* self = local(*current_, 0);
    if (CellVar* boxed = as<CellVar>(self)) self = cell_contents(boxed);
    Var* cls = cell ? cell_contents(cell) : nullptr;
    if (!cls || !self || self->kind == Kind::null) break;
    return make_super(cls, self);
  }
  break_here(BreakId::raises, "super() without a class");
}

const BuiltinRow kObjectModels[] = {{"builtins", "object.__init__", object_init},
                                    {"builtins", "object.__new__", object_new},
                                    {"builtins", "object.__setattr__", object_setattr},
                                    {"builtins", "object.__delattr__", object_delattr},
                                    {"builtins", "object.__getattribute__", object_getattribute},
                                    {"builtins", "BaseException.__init__", exception_init},
                                    {"builtins", "tuple.__new__", tuple_new},
                                    {"builtins", "str.join", str_join},
                                    {nullptr, nullptr, nullptr}};

}  // namespace framejit::symbolic
