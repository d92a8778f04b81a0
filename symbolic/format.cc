// Text: str(), repr(), format() and f-strings.
#include "symbolic/executor.h"

namespace framejit::symbolic {

Var* Executor::to_text(Var* var, int conversion) {
  if (contains_tensor(var)) break_here(BreakId::tensor_value, "the text of a tensor");
  if (conversion == 1)
    if (Var* text = try_special(var, "__str__", {})) return text;
  if (Var* text = try_special(var, "__repr__", {})) return text;
  if (ExceptionVar* exception = as<ExceptionVar>(var)) {
    auto& items = static_cast<TupleVar*>(exception->args)->items;
    bool is_key_error = PyType_IsSubtype(exception->type, reinterpret_cast<PyTypeObject*>(PyExc_KeyError));
    if (conversion != 1 || (is_key_error && items.size() == 1))
      break_here(BreakId::unknown_object, "repr of an exception");
    if (items.empty()) return string("");
    return to_text(items.size() == 1 ? items[0] : exception->args, 1);
  }
  if (var->kind == Kind::function || var->kind == Kind::object) {
    if (!is_constant_like(var)) break_here(BreakId::unknown_object, "the text of " + describe(var));
  }
  PyRef real = to_real(var);
  if (!real) break_here(BreakId::unknown_object, "the text of " + describe(var));
  PyObject* (*convert)(PyObject*) = conversion == 1   ? PyObject_Str
                                    : conversion == 2 ? PyObject_Repr
                                                      : PyObject_ASCII;
  return steal_constant(convert(real.get()));
}

Var* Executor::format(Var* var, Var* spec) {
  if (Var* text = try_special(var, "__format__", {spec ? spec : string("")})) return text;
  PyObject* text = spec ? as_constant(spec) : nullptr;
  bool empty = !spec || (text && PyUnicode_GetLength(text) == 0);
  bool is_class = var->kind == Kind::object && !is_constant_like(var);
  if (empty && (is_class || var->kind != Kind::object)) return to_text(var, 1);
  PyRef real = to_real(var);
  if (!real)
    break_here(contains_tensor(var) ? BreakId::tensor_value : BreakId::unknown_object,
               "the format of " + describe(var));
  return steal_constant(PyObject_Format(real.get(), text));
}

bool Executor::contains_tensor(Var* var) {
  if (var->kind == Kind::tensor) return true;
  if (TupleVar* tuple = as<TupleVar>(var)) {
    load_items(tuple);
    return std::any_of(tuple->items.begin(), tuple->items.end(),
                       [this](Var* item) { return contains_tensor(item); });
  }
  if (ListVar* list = as<ListVar>(var)) {
    load_items(list);
    return std::any_of(list->items.begin(), list->items.end(),
                       [this](Var* item) { return contains_tensor(item); });
  }
  if (DictVar* dict = as<DictVar>(var)) {
    load_all(dict);
    for (const Table::Entry& entry : dict->table.entries())
      if (contains_tensor(entry.value)) return true;
  }
  return false;
}

}  // namespace framejit::symbolic
