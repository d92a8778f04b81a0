// Models of calling the builtin types: int(x), list(x), range(n), zip(...), super(), ...
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

void expect(Executor& executor, const CallArgs& args, size_t least, size_t most, const char* name) {
  if (args.size() < least || args.size() > most || !args.plain()) executor.break_here(BreakId::raises, name);
}

/// int() and float(): of inputs of the trace they stay symbolic.
Var* convert(Executor& executor, const CallArgs& args, PyTypeObject* type) {
  if (args.size() == 1 && args.plain()) {
    if (args[0]->kind == Kind::tensor)
      executor.break_here(BreakId::tensor_value, std::string(type->tp_name) + "() of a tensor");
    if (NumberVar* number = as<NumberVar>(args[0])) return executor.number_convert(number, type);
    const char* special = type == &PyLong_Type ? "__int__" : "__float__";
    if (Var* result = executor.try_special(args[0], special, {})) return result;
  }
  Var* result = executor.fold_call(reinterpret_cast<PyObject*>(type), args);
  if (!result) executor.break_here(BreakId::unknown_object, std::string(type->tp_name) + "()");
  return result;
}
Var* to_int(Executor& executor, const CallArgs& args) { return convert(executor, args, &PyLong_Type); }
Var* to_float(Executor& executor, const CallArgs& args) { return convert(executor, args, &PyFloat_Type); }

Var* to_bool(Executor& executor, const CallArgs& args) {
  expect(executor, args, 0, 1, "bool()");
  return executor.boolean(args.size() && executor.truth(args[0]));
}

Var* to_str(Executor& executor, const CallArgs& args) {
  if (args.size() == 0 && args.plain()) return executor.string("");
  if (args.size() == 1 && args.plain()) return executor.to_text(args[0], 1);
  Var* result = executor.fold_call(reinterpret_cast<PyObject*>(&PyUnicode_Type), args);
  if (!result) executor.break_here(BreakId::unknown_object, "str()");
  return result;
}

std::vector<Var*> items(Executor& executor, const CallArgs& args, const char* name) {
  expect(executor, args, 0, 1, name);
  return args.size() ? executor.iterate_all(args[0]) : std::vector<Var*>();
}

Var* to_list(Executor& executor, const CallArgs& args) {
  return executor.list(items(executor, args, "list()"));
}

Var* to_tuple(Executor& executor, const CallArgs& args) {
  if (args.size() == 1 && args.plain() && args[0]->kind == Kind::tuple &&
      executor.type_of(args[0]) == &PyTuple_Type)
    return args[0];
  return executor.tuple(items(executor, args, "tuple()"));
}

Var* fill_set(Executor& executor, const CallArgs& args, PyTypeObject* type, const char* name) {
  SetVar* set = executor.set();
  set->type = type;
  for (Var* item : items(executor, args, name)) {
    Key key = executor.key_of(item);
    if (!set->table.find(key)) set->table.set(key, executor.none());
  }
  return set;
}
Var* to_set(Executor& executor, const CallArgs& args) {
  return fill_set(executor, args, &PySet_Type, "set()");
}
Var* to_frozenset(Executor& executor, const CallArgs& args) {
  return fill_set(executor, args, &PyFrozenSet_Type, "frozenset()");
}

Var* fill_dict(Executor& executor, const CallArgs& args, PyTypeObject* type) {
  if (args.size() > 1) executor.break_here(BreakId::raises, "dict()");
  DictVar* dict = executor.dict();
  dict->type = type;
  if (args.size()) executor.dict_update(dict, args[0]);
  for (auto& [name, value] : args.keywords) executor.dict_set(dict, executor.constant(name), value);
  return dict;
}
Var* to_dict(Executor& executor, const CallArgs& args) { return fill_dict(executor, args, &PyDict_Type); }
Var* to_ordered_dict(Executor& executor, const CallArgs& args) {
  return fill_dict(executor, args, &PyODict_Type);
}

Var* to_default_dict(Executor& executor, const CallArgs& args) {
  static PyObject* const type = resolve_builtin("collections", "defaultdict");
  CallArgs rest = args;
  Var* factory = nullptr;
  if (args.size() > 0) {
    rest.positional.erase(rest.positional.begin());
    factory = executor.is_none(args[0]) ? nullptr : args[0];
  }
  auto* dict = static_cast<DictVar*>(fill_dict(executor, rest, reinterpret_cast<PyTypeObject*>(type)));
  dict->factory = factory;
  return dict;
}

Var* range(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 3, "range()");
  bool symbolic = false;
  for (Var* part : args.positional) {
    if (part->kind == Kind::tensor) executor.break_here(BreakId::tensor_value, "range() of a tensor");
    symbolic |= part->kind == Kind::number && !static_cast<NumberVar*>(part)->is_size;
  }
  if (!symbolic) {
    PyRef values[3];
    for (size_t i = 0; i < args.size(); ++i)
      values[i] = PyRef::borrow(executor.expect_constant(args[i], "range()"));
    return executor.steal_constant(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyRange_Type),
                                                                values[0].get(), values[1].get(),
                                                                values[2].get(), nullptr));
  }
  RangeVar* var = executor.make<RangeVar>();
  var->parts[0] = args.size() > 1 ? args[0] : executor.integer(0);
  var->parts[1] = args.size() > 1 ? args[1] : args[0];
  var->parts[2] = args.size() > 2 ? args[2] : executor.integer(1);
  for (Var* part : var->parts)
    if (executor.type_of(part) == &PyFloat_Type) executor.break_here(BreakId::raises, "range() of a float");
  return var;
}

Var* slice(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 3, "slice()");
  SliceVar* var = executor.make<SliceVar>();
  var->parts[0] = args.size() > 1 ? args[0] : executor.none();
  var->parts[1] = args.size() > 1 ? args[1] : args[0];
  var->parts[2] = args.size() > 2 ? args[2] : executor.none();
  return var;
}

Var* enumerate(Executor& executor, const CallArgs& args) {
  Var* start = args.size() > 1 ? args[1] : nullptr;
  for (auto& [name, value] : args.keywords) {
    if (start || PyUnicode_CompareWithASCIIString(name, "start"))
      executor.break_here(BreakId::raises, "enumerate()");
    start = value;
  }
  if (args.size() < 1 || args.size() > 2) executor.break_here(BreakId::raises, "enumerate()");
  IteratorVar* var = executor.iterator(IteratorVar::Form::enumerate, nullptr);
  var->inner = {executor.get_iterator(args[0])};
  if (start) {
    std::optional<int64_t> value = executor.as_index(start);
    if (!value) executor.break_here(BreakId::raises, "enumerate()");
    var->start = *value;
  }
  return var;
}

Var* zip(Executor& executor, const CallArgs& args) {
  IteratorVar* var = executor.iterator(IteratorVar::Form::zip, nullptr);
  for (Var* iterable : args.positional) var->inner.push_back(executor.get_iterator(iterable));
  for (auto& [name, value] : args.keywords) {
    if (PyUnicode_CompareWithASCIIString(name, "strict")) executor.break_here(BreakId::raises, "zip()");
    var->strict = executor.truth(value);
  }
  return var;
}

Var* map_like(Executor& executor, const CallArgs& args, IteratorVar::Form form, size_t most) {
  expect(executor, args, 2, most, "map() or filter()");
  IteratorVar* var = executor.iterator(form, nullptr);
  var->function = args[0];
  for (size_t i = 1; i < args.size(); ++i) var->inner.push_back(executor.get_iterator(args[i]));
  return var;
}
Var* map(Executor& executor, const CallArgs& args) {
  return map_like(executor, args, IteratorVar::Form::map, 64);
}
Var* filter(Executor& executor, const CallArgs& args) {
  return map_like(executor, args, IteratorVar::Form::filter, 2);
}

Var* reversed(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 1, "reversed()");
  if (Var* result = executor.try_special(args[0], "__reversed__", {})) return result;
  Var* over = args[0];
  bool sequence = over->kind == Kind::list || over->kind == Kind::tuple;
  if (!sequence) {
    PyObject* value = executor.as_constant(over);
    if (!value || !PySequence_Check(value))
      executor.break_here(BreakId::unsupported_iteration, "reversed() of " + executor.describe(over));
    over = executor.tuple(executor.iterate_all(over));
  }
  return executor.iterator(IteratorVar::Form::reversed, over);
}

Var* type(Executor& executor, const CallArgs& args) {
  if (args.size() != 1 || !args.plain())
    executor.break_here(BreakId::class_definition, "type() of three arguments");
  return executor.class_of(args[0]);
}

/// super() reads its frame: the __class__ cell and the first argument.
Var* super(Executor& executor, const CallArgs& args) {
  expect(executor, args, 0, 2, "super()");
  if (args.size() == 1) executor.break_here(BreakId::unknown_object, "super() of one argument");
  return args.size() == 2 ? executor.make_super(args[0], args[1]) : executor.implicit_super();
}

Var* partial(Executor& executor, const CallArgs& args) {
  if (args.size() < 1) executor.break_here(BreakId::raises, "partial()");
  PartialVar* var = executor.make<PartialVar>();
  var->function = args[0];
  var->args.assign(args.positional.begin() + 1, args.positional.end());
  for (auto& [name, value] : args.keywords) var->keywords.emplace_back(PyRef::borrow(name), value);
  return var;
}

}  // namespace

const BuiltinRow kTypeModels[] = {{"builtins", "int", to_int},
                                  {"builtins", "float", to_float},
                                  {"builtins", "bool", to_bool},
                                  {"builtins", "str", to_str},
                                  {"builtins", "list", to_list},
                                  {"builtins", "tuple", to_tuple},
                                  {"builtins", "set", to_set},
                                  {"builtins", "frozenset", to_frozenset},
                                  {"builtins", "dict", to_dict},
                                  {"collections", "OrderedDict", to_ordered_dict},
                                  {"collections", "defaultdict", to_default_dict},
                                  {"builtins", "range", range},
                                  {"builtins", "slice", slice},
                                  {"builtins", "enumerate", enumerate},
                                  {"builtins", "zip", zip},
                                  {"builtins", "map", map},
                                  {"builtins", "filter", filter},
                                  {"builtins", "reversed", reversed},
                                  {"builtins", "type", type},
                                  {"builtins", "super", super},
                                  {"functools", "partial", partial},
                                  {nullptr, nullptr, nullptr}};

}  // namespace framejit::symbolic
