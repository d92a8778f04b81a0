// Models of the functions in `builtins`.
#include "symbolic/builtins.h"
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

/// The arguments are of this number and there are no keywords, else the call runs for real (and raises
/// there).
void expect(Executor& executor, const CallArgs& args, size_t least, size_t most, const char* name) {
  if (args.size() < least || args.size() > most || !args.plain()) executor.break_here(BreakId::raises, name);
}

PyObject* name_argument(Executor& executor, Var* var) {
  PyObject* name = executor.as_constant(var);
  if (!name || !PyUnicode_Check(name)) executor.break_here(BreakId::raises, "attribute name must be string");
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  PyRef owned = PyRef::steal(name);
  return executor.pin(name);
}

Var* len(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 1, "len()");
  return executor.length(args[0]);
}

/// The method in Python by which the metaclass of `cls` answers isinstance() or issubclass(), or null. Borrowed.
PyObject* own_check(PyObject* cls, const char* name) {
  PyRef text = PyRef::steal(PyUnicode_InternFromString(name));
  PyObject* method = cls && PyType_Check(cls) ? _PyType_Lookup(Py_TYPE(cls), text.get()) : nullptr;
  bool own = method && PyFunction_Check(method) && strcmp(Py_TYPE(cls)->tp_name, "ABCMeta") != 0;
  return own ? method : nullptr;
}

/// isinstance and issubclass, by the class alone.
bool is_subclass(Executor& executor, PyTypeObject* type, Var* classes) {
  if (TupleVar* tuple = as<TupleVar>(classes)) {
    for (Var* item : executor.iterate_all(tuple))
      if (is_subclass(executor, type, item)) return true;
    return false;
  }
  PyObject* cls = executor.as_constant(classes);
  if (!cls) executor.break_here(BreakId::raises, "isinstance() arg 2");
  if (own_check(cls, "__subclasscheck__"))
    executor.break_here(BreakId::unknown_call, "__subclasscheck__ of " + executor.describe(classes));
  int result = PyObject_IsSubclass(reinterpret_cast<PyObject*>(type), cls);
  if (result < 0) executor.raise_pending();
  return result;
}

bool is_instance(Executor& executor, Var* object, Var* classes) {
  if (TupleVar* tuple = as<TupleVar>(classes)) {
    for (Var* item : executor.iterate_all(tuple))
      if (is_instance(executor, object, item)) return true;
    return false;
  }
  PyTypeObject* type = executor.type_of(object);
  PyObject* cls = executor.as_constant(classes);
  PyObject* check = own_check(cls, "__instancecheck__");
  if (!check || reinterpret_cast<PyObject*>(type) == cls) return is_subclass(executor, type, classes);
  return executor.truth(executor.call(executor.existing(check, nullptr), {{classes, object}, {}}));
}

Var* isinstance(Executor& executor, const CallArgs& args) {
  expect(executor, args, 2, 2, "isinstance()");
  return executor.boolean(is_instance(executor, args[0], args[1]));
}

Var* callable(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 1, "callable()");
  return executor.boolean(executor.type_of(args[0])->tp_call != nullptr);
}

Var* getattr(Executor& executor, const CallArgs& args) {
  expect(executor, args, 2, 3, "getattr()");
  PyObject* name = name_argument(executor, args[1]);
  if (args.size() == 2) return executor.load_attribute(args[0], name);
  Var* found = executor.attribute_or_null(args[0], name);
  return found ? found : args[2];
}

Var* hasattr(Executor& executor, const CallArgs& args) {
  expect(executor, args, 2, 2, "hasattr()");
  return executor.boolean(executor.attribute_or_null(args[0], name_argument(executor, args[1])) != nullptr);
}

Var* setattr(Executor& executor, const CallArgs& args) {
  expect(executor, args, 3, 3, "setattr()");
  executor.store_attribute(args[0], name_argument(executor, args[1]), args[2]);
  return executor.none();
}

Var* delattr(Executor& executor, const CallArgs& args) {
  expect(executor, args, 2, 2, "delattr()");
  executor.store_attribute(args[0], name_argument(executor, args[1]), nullptr);
  return executor.none();
}

Var* iter(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 1, "iter()");
  return executor.get_iterator(args[0]);
}

Var* next(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 2, "next()");
  if (args[0]->kind != Kind::iterator && args[0]->kind != Kind::object)
    executor.break_here(BreakId::raises, "next() of something that is not an iterator");
  Var* returned;
  if (Var* item = executor.send(args[0], executor.none(), &returned)) return item;
  if (args.size() == 2) return args[1];
  executor.raise_object(PyExc_StopIteration,
                        returned == executor.none() ? std::vector<Var*>() : std::vector<Var*>{returned});
}

Var* any(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 1, "any()");
  Var* iterator = executor.get_iterator(args[0]);
  while (Var* item = executor.next(iterator))
    if (executor.truth(item)) return executor.boolean(true);
  return executor.boolean(false);
}

Var* all(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 1, "all()");
  Var* iterator = executor.get_iterator(args[0]);
  while (Var* item = executor.next(iterator))
    if (!executor.truth(item)) return executor.boolean(false);
  return executor.boolean(true);
}

Var* keyword(const CallArgs& args, const char* name) {
  for (auto& [key, value] : args.keywords)
    if (!PyUnicode_CompareWithASCIIString(key, name)) return value;
  return nullptr;
}

Var* sum(Executor& executor, const CallArgs& args) {
  Var* start = keyword(args, "start");
  if (args.size() < 1 || args.size() > 2 || args.keywords.size() != (start != nullptr))
    executor.break_here(BreakId::raises, "sum()");
  Var* total = args.size() == 2 ? args[1] : start ? start : executor.integer(0);
  std::vector<Var*> items = executor.iterate_all(args[0]);
  // Floats are summed with compensation from 3.12 on, which is the builtin's own business.
  bool numbers = executor.is_number(total), floats = executor.type_of(total) == &PyFloat_Type;
  for (Var* item : items) {
    numbers &= executor.is_number(item);
    floats |= executor.type_of(item) == &PyFloat_Type;
  }
  if (numbers && floats)
    return executor.fold_call(Executor::real_builtin("sum"), {{executor.list(items), total}, {}});
  for (Var* item : items) total = executor.binary(0, total, item);
  return total;
}

/// min and max, by comparisons: tensors break there.
Var* extreme(Executor& executor, const CallArgs& args, int op) {
  Var *key = keyword(args, "key"), *fallback = keyword(args, "default");
  if (args.size() < 1 || args.keywords.size() != size_t(key != nullptr) + (fallback != nullptr))
    executor.break_here(BreakId::raises, "min() or max()");
  if (key && key->existing() && key->real.get() == Py_None) key = nullptr;
  std::vector<Var*> items = args.size() == 1 ? executor.iterate_all(args[0]) : args.positional;
  if (items.empty()) {
    if (fallback) return fallback;
    executor.break_here(BreakId::raises, "ValueError: min() or max() of nothing");
  }
  auto rank = [&](Var* item) { return key ? executor.call(key, {{item}, {}}) : item; };
  Var *best = items[0], *best_rank = rank(best);
  for (size_t i = 1; i < items.size(); ++i) {
    Var* other = rank(items[i]);
    if (!executor.truth(executor.compare(op, other, best_rank))) continue;
    best = items[i];
    best_rank = other;
  }
  return best;
}
Var* min(Executor& executor, const CallArgs& args) { return extreme(executor, args, Py_LT); }
Var* max(Executor& executor, const CallArgs& args) { return extreme(executor, args, Py_GT); }

Var* sorted(Executor& executor, const CallArgs& args) {
  if (args.size() != 1) executor.break_here(BreakId::raises, "sorted()");
  return executor.list(
      executor.sort(executor.iterate_all(args[0]), keyword(args, "key"), keyword(args, "reverse")));
}

Var* abs(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 1, "abs()");
  if (args[0]->kind == Kind::tensor) return executor.call_method(args[0], "abs");
  if (NumberVar* number = as<NumberVar>(args[0])) {
    auto is = [&](int op) { return executor.truth(executor.compare(op, number, executor.integer(0))); };
    if (is(Py_LT)) return executor.number_negative(number);
    if (number->type == &PyLong_Type || is(Py_GT))
      return number;  // zeros have signs, NaN compares with nothing
  }
  if (Var* result = executor.try_special(args[0], "__abs__", {})) return result;
  return executor.steal_constant(PyNumber_Absolute(executor.expect_constant(args[0], "abs()")));
}

Var* repr(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 1, "repr()");
  return executor.to_text(args[0], 2);
}

Var* format(Executor& executor, const CallArgs& args) {
  expect(executor, args, 1, 2, "format()");
  return executor.format(args[0], args.size() == 2 ? args[1] : nullptr);
}

Var* inspects_frame(Executor& executor, const CallArgs&) { executor.break_here(BreakId::frame_inspection); }

/// functools.reduce
Var* reduce(Executor& executor, const CallArgs& args) {
  expect(executor, args, 2, 3, "reduce()");
  Var* iterator = executor.get_iterator(args[1]);
  Var* total = args.size() == 3 ? args[2] : executor.next(iterator);
  if (!total) executor.break_here(BreakId::raises, "reduce() of nothing");
  while (Var* item = executor.next(iterator)) total = executor.call(args[0], {{total, item}, {}});
  return total;
}

/// The end of autograd.Function.apply.
Var* links_gradient(Executor& executor, const CallArgs& args) { return executor.link_gradient(args); }

}  // namespace

const BuiltinRow kFunctionModels[] = {{"builtins", "len", len},
                                      {"builtins", "isinstance", isinstance},
                                      {"builtins", "callable", callable},
                                      {"builtins", "getattr", getattr},
                                      {"builtins", "hasattr", hasattr},
                                      {"builtins", "setattr", setattr},
                                      {"builtins", "delattr", delattr},
                                      {"builtins", "iter", iter},
                                      {"builtins", "next", next},
                                      {"builtins", "any", any},
                                      {"builtins", "all", all},
                                      {"builtins", "sum", sum},
                                      {"builtins", "min", min},
                                      {"builtins", "max", max},
                                      {"builtins", "sorted", sorted},
                                      {"builtins", "abs", abs},
                                      {"builtins", "repr", repr},
                                      {"builtins", "format", format},
                                      {"functools", "reduce", reduce},
                                      {"builtins", "locals", inspects_frame},
                                      {"builtins", "exec", inspects_frame},
                                      {"builtins", "eval", inspects_frame},
                                      {"builtins", "vars", inspects_frame},
                                      {"framejit._C", "_autograd.link_function", links_gradient},
                                      {"builtins", "dir", inspects_frame},
                                      {"sys", "_getframe", inspects_frame},
                                      {nullptr, nullptr, nullptr}};

}  // namespace framejit::symbolic
