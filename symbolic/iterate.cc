// Iterators made by the traced code, and iteration over everything that can be iterated while tracing.
#include "symbolic/executor.h"

namespace framejit::symbolic {
namespace {

bool is_real_iterator(Var* var) {
  return var->kind == Kind::object && var->existing() &&
         Py_TYPE(var->real.get())->tp_iter == PyObject_SelfIter;
}

/// Types whose constants may be iterated at once: str, bytes, range, frozenset.
bool is_iterable_constant(PyObject* object) {
  return PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) || Py_TYPE(object) == &PyRange_Type;
}

}  // namespace

IteratorVar* Executor::iterator(IteratorVar::Form form, Var* over) {
  IteratorVar* var = make<IteratorVar>();
  var->form = form;
  var->over = over;
  return var;
}

Var* Executor::get_iterator(Var* var) {
  switch (var->kind) {
    case Kind::iterator:
      return var;
    case Kind::tuple:
      load_items(static_cast<TupleVar*>(var));
      return iterator(IteratorVar::Form::sequence, var);
    case Kind::list:
      load_items(static_cast<ListVar*>(var));
      return iterator(IteratorVar::Form::sequence, var);
    case Kind::range:
      return iterator(IteratorVar::Form::range, var);
    case Kind::tensor: {
      Var* parts = call_method(var, "unbind", {integer(0)});
      return iterator(IteratorVar::Form::sequence, parts);
    }
    case Kind::dict: {
      load_all(static_cast<DictVar*>(var));
      IteratorVar* keys = iterator(IteratorVar::Form::keys, var);
      keys->snapshot = static_cast<DictVar*>(var)->table.entries();
      return keys;
    }
    case Kind::set:
      return set_iterator(static_cast<SetVar*>(var));
    case Kind::view: {
      auto* view = static_cast<ViewVar*>(var);
      load_all(view->dict);
      IteratorVar* entries = iterator(view->form, view->dict);
      entries->snapshot = view->dict->table.entries();
      return entries;
    }
    case Kind::object:
      break;
    default:
      break_here(BreakId::unsupported_iteration, describe(var));
  }
  if (is_real_iterator(var)) return guard_type(var), var;
  if (PyObject* set = known_set(var)) {
    PyRef items = PyRef::steal(PySequence_Tuple(set));
    return iterator(IteratorVar::Form::sequence, constant(items.get()));
  }
  if (Var* method = find_special(var, "__iter__"); method && method->kind == Kind::method) {
    if (static_cast<MethodVar*>(method)->function->kind == Kind::function) return call(method, {});
  }
  PyObject* value = as_constant(var);
  if (value && is_iterable_constant(value)) return iterator(IteratorVar::Form::constant, var);
  if (value && PyFrozenSet_CheckExact(value)) {
    PyRef items = PyRef::steal(PySequence_Tuple(value));
    return iterator(IteratorVar::Form::sequence, constant(items.get()));
  }
  break_here(BreakId::unsupported_iteration, describe(var));
}

/// Sets iterate in hash order: that of a real set filled in the same order.
Var* Executor::set_iterator(SetVar* set) {
  PyRef real = PyRef::steal(PySet_New(nullptr));
  for (const Table::Entry& entry : set->table.entries()) {
    if (!entry.key.value) break_here(BreakId::unsupported_iteration, "a set of objects");
    PySet_Add(real.get(), entry.key.value);
  }
  PyRef items = PyRef::steal(PySequence_Tuple(real.get()));
  return iterator(IteratorVar::Form::sequence, constant(items.get()));
}

Var* Executor::next(Var* var) {
  IteratorVar* it = as<IteratorVar>(var);
  if (!it) {
    Var* method =
        var->kind == Kind::object && !is_real_iterator(var) ? find_special(var, "__next__") : nullptr;
    if (!method) break_here(BreakId::real_iterator, describe(var));
    return next_or_null([&] { return call(method, {}); });
  }
  if (it->exhausted) return nullptr;
  Var* item = advance(it);
  mutated();
  if (!item)
    it->exhausted = true;
  else
    ++it->index;
  return item;
}

/// Runs `body`; null when the traced program raises StopIteration in it.
Var* Executor::next_or_null(const std::function<Var*()>& body) {
  try {
    return body();
  } catch (RaiseError& error) {
    if (!PyType_IsSubtype(error.exception->type, reinterpret_cast<PyTypeObject*>(PyExc_StopIteration))) throw;
    return nullptr;
  }
}

Var* Executor::advance(IteratorVar* it) {
  auto at = size_t(it->index);
  DictVar* dict = as<DictVar>(it->over);
  if (dict && !dict->view_of && dict->table.size() != it->snapshot.size())
    raise(PyExc_RuntimeError, "dictionary changed size during iteration");
  switch (it->form) {
    case IteratorVar::Form::sequence: {
      // A list that grows while it is iterated over gives its new items as well.
      auto& items = it->over->kind == Kind::list ? static_cast<ListVar*>(it->over)->items
                                                 : static_cast<TupleVar*>(it->over)->items;
      return at < items.size() ? items[at] : nullptr;
    }
    case IteratorVar::Form::reversed: {
      std::vector<Var*> items = iterate_all(it->over);
      return at < items.size() ? items[items.size() - 1 - at] : nullptr;
    }
    case IteratorVar::Form::constant: {
      PyObject* value = it->over->real.get();
      if (it->index >= PySequence_Size(value)) return nullptr;
      return steal_constant(PySequence_GetItem(value, it->index));
    }
    case IteratorVar::Form::range:
      return advance_range(it);
    case IteratorVar::Form::keys:
      return at < it->snapshot.size() ? it->snapshot[at].key.var : nullptr;
    case IteratorVar::Form::values:
      return at < it->snapshot.size() ? it->snapshot[at].value : nullptr;
    case IteratorVar::Form::items:
      return at < it->snapshot.size() ? tuple({it->snapshot[at].key.var, it->snapshot[at].value}) : nullptr;
    case IteratorVar::Form::enumerate: {
      Var* item = next(it->inner[0]);
      return item ? tuple({integer(it->start + it->index), item}) : nullptr;
    }
    case IteratorVar::Form::zip:
      return advance_zip(it);
    case IteratorVar::Form::map: {
      CallArgs args;
      for (Var* inner : it->inner) {
        Var* item = next(inner);
        if (!item) return nullptr;
        args.positional.push_back(item);
      }
      return call(it->function, args);
    }
    case IteratorVar::Form::filter:
      while (Var* item = next(it->inner[0])) {
        bool plain = it->function->existing() && it->function->real.get() == Py_None;
        if (truth(plain ? item : call(it->function, {{item}, {}}))) return item;
      }
      return nullptr;
    case IteratorVar::Form::generator:
      return resume(it, none());
  }
  return nullptr;
}

/// A range over inputs of the trace is unrolled when it is short and has not varied so far.
Var* Executor::advance_range(IteratorVar* it) {
  PyObject* parts[3];
  for (int i = 0; i < 3; ++i) {
    Var* part = static_cast<RangeVar*>(it->over)->parts[i];
    parts[i] = part->kind == Kind::number ? part->real.get() : as_constant(part);
  }
  PyRef range = PyRef::steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyRange_Type),
                                                          parts[0], parts[1], parts[2], nullptr));
  if (!range) raise_pending();
  auto& bounds = static_cast<RangeVar*>(it->over)->parts;
  bool varied = std::any_of(bounds, bounds + 3, [this](Var* part) { return varies(part); });
  if (it->index == 0 && (PyObject_Size(range.get()) > request_.options.loop_iterations || varied))
    break_here(BreakId::real_iterator,
               "a range over " + describe(static_cast<RangeVar*>(it->over)->parts[1]));
  for (Var* part : static_cast<RangeVar*>(it->over)->parts) as_constant(part);
  if (it->index >= PyObject_Size(range.get())) return nullptr;
  return steal_constant(PySequence_GetItem(range.get(), it->index));
}

Var* Executor::advance_zip(IteratorVar* it) {
  std::vector<Var*> items;
  for (size_t i = 0; i < it->inner.size(); ++i) {
    Var* item = next(it->inner[i]);
    if (item && (items.size() == i || !it->strict)) {
      items.push_back(item);
      continue;
    }
    if (!it->strict) return nullptr;
    if (!item && i > 0)
      raise(PyExc_ValueError, "zip() argument " + std::to_string(i + 1) + " is shorter than argument" +
                                  (i == 1 ? " 1" : "s 1-" + std::to_string(i)));
    // The first one ended: all others must.
    for (size_t j = 1; j < it->inner.size(); ++j)
      if (next(it->inner[j]))
        raise(PyExc_ValueError, "zip() argument " + std::to_string(j + 1) + " is longer than argument" +
                                    (j == 1 ? " 1" : "s 1-" + std::to_string(j)));
    return nullptr;
  }
  return it->inner.empty() ? nullptr : tuple(std::move(items));
}

}  // namespace framejit::symbolic
